"""Attributes read as groups of finer ones: a histogram over 12 cells asked of attributes with 3 and 4 values."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import replace

from lowkey.workloads.interactions import Subset, Table


def groups(coarse: Sequence[int], fine: Sequence[int]) -> tuple[Subset, ...] | None:
    """For each attribute of the coarse sizes the neighbouring finer ones that it is made of; None if it is of none.

    >>> groups((6, 2), (2, 3, 2))
    ((0, 1), (2,))
    """
    if tuple(coarse) == tuple(fine):
        return tuple((place,) for place in range(len(fine)))
    found, end = [], 0
    for size in coarse:
        start = end
        while math.prod(fine[start:end]) < size and end < len(fine):
            end += 1
        if math.prod(fine[start:end]) != size:
            return None
        found.append(tuple(range(start, end)))
    return tuple(found) if all(size == 1 for size in fine[end:]) else None


def regrouped(tables: Iterable[Table], finer: Sequence[Subset]) -> tuple[Table, ...]:
    """The tables with each attribute replaced by the finer ones; cells stay row-major, for these are in order."""
    if all(group == (place,) for place, group in enumerate(finer)):
        return tuple(tables)
    return tuple(
        replace(table, attributes=tuple(place for attribute in table.attributes for place in finer[attribute]))
        for table in tables
    )
