"""The counts file: all outputs' counts, or those of the outputs that occurred where all would be too many."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lowkey.errors import InvalidInput
from lowkey.files import check_format

FORMAT = "lowkey-counts"
ALL, SEEN = 1, 2  # versions
WHAT = "the counts file"
KEYS = {
    ALL: ("format", "version", "digest", "users", "values"),
    SEEN: ("format", "version", "digest", "users", "outputs", "numbers", "people"),
}

Tally = npt.NDArray[np.int64]


def content(digest: str, users: int, outputs: int, numbers: Tally | None, people: Tally) -> dict[str, object]:
    """What stands in the file."""
    head: dict[str, object] = {"format": FORMAT, "version": ALL if numbers is None else SEEN}
    basics: dict[str, object] = head | {"digest": digest, "users": users}
    if numbers is None:
        return basics | {"values": people.tolist()}
    return basics | {"outputs": outputs, "numbers": numbers.tolist(), "people": people.tolist()}


def parse(document: object) -> dict[str, object]:
    """The file's content, if it has the keys of its version."""
    found = check_format(document, WHAT, FORMAT, ALL, SEEN)
    keys = KEYS[ALL if found["version"] == ALL else SEEN]
    if set(found) != set(keys):
        expected = f"{', '.join(keys[:-1])} and {keys[-1]}"
        raise InvalidInput(f"the keys of {WHAT}", ", ".join(found), expected)
    return found
