"""Marginals: counts over combinations of attributes. Cells are row-major: the first attribute is slowest."""

from __future__ import annotations

import itertools
import math
from abc import abstractmethod
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from lowkey.checks import Matrix, Vector, check_size
from lowkey.errors import InvalidInput, TooLarge
from lowkey.workloads.base import DENSE_LIMIT, Indices, Workload, check_shape
from lowkey.workloads.interactions import Table
from lowkey.workloads.wording import Axis, Numbered, aligned, both, unravel

SUBSET_LIMIT = 2**20
ATTRIBUTE_LIMIT = 60  # where vectors over the domain are made: an array has at most 64 dimensions


class Marginals(Workload):
    """For each of some subsets of the attributes, how many people have each combination of their values.

    Queries are ordered by subset, then by the subset's cells, row-major.
    """

    def __init__(self, name: str, sizes: object, degrees: Sequence[int] | None = None) -> None:
        self.name = name
        self._sizes = _check_sizes(sizes)
        chosen = range(len(self.sizes) + 1) if degrees is None else degrees
        self.subsets = attribute_subsets(len(self.sizes), chosen)
        totals = itertools.accumulate(math.prod(self._sizes_of(subset)) for subset in self.subsets)
        offsets = [0, *totals]
        self.shape = check_shape(offsets[-1], math.prod(self.sizes))
        self._offsets = np.array(offsets, dtype=np.int64)

    @abstractmethod
    def _agreement_gram(self) -> Vector:
        """The entry of WᵀW for two cells that agree in a attributes, for a = 0..d."""

    @property
    def sizes(self) -> tuple[int, ...]:
        return self._sizes

    def tables(self) -> tuple[Table, ...]:
        return tuple(
            Table(subset, 1.0, start) for subset, start in zip(self.subsets, self._offsets.tolist(), strict=False)
        )

    @property
    def axes(self) -> tuple[Axis, ...]:
        return tuple(Numbered(place, size) for place, size in enumerate(self.sizes))

    def _sizes_of(self, subset: Sequence[int]) -> tuple[int, ...]:
        return tuple(self.sizes[attribute] for attribute in subset)

    def _others(self, subset: Sequence[int]) -> tuple[int, ...]:
        return tuple(attribute for attribute in range(len(self.sizes)) if attribute not in subset)

    def _matvec(self, x: Matrix) -> Matrix:
        table = x.reshape(*self.sizes, x.shape[1])
        parts = (table.sum(axis=self._others(subset)).reshape(-1, x.shape[1]) for subset in self.subsets)
        return np.concatenate(list(parts))

    def _rmatvec(self, v: Matrix) -> Matrix:
        table = np.zeros((*self.sizes, v.shape[1]))
        for subset, start, stop in zip(self.subsets, self._offsets[:-1], self._offsets[1:], strict=True):
            part = v[start:stop].reshape(*self._sizes_of(subset), v.shape[1])
            table += np.expand_dims(part, self._others(subset))
        return table.reshape(-1, v.shape[1])

    def _locate(self, queries: Indices) -> tuple[Indices, Indices]:
        """For each query, the number of its subset and the cell of that subset's table."""
        subset = np.searchsorted(self._offsets, queries, side="right") - 1
        return subset, queries - self._offsets[subset]

    def _rows(self, queries: Indices) -> Matrix:
        rows = np.empty((queries.size, self.shape[1]))
        numbers, cells = self._locate(queries)
        for number in np.unique(numbers):
            mine = numbers == number
            rows[mine] = cells[mine, None] == self._cells_in(self.subsets[number])
        return rows

    def _cells_in(self, subset: Sequence[int]) -> Indices:
        """For each cell of the domain, the cell of the subset's table that it falls into."""
        sizes = self._sizes_of(subset)
        table = np.arange(math.prod(sizes)).reshape(sizes)
        return np.broadcast_to(np.expand_dims(table, self._others(subset)), self.sizes).reshape(-1)

    def _gram(self) -> Matrix:
        agreement = np.zeros((1, 1), dtype=np.uint8)
        for size in self.sizes:
            same = np.eye(size, dtype=np.uint8)
            cells = agreement.shape[0] * size
            agreement = (agreement[:, None, :, None] + same[None, :, None, :]).reshape(cells, cells)
        return self._agreement_gram()[agreement]

    def _gram_diagonal(self) -> Vector:
        return np.full(self.shape[1], self._agreement_gram()[-1])

    def _variances(self, covariance: Matrix) -> Vector:
        """One attribute after the other is summed over (place 0 of its axis) or kept (places 1, 2, …)."""
        d = len(self.sizes)
        table = covariance.reshape(*self.sizes, *self.sizes)
        for axis in range(d):  # the attribute's second axis is number d: those before are merged
            summed = np.expand_dims(table.sum(axis=(axis, d)), axis)
            kept = np.moveaxis(np.diagonal(table, axis1=axis, axis2=d), -1, axis)
            table = np.concatenate([summed, kept], axis=axis)
        parts = [table[tuple(slice(1, None) if i in subset else 0 for i in range(d))] for subset in self.subsets]
        return np.concatenate([part.reshape(-1) for part in parts])

    def describe(self, query: int, axes: Sequence[Axis]) -> str:
        numbers, cells = self._locate(np.array([query], dtype=np.intp))
        subset = self.subsets[numbers[0]]
        fitted = aligned(axes, self.axes)
        values = unravel(int(cells[0]), self._sizes_of(subset))
        return both(fitted[place].value(value) for place, value in zip(subset, values, strict=True))

    def descriptions(self, axes: Sequence[Axis]) -> Iterator[str]:
        words = [[axis.value(place) for place in range(axis.size)] for axis in aligned(axes, self.axes)]
        for subset in self.subsets:
            yield from map(both, itertools.product(*(words[attribute] for attribute in subset)))


class AllMarginals(Marginals):
    """Every subset of the attributes, the empty one (the total) too. WᵀW is the Kronecker product of I+J."""

    def __init__(self, sizes: object) -> None:
        super().__init__("all marginals", sizes)

    def _agreement_gram(self) -> Vector:
        return np.exp2(np.arange(len(self.sizes) + 1))

    def _gram_matvec(self, x: Matrix) -> Matrix:
        table = x.reshape(*self.sizes, x.shape[1])
        for axis in range(len(self.sizes)):
            table = table + table.sum(axis=axis, keepdims=True)
        return table.reshape(x.shape)

    def document(self) -> dict[str, object]:
        return {"kind": "all_marginals", "sizes": list(self.sizes)}


class KWayMarginals(Marginals):
    """The subsets of exactly k attributes: cells that agree in a of them share C(a, k) queries."""

    def __init__(self, sizes: object, k: object) -> None:
        self.k = check_degree(k, len(_check_sizes(sizes)))
        super().__init__(f"{self.k}-way marginals", sizes, [self.k])

    def _agreement_gram(self) -> Vector:
        return np.array([math.comb(agreeing, self.k) for agreeing in range(len(self.sizes) + 1)], dtype=float)

    def _gram_matvec(self, x: Matrix) -> Matrix:
        """WᵀW is the coefficient of zᵏ in the Kronecker product of zI + J: one table a power of z."""
        table = x.reshape(*self.sizes, x.shape[1])
        none = np.zeros((1,) * table.ndim)
        powers = [table] + [none] * self.k
        for axis in range(len(self.sizes)):
            lower = [none, *powers[:-1]]
            summed = [power.sum(axis=axis, keepdims=True) for power in powers]
            powers = [left_out + taken for left_out, taken in zip(summed, lower, strict=True)]
        return np.broadcast_to(powers[self.k], table.shape).reshape(x.shape).copy()

    def document(self) -> dict[str, object]:
        return {"kind": "k_way_marginals", "sizes": list(self.sizes), "k": self.k}


def attribute_subsets(d: int, degrees: Sequence[int]) -> list[tuple[int, ...]]:
    """The subsets of d attributes with these numbers of members, in that order."""
    number = sum(math.comb(d, degree) for degree in degrees)
    if number > SUBSET_LIMIT:
        advice = "Use a smaller k or fewer attributes."
        raise TooLarge("the workload", f"{number:,} sets of attributes", f"at most {SUBSET_LIMIT:,}", advice)
    return [subset for degree in degrees for subset in itertools.combinations(range(d), degree)]


def _check_sizes(sizes: object) -> tuple[int, ...]:
    expected = "a list of the attributes' sizes, such as [2, 3, 2]"
    if isinstance(sizes, str | bytes) or not isinstance(sizes, Iterable):
        raise InvalidInput("sizes", sizes, expected)
    checked = tuple(check_size("the size of an attribute", size) for size in sizes)
    if not checked:
        raise InvalidInput("sizes", checked, f"{expected}, of at least one attribute")
    if len(checked) > ATTRIBUTE_LIMIT and math.prod(checked) <= DENSE_LIMIT:  # all the others have one value
        advice = "Leave out attributes that have a single value."
        raise InvalidInput("sizes", checked, f"{expected}, of 1 to {ATTRIBUTE_LIMIT} attributes", advice)
    return checked


def check_degree(k: object, d: int) -> int:
    degree = check_size("k", k, minimum=0)
    if degree > d:
        raise InvalidInput("k", degree, f"at most {d}, the number of attributes")
    return degree


def all_marginals(sizes: Sequence[int]) -> AllMarginals:
    """The marginals over every subset of attributes with these sizes; the first query is the total.

    >>> list(all_marginals([2, 2]).labels)[:4]
    ['everyone', 'attribute 0 = 0', 'attribute 0 = 1', 'attribute 1 = 0']
    """
    return AllMarginals(sizes)


def k_way_marginals(sizes: Sequence[int], k: int) -> KWayMarginals:
    """The marginals over every set of exactly k attributes.

    >>> k_way_marginals([2, 3, 4], 2)
    <KWayMarginals '2-way marginals': 26 queries over 24 cells>
    """
    return KWayMarginals(sizes, k)
