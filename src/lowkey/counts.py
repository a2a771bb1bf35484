"""Counts: how many people sent each output. All that estimation needs to know of a collection."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from lowkey.errors import InvalidInput
from lowkey.files import FilePath, check_format, read_json, write_json
from lowkey.mechanisms.base import MOST_PEOPLE, Responses

FORMAT = "lowkey-counts"
VERSION = 1

Tally = npt.NDArray[np.int64]


class Surveyed(Protocol):
    """What counts need to know of a deployment."""

    @property
    def digest(self) -> str: ...

    @property
    def outputs(self) -> int: ...


@dataclass(frozen=True, eq=False)
class Counts:
    """Responses tallied per output, bound to the deployment (by its digest) that they answer.

    >>> Counts("d1", [3, 0, 1]) + Counts("d1", [1, 1, 0])
    <Counts of d1: 6 people, 3 outputs>
    """

    digest: str
    values: Tally

    def __init__(self, digest: str, values: object) -> None:
        tally = _check_tally(values)
        tally.flags.writeable = False
        object.__setattr__(self, "digest", _check_digest(digest))
        object.__setattr__(self, "values", tally)

    @classmethod
    def empty(cls, deployment: Surveyed) -> Counts:
        """Nobody yet: what a sum of counts starts from."""
        return cls(deployment.digest, np.zeros(deployment.outputs, dtype=np.int64))

    @classmethod
    def from_reports(cls, deployment: Surveyed, reports: Iterable[object]) -> Counts:
        """Tally output numbers 0 … outputs − 1, one a person; anything else among them is refused, not skipped."""
        if not hasattr(deployment, "digest"):
            raise InvalidInput("the deployment", deployment, "a Deployment", "Use deploy or load.")
        outputs = _output_numbers(reports, deployment.outputs)
        return cls(deployment.digest, np.bincount(outputs, minlength=deployment.outputs))

    @property
    def users(self) -> int:
        """How many people reported."""
        return int(self.values.sum())

    @property
    def responses(self) -> Responses:
        """The paper's response vector y."""
        return Responses(self.values.astype(np.float64), self.users)

    def __add__(self, other: Counts) -> Counts:
        """The counts of both collections together; refused if they answer different deployments."""
        if not isinstance(other, Counts):
            return NotImplemented
        if other.digest != self.digest or len(other.values) != len(self.values):
            raise InvalidInput(
                "the deployment of the counts to add",
                f"{other.digest} ({len(other.values):,} outputs)",
                f"{self.digest} ({len(self.values):,} outputs)",
                "Counts of different deployments mean different things: estimate each by itself.",
            )
        return Counts(self.digest, self.values + other.values)

    def __radd__(self, other: object) -> Counts:
        """What lets sum(parts) start from its 0."""
        return self if type(other) is int and other == 0 else NotImplemented

    def save(self, path: FilePath) -> None:
        """Write the counts to one JSON file, atomically."""
        fields = {"digest": self.digest, "users": self.users, "values": self.values.tolist()}
        write_json(path, {"format": FORMAT, "version": VERSION, **fields})

    @classmethod
    def load(cls, path: FilePath) -> Counts:
        """The counts that `save` wrote."""
        document = check_format(read_json(path, "the counts file"), "the counts file", FORMAT, VERSION)
        if set(document) != {"format", "version", "digest", "users", "values"}:
            expected = "format, version, digest, users and values"
            raise InvalidInput("the keys of the counts file", ", ".join(document), expected)
        counts = cls(document["digest"], document["values"])  # type: ignore[arg-type]
        if counts.users != document["users"]:
            advice = "The file was damaged or altered."
            raise InvalidInput("the counts file's number of users", document["users"], f"{counts.users}", advice)
        return counts

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Counts) and self.digest == other.digest and np.array_equal(self.values, other.values)

    def __hash__(self) -> int:
        return hash((self.digest, self.values.tobytes()))

    def __repr__(self) -> str:
        return f"<Counts of {self.digest[:12]}: {self.users:,} people, {len(self.values):,} outputs>"


def _check_digest(digest: object) -> str:
    if not isinstance(digest, str) or not digest:
        raise InvalidInput("the digest of the counts", digest, "the digest of a deployment (D.digest)")
    return digest


def _check_tally(values: object) -> Tally:
    expected = "a list of whole numbers of people, one an output"
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise InvalidInput("the counts", values, expected) from error
    if array.ndim != 1 or not array.size or array.dtype.kind not in "iu":
        raise InvalidInput("the counts", values, expected)
    if (array < 0).any() or int(array.max()) > MOST_PEOPLE or array.sum(dtype=np.float64) >= MOST_PEOPLE:
        raise InvalidInput("the counts", values, f"{expected}, fewer than 2^53 in all")
    return array.astype(np.int64)


def _output_numbers(reports: Iterable[object], outputs: int) -> Tally:
    if isinstance(reports, str | bytes) or not isinstance(reports, Iterable):
        raise InvalidInput("the reports", reports, "a list or an array of output numbers")
    array = np.asarray(reports) if hasattr(reports, "__array__") else _as_array(reports)
    if array.ndim != 1:
        raise InvalidInput("the reports", f"an array of shape {array.shape}", "one output number a person")
    if array.dtype.kind in "iu":
        bad = (array < 0) | (array >= outputs)
    else:
        bad = np.fromiter((not _is_output(value, outputs) for value in array), dtype=bool, count=len(array))
    if bad.any():
        place = int(np.argmax(bad))
        value = array[place].item() if isinstance(array[place], np.generic) else array[place]
        raise InvalidInput(
            "the reports",
            f"wrong in {int(bad.sum()):,} of {len(array):,} places, the first being {value!r} in place {place}",
            f"whole numbers from 0 to {outputs - 1}",
            "Are these reports of this deployment?",
        )
    return array.astype(np.int64)


def _as_array(reports: Iterable[object]) -> npt.NDArray[Any]:
    """The reports as integers where all are, else as the objects that they are, so that none changes its type."""
    values = list(reports)
    if not values:
        return np.zeros(0, dtype=np.int64)
    if all(type(value) is int for value in values):
        array = np.array(values)
        return array if array.dtype.kind in "iu" else np.array(values, dtype=object)
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects


def _is_output(value: object, outputs: int) -> bool:
    """Whole numbers in range; 3.0 is one, True is none."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real | np.number):
        return False
    return bool(0 <= value < outputs) and float(value).is_integer()  # type: ignore[operator]
