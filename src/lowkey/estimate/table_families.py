"""Families of tables that agree with each other, in orthonormal coordinates.

In the product of orthonormal bases whose first vector is constant, the coefficients of a table over T that are not
constant in exactly S ⊆ T are z_S/√n_T, with one z_S for all tables that hold S: this is what it means that they agree.
z_∅ is the total. So the distance of two families with that total is Σ_S g_S ‖z_S − z'_S‖², g_S of `interactions`, and
y_S = √g_S z_S are coordinates in which it is ‖y − y'‖². With the tables written as weight × cells:

    cells(y) = u + B y,   u: the uniform tables,   BᵀB = I,   so Bᵀ(tables) are the coordinates nearest to any tables.

A parity is a table of two cells, (total ± z_S)/2, of √2 its weight.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from lowkey.analysis.attribute_sets import AttributeSets, with_parts
from lowkey.checks import Matrix, Vector
from lowkey.estimate.table_blocks import TableBlock, table_blocks
from lowkey.mechanisms.places import Numbers
from lowkey.mechanisms.ranks import subset_ranks
from lowkey.workloads.interactions import Table

MERGED_CELLS = 32


@dataclass(frozen=True)
class _Tables:
    """A block's tables as arrays (axes…, count): the interactions behind each coefficient, weights over √n_T."""

    block: TableBlock
    sources: Numbers
    scales: Vector
    bases: tuple[Matrix, ...]

    def cells(self, interactions: Vector) -> Matrix:
        """Weight × cells."""
        return _along_axes(self.scales * interactions[self.sources], [basis.T for basis in self.bases])

    def scattered(self, cells: Matrix, count: int) -> Vector:
        """The transpose."""
        coefficients = self.scales * _along_axes(cells.reshape(self.sources.shape), self.bases)
        sums: Vector = np.bincount(self.sources.ravel(), weights=coefficients.ravel(), minlength=count)  # type: ignore[assignment]
        return sums

    def read(self, answers: Vector, total: float) -> Matrix:
        """These tables' cells in the answers."""
        if not _is_parity(self.block):
            found = self.block.take(answers, self.sources.shape[:-1])
            return np.moveaxis(np.sign(self.block.weights).reshape(-1, *[1] * (found.ndim - 1)) * found, 0, -1)
        parity = self.block.take(answers, [1] * self.block.attributes.shape[1]).ravel() / self.block.weights
        return math.sqrt(0.5) * np.abs(self.block.weights) * np.stack([total + parity, total - parity])

    def write(self, cells: Matrix, answers: Vector) -> None:
        """The inverse of `read`."""
        table = np.moveaxis(cells.reshape(self.sources.shape), -1, 0)
        if not _is_parity(self.block):
            self.block.put(table, np.sign(self.block.weights), answers)
            return
        parity = math.sqrt(0.5) * (table[:, 0] - table[:, 1])
        self.block.put(parity.reshape(-1, *[1] * self.block.attributes.shape[1]), np.sign(self.block.weights), answers)


class TableFamilies:
    """The families of these tables with this total; `uniform` is the one in which all cells of a table are alike."""

    def __init__(self, sizes: Sequence[int], tables: Sequence[Table], total: float) -> None:
        blocks = table_blocks(tables, sizes, sizes)
        sets = AttributeSets(sizes, (part for block in blocks for part in _interactions(block)))
        places = _Places(sizes, sets)
        self.total = total
        self.count = places.count
        self._tables = [_tables(block, sizes, places) for block in blocks]
        self._units = np.zeros(self.count)
        self._units[1:] = 1 / np.sqrt(self._weights()[1:])
        everyone = np.zeros(self.count)
        everyone[0] = total
        self.uniform = self._cells(everyone)

    def cells(self, y: Vector) -> Vector:
        """B y: of all tables, one after the other."""
        return self._cells(self._units * y)

    def transposed(self, cells: Vector) -> Vector:
        """Bᵀ cells."""
        total = np.zeros(self.count)
        for tables, part in zip(self._tables, self._parts(cells), strict=True):
            total += tables.scattered(part, self.count)
        return self._units * total

    def nearest(self, answers: Vector) -> Vector:
        """The coordinates of the family whose answers are nearest to these."""
        parts = [tables.read(answers, self.total).ravel() for tables in self._tables]
        return self.transposed(np.concatenate([np.zeros(0), *parts]))

    def answers(self, cells: Vector, queries: int) -> Vector:
        """The tables' cells as the answers to the queries."""
        answers = np.zeros(queries)
        for tables, part in zip(self._tables, self._parts(cells), strict=True):
            tables.write(part, answers)
        return answers

    def _cells(self, interactions: Vector) -> Vector:
        return np.concatenate([np.zeros(0), *(tables.cells(interactions).ravel() for tables in self._tables)])

    def _parts(self, cells: Vector) -> list[Vector]:
        return np.split(cells, np.cumsum([tables.sources.size for tables in self._tables])[:-1]) if self._tables else []

    def _weights(self) -> Vector:
        """g_S of every coordinate, all above 0."""
        weights = np.zeros(self.count)
        for tables in self._tables:
            squares = np.broadcast_to(tables.scales**2, tables.sources.shape)
            weights += np.bincount(tables.sources.ravel(), weights=squares.ravel(), minlength=self.count)
        return weights


class _Places:
    """Where z_S of each set stands among all interactions; number 0 is z_∅."""

    def __init__(self, sizes: Sequence[int], sets: AttributeSets) -> None:
        self._sizes = np.array(sizes)
        self._groups = sets.groups
        self._starts: dict[tuple[int, ...], int] = {}
        self.count = 1
        for kind, group in sets.groups.items():
            self._starts[kind] = self.count
            self.count += len(group.ranks) * math.prod(size - 1 for size in kind)

    def of(self, attributes: Numbers) -> Numbers:
        """Of sets (count, q) of one type, q ≥ 1: numbers (n − 1 for each axis…, count)."""
        kind = tuple(self._sizes[attributes[0]].tolist())
        shape = [size - 1 for size in kind]
        _, rows = self._groups[kind].find(subset_ranks(attributes))
        own = np.arange(math.prod(shape)).reshape(*shape, 1)
        numbers: Numbers = self._starts[kind] + rows * math.prod(shape) + own
        return numbers


def _is_parity(block: TableBlock) -> bool:
    """The parity of no attributes is the total, as the marginal is."""
    return block.is_parity and block.attributes.shape[1] > 0


def _interactions(block: TableBlock) -> list[Numbers]:
    return [block.attributes] if _is_parity(block) else list(with_parts([block.attributes]))


def _tables(block: TableBlock, sizes: Sequence[int], places: _Places) -> _Tables:
    if _is_parity(block):
        signs = places.of(block.attributes).reshape(1, -1)
        return _Tables(block, np.concatenate([0 * signs, signs]), np.abs(block.weights), (_basis(2),))
    shape = tuple(sizes[attribute] for attribute in block.attributes[0])
    sources = np.zeros((*shape, len(block.starts)), dtype=np.int64)
    for corner in np.ndindex(*[2] * len(shape)):
        if any(corner):
            part = places.of(block.attributes[:, np.flatnonzero(corner)])
            sources[tuple(slice(1, None) if there else 0 for there in corner)] = part
    return _Tables(block, sources, np.abs(block.weights) / math.sqrt(math.prod(shape)), _merged(map(_basis, shape)))


def _basis(size: int) -> Matrix:
    """Helmert's orthonormal rows: a constant one, then each value against the mean of those before it."""
    basis = np.tril(np.ones((size, size)), -1) - np.diag(np.arange(size, dtype=np.float64))
    basis[0] = 1
    basis /= np.linalg.norm(basis, axis=1, keepdims=True)
    return basis


def _merged(matrices: Iterable[Matrix]) -> tuple[Matrix, ...]:
    """Neighbours as one Kronecker product while it is small: few passes over many small tables."""
    merged: list[Matrix] = []
    for matrix in matrices:
        if merged and len(merged[-1]) * len(matrix) <= MERGED_CELLS:
            merged[-1] = np.kron(merged[-1], matrix).astype(np.float64, copy=False)
        else:
            merged.append(matrix)
    return tuple(merged)


def _along_axes(array: Matrix, matrices: Sequence[Matrix]) -> Matrix:
    """Each matrix applied along its axes, from the first."""
    shape, before = array.shape, 1
    for matrix in matrices:
        array = matrix @ array.reshape(before, len(matrix), -1)
        before *= len(matrix)
    return array.reshape(shape)
