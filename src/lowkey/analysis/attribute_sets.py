"""Sets of attributes by the thousand, as arrays: grouped by type, found by their rank."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lowkey.errors import TooLarge
from lowkey.mechanisms.places import Numbers
from lowkey.mechanisms.ranks import MOST_RANKS, subset_ranks, subsets_of

Type = tuple[int, ...]


@dataclass(frozen=True)
class SetGroup:
    """Sets (count, q) of one type: their attributes, ascending, have these classes. Sorted by rank."""

    type: Type
    attributes: Numbers
    ranks: Numbers

    @property
    def example(self) -> tuple[int, ...]:
        return tuple(self.attributes[0].tolist())

    def find(self, ranks: Numbers) -> tuple[Numbers, Numbers]:
        """Which of these ranks are in the group, and in which rows of it."""
        rows = np.minimum(np.searchsorted(self.ranks, ranks), len(self.ranks) - 1)
        there = np.flatnonzero(self.ranks[rows] == ranks)
        return there, rows[there]


class AttributeSets:
    """Non-empty sets of attributes: `groups` by type, a class for each attribute in ascending order."""

    def __init__(self, classes: Sequence[int], sets: Iterable[Numbers]) -> None:
        by_degree: dict[int, list[Numbers]] = {}
        for array in sets:
            if array.shape[1] and len(array):
                _refuse_many(len(classes), array.shape[1])
                by_degree.setdefault(array.shape[1], []).append(np.unique(subset_ranks(array)))
        self.groups: dict[Type, SetGroup] = {}
        for degree, ranks in by_degree.items():
            for group in _groups(classes, degree, np.unique(np.concatenate(ranks))):
                self.groups[group.type] = group

    @property
    def degrees(self) -> list[int]:
        return sorted({len(kind) for kind in self.groups})


def with_parts(sets: Iterable[Numbers]) -> Iterator[Numbers]:
    """The sets (count, q) and all their non-empty subsets, many of them more than once."""
    for array in sets:
        for degree in range(1, array.shape[1] + 1):
            for places in itertools.combinations(range(array.shape[1]), degree):
                yield array[:, places]


def distinct_rows(rows: Numbers) -> Iterator[Numbers]:
    """The numbers of equal rows of a matrix of small whole numbers, together."""
    codes = np.zeros(len(rows), dtype=np.int64)
    for column in rows.T:
        codes = codes * (int(column.max(initial=0)) + 1) + column
        if codes.max(initial=0) > 2**31:
            codes = np.unique(codes, return_inverse=True)[1]
    if len(codes) and codes.min() == codes.max():
        yield np.arange(len(codes))
        return
    order = np.argsort(codes, kind="stable")
    yield from np.split(order, np.flatnonzero(np.diff(codes[order])) + 1) if len(order) else ()


def _groups(classes: Sequence[int], degree: int, ranks: Numbers) -> Iterator[SetGroup]:
    attributes = subsets_of(ranks, degree, len(classes))
    kinds = np.array(classes)[attributes]
    for rows in distinct_rows(kinds):
        yield SetGroup(tuple(kinds[rows[0]].tolist()), attributes[rows], ranks[rows])


def _refuse_many(attributes: int, degree: int) -> None:
    count = math.comb(attributes, degree)
    if count > MOST_RANKS:
        advice = "Ask about fewer attributes together."
        raise TooLarge("the number of sets of attributes", f"{attributes} choose {degree}", "at most 2^62", advice)
