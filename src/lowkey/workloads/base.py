"""Workload: p linear queries over n cells, used as a p×n matrix that is never stored."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, overload

import numpy as np

from lowkey.checks import Matrix, Vector, check_vector
from lowkey.errors import TooLarge

if TYPE_CHECKING:
    from lowkey.schema import Schema

DENSE_LIMIT = 2**28  # entries: 2 GiB of doubles
BLOCK_ENTRIES = 2**22  # entries of one block of rows: 32 MiB


class Labels(Sequence[str]):
    """The queries' names, each made when asked for: half a million of them cost nothing."""

    def __init__(self, size: int, label: Callable[[int], str]) -> None:
        self._size = size
        self._label = label

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self._label(i) for i in range(*index.indices(self._size))]
        if not -self._size <= index < self._size:
            raise IndexError(f"query {index} of {self._size}")
        return self._label(index % self._size)


@dataclass(frozen=True)
class Family:
    """Queries that belong together, as they stand in the whole workload: rows start..stop hold weight × workload."""

    name: str
    workload: Workload
    weight: float
    start: int
    stop: int


class Workload(ABC):
    """p linear queries w_i over a domain of n cells: the answer to query i on counts x is w_iᵀx.

    A subclass gives `shape`, `name`, `matvec`, `rmatvec`, `rows` and `label`, and overrides `_gram` (and
    `gram_diagonal`) where a closed form exists. Arrays may carry a second axis of independent columns.
    """

    name: str
    shape: tuple[int, int]

    # -- what a subclass gives -------------------------------------------------

    @abstractmethod
    def _matvec(self, x: Matrix) -> Matrix:
        """W x for x of shape (n, k)."""

    @abstractmethod
    def _rmatvec(self, v: Matrix) -> Matrix:
        """Wᵀ v for v of shape (p, k)."""

    @abstractmethod
    def rows(self, start: int, stop: int) -> Matrix:
        """Queries start..stop-1 as a dense block."""

    @abstractmethod
    def label(self, query: int) -> str:
        """What query number `query` asks, in words."""

    def _gram(self) -> Matrix:
        """WᵀW, by blocks of rows; overridden where there is a closed form."""
        total = np.zeros((self.shape[1], self.shape[1]))
        for _, block in self.blocks():
            total += block.T @ block
        return total

    @property
    def families(self) -> tuple[Family, ...]:
        """The parts of the workload that a reader wants to see apart."""
        return (Family(self.name, self, 1.0, 0, self.shape[0]),)

    # -- what everyone uses ----------------------------------------------------

    def matvec(self, x: object) -> Vector:
        """The answers W x; x has shape (n,) or (n, k)."""
        array = check_vector("x", x, self.shape[1])
        return self._matvec(array) if array.ndim == 2 else self._matvec(array[:, None])[:, 0]

    def rmatvec(self, v: object) -> Vector:
        """Wᵀ v; v has shape (p,) or (p, k)."""
        array = check_vector("v", v, self.shape[0])
        return self._rmatvec(array) if array.ndim == 2 else self._rmatvec(array[:, None])[:, 0]

    def gram(self) -> Matrix:
        """The n×n matrix WᵀW (computed once, read-only)."""
        return self._cached_gram

    def gram_diagonal(self) -> Vector:
        """The diagonal of WᵀW: for each cell, the sum of its squared coefficients."""
        return self.gram().diagonal().copy()

    def gram_row_sums(self) -> Vector:
        """WᵀW 1, without the Gram matrix."""
        return self.rmatvec(self.matvec(np.ones(self.shape[1])))

    def blocks(self) -> Iterator[tuple[int, Matrix]]:
        """(first row, dense block) over all queries, each block a few MiB."""
        p, n = self.shape
        step = max(1, BLOCK_ENTRIES // n)
        for start in range(0, p, step):
            yield start, self.rows(start, min(start + step, p))

    def to_dense(self) -> Matrix:
        """W itself; refused where it would not fit in memory."""
        p, n = self.shape
        if p * n > DENSE_LIMIT:
            raise TooLarge(
                "the dense workload",
                f"{p:,} × {n:,}",
                f"at most {DENSE_LIMIT:,} entries",
                "Use matvec, rmatvec, gram or blocks(), which never hold the whole matrix.",
            )
        return self.rows(0, p)

    @property
    def labels(self) -> Labels:
        """The queries' names."""
        return Labels(self.shape[0], self.label)

    def on(self, schema: Schema, *attributes: str) -> Workload:
        """The same queries asked of the named attributes of a schema (this workload's cells are theirs, in order)."""
        from lowkey.workloads.placement import place

        return place(self, schema, attributes)

    @cached_property
    def _cached_gram(self) -> Matrix:
        gram = np.ascontiguousarray(self._gram(), dtype=np.float64)
        gram.flags.writeable = False
        return gram

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.name!r}: {self.shape[0]:,} queries over {self.shape[1]:,} cells>"
