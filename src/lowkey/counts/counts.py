"""Counts: how many people sent each output. All that estimation needs to know of a collection."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from lowkey.checks import check_size
from lowkey.counts import document as files
from lowkey.counts.reports import output_numbers
from lowkey.errors import InvalidInput, TooLarge
from lowkey.files import FilePath, read_json, write_json
from lowkey.mechanisms.base import MOST_PEOPLE, Responses
from lowkey.mechanisms.ranks import MOST_RANKS
from lowkey.workloads.base import DENSE_LIMIT

LISTED_OUTPUTS = 2**24  # up to so many outputs each has its number; beyond, those that occurred have one

Tally = npt.NDArray[np.int64]


class Surveyed(Protocol):
    """What counts need to know of a deployment."""

    @property
    def digest(self) -> str: ...

    @property
    def outputs(self) -> int: ...


@dataclass(frozen=True, eq=False, repr=False)
class Counts:
    """Responses tallied per output, bound to the deployment (by its digest) that they answer.

    Of very many outputs only those that occurred are kept: their numbers, ascending, and how many people sent each.

    >>> Counts("d1", [3, 0, 1]) + Counts("d1", [1, 1, 0])
    <Counts of d1: 6 people, 3 outputs>
    >>> Counts.of_seen("d2", 2**40, [7, 10**12], [3, 1])
    <Counts of d2: 4 people, 2 of 1,099,511,627,776 outputs>
    """

    digest: str
    outputs: int
    numbers: Tally | None  # None: people has an entry for every output
    people: Tally

    def __init__(self, digest: str, values: object) -> None:
        people = _check_tally(values)
        if len(people) <= LISTED_OUTPUTS:
            self._set(digest, len(people), None, people)
        else:
            seen = np.flatnonzero(people)
            self._set(digest, len(people), seen, people[seen])

    @classmethod
    def of_seen(cls, digest: str, outputs: int, numbers: object, people: object) -> Counts:
        """Counts of the outputs with these numbers, of so many in all; the same number may stand there twice."""
        total = _check_outputs(outputs)
        where, many = _check_numbers(numbers, total), _check_tally(people, is_empty_fine=True)
        if len(where) != len(many):
            raise InvalidInput("the counts", f"{len(many):,} for {len(where):,} outputs", "one for each output")
        if total <= LISTED_OUTPUTS:
            values = np.zeros(total, dtype=np.int64)
            np.add.at(values, where, many)
            return cls(digest, values)
        found, places = np.unique(where[many > 0], return_inverse=True)
        sums = np.zeros(len(found), dtype=np.int64)
        np.add.at(sums, places, many[many > 0])
        counts = cls.__new__(cls)
        counts._set(digest, total, found, sums)
        return counts

    def _set(self, digest: object, outputs: int, numbers: Tally | None, people: Tally) -> None:
        for array in (numbers, people):
            if array is not None:
                array.flags.writeable = False
        object.__setattr__(self, "digest", _check_digest(digest))
        object.__setattr__(self, "outputs", outputs)
        object.__setattr__(self, "numbers", numbers)
        object.__setattr__(self, "people", people)

    @classmethod
    def empty(cls, deployment: Surveyed) -> Counts:
        """Nobody yet: what a sum of counts starts from."""
        return cls.of_seen(deployment.digest, deployment.outputs, np.zeros(0, np.int64), np.zeros(0, np.int64))

    @classmethod
    def from_reports(cls, deployment: Surveyed, reports: Iterable[object]) -> Counts:
        """Tally output numbers 0 … outputs − 1, one a person; anything else among them is refused, not skipped."""
        if not hasattr(deployment, "digest"):
            raise InvalidInput("the deployment", deployment, "a Deployment", "Use deploy or load.")
        numbers = output_numbers(reports, deployment.outputs)
        return cls.of_seen(deployment.digest, deployment.outputs, *np.unique(numbers, return_counts=True))

    @classmethod
    def from_responses(cls, deployment: Surveyed, responses: Responses) -> Counts:
        """The counts that simulated responses are."""
        return cls.of_seen(
            deployment.digest, deployment.outputs, *(part.astype(np.int64) for part in responses.tally())
        )

    @property
    def values(self) -> Tally:
        """How many people sent each output, listed for all; refused where that list would be too long."""
        if self.numbers is None:
            return self.people
        if self.outputs > DENSE_LIMIT:
            arrived, advice = (
                f"a list of {self.outputs:,} numbers",
                "Use numbers and people: the outputs that occurred.",
            )
            raise TooLarge("the count of every output", arrived, f"at most {DENSE_LIMIT:,}", advice)
        values = np.zeros(self.outputs, dtype=np.int64)
        values[self.numbers] = self.people
        return values

    @property
    def users(self) -> int:
        """How many people reported."""
        return int(self.people.sum())

    @property
    def responses(self) -> Responses:
        """The paper's response vector y."""
        return Responses(self.people.astype(np.float64), self.users, self.numbers)

    def __add__(self, other: Counts) -> Counts:
        """The counts of both collections together; refused if they answer different deployments."""
        if not isinstance(other, Counts):
            return NotImplemented
        if other.digest != self.digest or other.outputs != self.outputs:
            raise InvalidInput(
                "the deployment of the counts to add",
                f"{other.digest} ({other.outputs:,} outputs)",
                f"{self.digest} ({self.outputs:,} outputs)",
                "Counts of different deployments mean different things: estimate each by itself.",
            )
        people = self.people, other.people
        if self.numbers is None or other.numbers is None:
            return Counts(self.digest, people[0] + people[1])
        numbers = np.concatenate([self.numbers, other.numbers])
        return Counts.of_seen(self.digest, self.outputs, numbers, np.concatenate(people))

    def __radd__(self, other: object) -> Counts:
        """What lets sum(parts) start from its 0."""
        return self if type(other) is int and other == 0 else NotImplemented

    def save(self, path: FilePath) -> None:
        """Write the counts to one JSON file, atomically."""
        write_json(path, files.content(self.digest, self.users, self.outputs, self.numbers, self.people))

    @classmethod
    def load(cls, path: FilePath) -> Counts:
        """The counts that `save` wrote."""
        document = files.parse(read_json(path, files.WHAT))
        digest: Any = document["digest"]
        if document["version"] == files.ALL:
            counts = cls(digest, document["values"])
        else:
            counts = cls.of_seen(digest, document["outputs"], document["numbers"], document["people"])  # type: ignore[arg-type]
        if counts.users != document["users"]:
            advice = "The file was damaged or altered."
            raise InvalidInput("the counts file's number of users", document["users"], f"{counts.users}", advice)
        return counts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Counts) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[object, ...]:
        numbers = None if self.numbers is None else self.numbers.tobytes()
        return self.digest, self.outputs, numbers, self.people.tobytes()

    def __repr__(self) -> str:
        seen = "" if self.numbers is None else f"{len(self.numbers):,} of "
        return f"<Counts of {self.digest[:12]}: {self.users:,} people, {seen}{self.outputs:,} outputs>"


def _check_digest(digest: object) -> str:
    if not isinstance(digest, str) or not digest:
        raise InvalidInput("the digest of the counts", digest, "the digest of a deployment (D.digest)")
    return digest


def _check_outputs(outputs: object) -> int:
    total = check_size("the number of outputs", outputs)
    if total > MOST_RANKS:
        raise TooLarge("the number of outputs", f"{total:,}", "at most 2^62, which 64 bits number")
    return total


def _check_numbers(numbers: object, outputs: int) -> Tally:
    array = _whole_numbers("the numbers of the outputs", numbers, "a list of whole numbers")
    if array.size and not 0 <= int(array.min()) <= int(array.max()) < outputs:
        arrived = f"from {int(array.min()):,} to {int(array.max()):,}"
        raise InvalidInput("the numbers of the outputs", arrived, f"whole numbers from 0 to {outputs - 1}")
    return array.astype(np.int64)


def _check_tally(values: object, is_empty_fine: bool = False) -> Tally:
    expected = "a list of whole numbers of people, one an output"
    array = _whole_numbers("the counts", values, expected)
    if not array.size and not is_empty_fine:
        raise InvalidInput("the counts", values, expected)
    if (array < 0).any() or array.max(initial=0) > MOST_PEOPLE or array.sum(dtype=np.float64) >= MOST_PEOPLE:
        raise InvalidInput("the counts", values, f"{expected}, fewer than 2^53 in all")
    return array.astype(np.int64)


def _whole_numbers(what: str, values: object, expected: str) -> npt.NDArray[np.int64 | np.uint64]:
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise InvalidInput(what, values, expected) from error
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise InvalidInput(what, values, expected)
    return array
