"""Places: cells of ∏ℤ_{n_i} as one number each (row-major), or as one place an attribute."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from lowkey.checks import check_size
from lowkey.errors import InvalidInput, TooLarge, format_size

Numbers = npt.NDArray[np.int64]

MOST_NUMBERED = 2**62  # cells that 64 bits number


def check_sizes(sizes: object) -> tuple[int, ...]:
    """The number of values of each attribute; at least one attribute."""
    if not isinstance(sizes, Sequence) or isinstance(sizes, str) or len(sizes) == 0:
        raise InvalidInput("the sizes", sizes, "the number of values of each attribute, such as (2, 3, 4)")
    return tuple(check_size("the size of an attribute", size) for size in sizes)


def check_places(places: object, sizes: Sequence[int]) -> Numbers:
    """Whole numbers (N, d), row by row the places of one person's cell."""
    array = np.asarray(places)
    if array.ndim != 2 or array.shape[1] != len(sizes) or array.dtype.kind not in "iu":
        arrived = f"an array of shape {array.shape} and type {array.dtype}"
        raise InvalidInput("the places", arrived, f"whole numbers, one row a person, {len(sizes)} columns")
    wrong = ((array < 0) | (array >= np.array(sizes))).any(axis=0)
    if wrong.any():
        attribute = int(np.argmax(wrong))
        raise InvalidInput(
            "the places", f"out of range in column {attribute}", f"numbers from 0 to {sizes[attribute] - 1} there"
        )
    return array.astype(np.int64, copy=False)


def places_of(cells: Numbers, sizes: Sequence[int]) -> Numbers:
    """(N,) → (N, d)."""
    places = np.empty((len(cells), len(sizes)), dtype=np.int64)
    rest = cells
    for axis in reversed(range(len(sizes))):
        rest, places[:, axis] = np.divmod(rest, sizes[axis])
    return places


def cells_of(places: Numbers, sizes: Sequence[int]) -> Numbers:
    """(…, d) → (…)."""
    cells = np.zeros(places.shape[:-1], dtype=np.int64)
    for axis, size in enumerate(sizes):
        cells = cells * size + places[..., axis]
    return cells


def subtract(cells: Numbers, others: Numbers, sizes: Sequence[int]) -> Numbers:
    """The cells u − v, place by place; the arguments broadcast."""
    if max(sizes) <= 2:
        return cells ^ others
    differences = np.zeros(np.broadcast_shapes(cells.shape, others.shape), dtype=np.int64)
    stride = 1
    for size in reversed(sizes):
        differences += (cells // stride % size - others // stride % size) % size * stride
        stride *= size
    return differences


def read_as(places: Numbers, sizes: Sequence[int], other: Sequence[int]) -> Numbers:
    """The same cells by their places in attributes of other sizes: neighbours joined, or one split in several.

    >>> read_as(np.array([[1, 0, 1], [1, 2, 0]]), (2, 3, 2), (6, 2)).tolist()
    [[3, 1], [5, 0]]
    """
    if tuple(sizes) == tuple(other):
        return places
    parts = [
        places_of(cells_of(places[:, own], sizes[own]), other[theirs]) for own, theirs in _neighbours(sizes, other)
    ]
    return np.concatenate(parts, axis=1)


def _neighbours(sizes: Sequence[int], other: Sequence[int]) -> Iterator[tuple[slice, slice]]:
    """The fewest attributes next to each other that are as many cells read one way as the other."""
    start = there = end = end_there = 0
    while end < len(sizes) or end_there < len(other):
        own, theirs = math.prod(sizes[start:end]), math.prod(other[there:end_there])
        if end < len(sizes) and own <= theirs:
            end += 1
        else:
            end_there += 1
        own, theirs = math.prod(sizes[start:end]), math.prod(other[there:end_there])
        if max(own, theirs) > MOST_NUMBERED:
            arrived, expected = f"{format_size(max(own, theirs))} cells in one", "at most 2^62"
            raise TooLarge("attributes to be read as others", arrived, expected, "Use a workload over the attributes.")
        if own == theirs:
            yield slice(start, end), slice(there, end_there)
            start, there = end, end_there
