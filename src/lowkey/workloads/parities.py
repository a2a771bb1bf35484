"""Parities of binary attributes: the characters of low degree, through the fast Walsh–Hadamard transform."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property

import numpy as np

from lowkey.checks import Matrix, Vector, check_size
from lowkey.workloads.base import Indices, Workload
from lowkey.workloads.interactions import Table
from lowkey.workloads.marginals import attribute_subsets, check_degree
from lowkey.workloads.wording import EVERYONE, Axis, Numbered, aligned


class Parity(Workload):
    """The characters χ_S(u) = (−1)^|S ∧ u| of degree |S| ≤ k over 2ᵈ cells, by degree, then by attributes."""

    def __init__(self, d: object, k: object) -> None:
        self.d = check_size("d, the number of binary attributes", d)
        self.k = check_degree(k, self.d)
        self.subsets = attribute_subsets(self.d, range(self.k + 1))
        self.name = f"parities of up to {self.k} attributes"
        self.shape = (len(self.subsets), 2**self.d)

    @cached_property
    def _characters(self) -> Indices:
        """The subsets as cells: the first attribute is the highest bit."""
        bits = (sum(1 << self.d - 1 - attribute for attribute in subset) for subset in self.subsets)
        return np.fromiter(bits, dtype=np.intp)

    @property
    def sizes(self) -> tuple[int, ...]:
        return (2,) * self.d

    def tables(self) -> tuple[Table, ...]:
        return tuple(Table(subset, 1.0, place, is_parity=True) for place, subset in enumerate(self.subsets))

    @property
    def axes(self) -> tuple[Axis, ...]:
        return tuple(Numbered(place, 2) for place in range(self.d))

    def _matvec(self, x: Matrix) -> Matrix:
        return _walsh_hadamard(x)[self._characters]

    def _rmatvec(self, v: Matrix) -> Matrix:
        spectrum = np.zeros((self.shape[1], v.shape[1]))
        spectrum[self._characters] = v
        return _walsh_hadamard(spectrum)

    def _rows(self, queries: Indices) -> Matrix:
        shared = np.bitwise_count(self._characters[queries, None] & np.arange(self.shape[1]))
        return np.where(shared % 2, -1.0, 1.0)

    def _gram(self) -> Matrix:
        """G[u, v] depends on the Hamming distance of u and v alone: a sum of Krawtchouk polynomials."""
        distances = range(self.d + 1)
        sums = [sum(_krawtchouk(degree, h, self.d) for degree in range(self.k + 1)) for h in distances]
        cells = np.arange(self.shape[1])
        return np.array(sums, dtype=np.float64)[np.bitwise_count(np.bitwise_xor.outer(cells, cells))]

    def _gram_diagonal(self) -> Vector:
        return np.full(self.shape[1], float(self.shape[0]))

    def describe(self, query: int, axes: Sequence[Axis]) -> str:
        fitted = aligned(axes, self.axes)
        names = [fitted[place].name for place in self.subsets[query]]
        return f"parity of {', '.join(names)}" if names else EVERYONE

    def document(self) -> dict[str, object]:
        return {"kind": "parity", "d": self.d, "k": self.k}


def _krawtchouk(degree: int, distance: int, d: int) -> int:
    """The sum of χ_S over the sets S of one degree, at a cell with `distance` ones."""
    return sum((-1) ** i * math.comb(distance, i) * math.comb(d - distance, degree - i) for i in range(degree + 1))


def _walsh_hadamard(x: Matrix) -> Matrix:
    """Σ_u (−1)^|S ∧ u| x_u for every S, along the first axis."""
    table = x
    half = x.shape[0] // 2
    while half:
        pairs = table.reshape(-1, 2, half, x.shape[1])
        table = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1)
        half //= 2
    return table.reshape(x.shape)


def parity(d: int, k: int) -> Parity:
    """The parities of every set of at most k of d binary attributes, the constant included.

    >>> parity(2, 1).to_dense()
    array([[ 1.,  1.,  1.,  1.],
           [ 1.,  1., -1., -1.],
           [ 1., -1.,  1., -1.]])
    """
    return Parity(d, k)
