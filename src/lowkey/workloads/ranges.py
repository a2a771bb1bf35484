"""Counts of contiguous cells: histogram, prefix, ranges."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
from scipy.linalg import matmul_toeplitz, toeplitz

from lowkey.checks import Matrix, Vector, check_size
from lowkey.errors import InvalidInput
from lowkey.workloads.base import Indices, Workload, check_domain, check_shape
from lowkey.workloads.interactions import Table
from lowkey.workloads.wording import Axis, aligned, stretch


class Histogram(Workload):
    """Query i counts cell i: the identity matrix."""

    def __init__(self, n: object) -> None:
        size = check_size("the number of cells", n)
        self.name = "histogram"
        self.shape = check_shape(size, size)

    def tables(self) -> tuple[Table, ...]:
        return (Table((0,), 1.0, 0),)

    def _matvec(self, x: Matrix) -> Matrix:
        return x.copy()

    def _rmatvec(self, v: Matrix) -> Matrix:
        return v.copy()

    def _rows(self, queries: Indices) -> Matrix:
        rows = np.zeros((queries.size, self.shape[1]))
        rows[np.arange(queries.size), queries] = 1.0
        return rows

    def _gram(self) -> Matrix:
        return np.eye(self.shape[1])

    def _gram_diagonal(self) -> Vector:
        return np.ones(self.shape[1])

    def _variances(self, covariance: Matrix) -> Vector:
        return covariance.diagonal().copy()

    def describe(self, query: int, axes: Sequence[Axis]) -> str:
        return aligned(axes, self.axes)[0].value(query)

    def document(self) -> dict[str, object]:
        return {"kind": "histogram", "n": self.shape[1]}


class Prefix(Workload):
    """Query i counts the cells 0..i: the empirical cumulative distribution."""

    def __init__(self, n: object) -> None:
        size = check_domain(n)
        self.name = "prefix"
        self.shape = (size, size)

    def _matvec(self, x: Matrix) -> Matrix:
        return np.cumsum(x, axis=0)

    def _rmatvec(self, v: Matrix) -> Matrix:
        return _sums_from(v)

    def _rows(self, queries: Indices) -> Matrix:
        return (np.arange(self.shape[1]) <= queries[:, None]).astype(np.float64)

    def _gram(self) -> Matrix:
        return np.minimum.outer(self._gram_diagonal(), self._gram_diagonal())

    def _gram_diagonal(self) -> Vector:
        return np.arange(self.shape[1], 0, -1, dtype=np.float64)

    def _variances(self, covariance: Matrix) -> Vector:
        return _corner_sums(covariance).diagonal()[1:].copy()

    def describe(self, query: int, axes: Sequence[Axis]) -> str:
        return stretch(aligned(axes, self.axes)[0], 0, query)

    def document(self) -> dict[str, object]:
        return {"kind": "prefix", "n": self.shape[1]}


class Ranges(Workload):
    """Every contiguous range of min_width to max_width cells, ordered by first cell, then by last."""

    def __init__(self, n: object, min_width: object = 1, max_width: object = None) -> None:
        size = check_domain(n)
        self.min_width = check_size("min_width", min_width)
        self.max_width = size if max_width is None else check_size("max_width", max_width)
        if not self.min_width <= self.max_width <= size:
            arrived = f"{self.min_width} to {self.max_width}"
            raise InvalidInput("the widths of the ranges", arrived, f"rising and at most the {size} cells")
        starts = np.arange(size - self.min_width + 1, dtype=np.int64)
        widths = np.minimum(self.max_width, size - starts) - self.min_width + 1
        self._offsets = np.concatenate([[0], np.cumsum(widths)])  # of each first cell's queries
        self.name = self._name()
        self.shape = (int(self._offsets[-1]), size)

    def _name(self) -> str:
        if self.min_width == self.max_width:
            return f"ranges of {self.min_width} cells"
        return f"ranges of {self.min_width} to {self.max_width} cells"

    def _matvec(self, x: Matrix) -> Matrix:
        sums = np.concatenate([np.zeros((1, x.shape[1])), np.cumsum(x, axis=0)])
        answers = np.empty((self.shape[0], x.shape[1]))
        for first, (start, stop) in self._segments():
            end = first + self.min_width
            np.subtract(sums[end : end + stop - start], sums[first], out=answers[start:stop])
        return answers

    def _rmatvec(self, v: Matrix) -> Matrix:
        steps = np.zeros(
            (self.shape[1] + 1, v.shape[1])
        )  # what a range adds at its first cell, it takes after its last
        for first, (start, stop) in self._segments():
            end = first + self.min_width
            steps[first] += v[start:stop].sum(axis=0)
            steps[end : end + stop - start] -= v[start:stop]
        return np.cumsum(steps, axis=0)[:-1]

    def _variances(self, covariance: Matrix) -> Vector:
        """Each range's square of the covariance, from its corners' sums."""
        sums = _corner_sums(covariance)
        corners = sums.diagonal()
        variances = np.empty(self.shape[0])
        for first, (start, stop) in self._segments():
            ends = slice(first + self.min_width, first + self.min_width + stop - start)
            variances[start:stop] = corners[ends] + corners[first] - sums[first, ends] - sums[ends, first]
        return variances

    def _segments(self) -> enumerate[tuple[int, int]]:
        """(first cell, the first and the end of its queries)."""
        return enumerate(pairwise(self._offsets.tolist()))

    def _bounds(self, queries: Indices) -> tuple[Indices, Indices]:
        """The first and last cell of each query."""
        first = np.searchsorted(self._offsets, queries, side="right") - 1
        return first, first + self.min_width - 1 + queries - self._offsets[first]

    def _rows(self, queries: Indices) -> Matrix:
        first, last = self._bounds(queries)
        cells = np.arange(self.shape[1])
        return ((first[:, None] <= cells) & (cells <= last[:, None])).astype(np.float64)

    def _gram_parts(self) -> tuple[Vector, Vector]:
        """Vectors t and u with G[i, j] = t[|i−j|] − u[max(i, j)] − u[n−1−min(i, j)].

        Ranges of at most M cells that hold i ≤ j are the lattice points (l, r), l ≤ i steps left of i and
        r ≤ n−1−j right of j, with l + r ≤ M−1−(j−i): inclusion and exclusion of triangular numbers.
        """
        distance = np.arange(self.shape[1])
        wide, narrow = self.max_width - 1, self.min_width - 2
        return (
            _triangular(wide - distance) - _triangular(narrow - distance),
            _triangular(wide - 1 - distance) - _triangular(narrow - 1 - distance),
        )

    def _gram(self) -> Matrix:
        within, beyond = self._gram_parts()
        return toeplitz(within) - np.minimum.outer(beyond, beyond) - np.minimum.outer(beyond[::-1], beyond[::-1])

    def _gram_matvec(self, x: Matrix) -> Matrix:
        within, beyond = self._gram_parts()
        right = _later_matvec(beyond, x)
        left = _later_matvec(beyond, x[::-1])[::-1]
        return np.asarray(matmul_toeplitz(within, x) - right - left)

    def _gram_diagonal(self) -> Vector:
        within, beyond = self._gram_parts()
        return np.asarray(within[0] - beyond - beyond[::-1])

    def describe(self, query: int, axes: Sequence[Axis]) -> str:
        first, last = self._bounds(np.array([query], dtype=np.intp))
        return stretch(aligned(axes, self.axes)[0], int(first[0]), int(last[0]))

    def document(self) -> dict[str, object]:
        n = self.shape[1]
        return {"kind": "ranges", "n": n, "min_width": self.min_width, "max_width": self.max_width}


class AllRange(Ranges):
    """All n(n+1)/2 contiguous ranges: G[i, j] = (min(i, j) + 1)(n − max(i, j))."""

    def __init__(self, n: object) -> None:
        super().__init__(n)

    def _name(self) -> str:
        return "all ranges"

    def _ways(self) -> tuple[Vector, Vector]:
        """How many ends a range through cell i can have on the left, and on the right."""
        left = np.arange(1.0, self.shape[1] + 1)
        return left, left[::-1]

    def _gram(self) -> Matrix:
        left, right = self._ways()
        return np.asarray(np.minimum.outer(left, left) * np.minimum.outer(right, right))

    def _gram_matvec(self, x: Matrix) -> Matrix:
        left, right = (ways[:, None] for ways in self._ways())
        after = right * x
        return right * np.cumsum(left * x, axis=0) + left * (_sums_from(after) - after)

    def _gram_diagonal(self) -> Vector:
        left, right = self._ways()
        return left * right

    def document(self) -> dict[str, object]:
        return {"kind": "all_range", "n": self.shape[1]}


def _triangular(value: Indices) -> Vector:
    """The number of points (l, r) ≥ 0 with l + r ≤ value."""
    clipped = np.maximum(value, -1).astype(np.float64)
    return (clipped + 1) * (clipped + 2) / 2


def _corner_sums(matrix: Matrix) -> Matrix:
    """At (i, j), the sum of the entries of the first i rows and j columns."""
    sums = np.zeros((len(matrix) + 1, len(matrix) + 1))
    np.cumsum(np.cumsum(matrix, axis=0), axis=1, out=sums[1:, 1:])
    return sums


def _sums_from(x: Matrix) -> Matrix:
    """For each row, the sum of it and all later ones."""
    return np.cumsum(x[::-1], axis=0)[::-1]


def _later_matvec(weights: Vector, x: Matrix) -> Matrix:
    """Σ_j weights[max(i, j)] x_j for every i."""
    weighted = weights[:, None] * x
    return weights[:, None] * np.cumsum(x, axis=0) + _sums_from(weighted) - weighted


def histogram(n: int) -> Histogram:
    """How many people are in each of n cells.

    >>> histogram(3).to_dense()
    array([[1., 0., 0.],
           [0., 1., 0.],
           [0., 0., 1.]])
    """
    return Histogram(n)


def prefix(n: int) -> Prefix:
    """How many people are in the cells 0..i, for each i.

    >>> prefix(3).matvec([5, 1, 2])
    array([5., 6., 8.])
    """
    return Prefix(n)


def all_range(n: int) -> AllRange:
    """How many people are in each of the n(n+1)/2 contiguous ranges of cells.

    >>> all_range(1024)
    <AllRange 'all ranges': 524,800 queries over 1,024 cells>
    """
    return AllRange(n)


def ranges(n: int, min_width: int = 1, max_width: int | None = None) -> Ranges:
    """The contiguous ranges of at least min_width and at most max_width cells (None: all n).

    >>> list(ranges(4, max_width=2).labels)[:4]
    ['cell 0', 'cells 0 to 1', 'cell 1', 'cells 1 to 2']
    """
    return Ranges(n, min_width, max_width)
