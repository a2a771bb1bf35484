"""Workload: p linear queries over n cells, used as a p×n matrix that is never stored."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from lowkey.checks import Matrix, Vector, check_size, check_vector
from lowkey.errors import InvalidInput, TooLarge, format_size
from lowkey.workloads.interactions import Interactions, Table, interactions_of
from lowkey.workloads.ordered import OrderedInteractions, Term, Terms, ordered_interactions_of, queries_on_one
from lowkey.workloads.wording import Axis, Cells, Labels

if TYPE_CHECKING:
    from lowkey.schema import Schema

DENSE_LIMIT = 2**28  # entries: 2 GiB of doubles
QUERY_LIMIT = 2**62  # beyond it a query's number is no longer an index
DOMAIN_ADVICE = (
    "Domains of this size are worked on by attribute sets: use tables() and interactions, and estimates of marginals "
    "from reports."
)
BLOCK_ENTRIES = 2**22  # entries of one block of rows: 32 MiB

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True)
class Family:
    """Queries that belong together; rows start..stop-1 of the whole workload are weight × `workload`."""

    name: str
    workload: Workload
    weight: float
    start: int
    stop: int


class Workload(ABC):
    """p linear queries w_i over a domain of n cells: the answer to query i on counts x is w_iᵀx.

    A subclass gives `name`, `shape`, `_matvec`, `_rmatvec`, `_rows`, `describe` and `document`, and
    overrides `_gram`, `_gram_matvec` and `_gram_diagonal` where a closed form exists, `sizes` and `tables` where
    the queries are marginals. Wherever a vector is taken, so is a matrix of independent columns.

    n may be any whole number, 2¹⁰⁰ for 100 yes-or-no questions: what needs a vector over the domain is then
    refused (TooLarge); tables, interactions, labels, families and documents are there.
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
    def _rows(self, queries: Indices) -> Matrix:
        """The queries with these numbers, dense, one a row: in any order, repeated or not."""

    @abstractmethod
    def describe(self, query: int, axes: Sequence[Axis]) -> str:
        """What query number `query` asks, in the words of `axes`, whose sizes multiply to n."""

    @abstractmethod
    def document(self) -> dict[str, object]:
        """What `workload_from_document` needs to rebuild the workload, as plain JSON values."""

    @property
    def axes(self) -> tuple[Axis, ...]:
        """The dimensions that the workload itself sees in its domain."""
        return (Cells(self.shape[1]),)

    @property
    def sizes(self) -> tuple[int, ...]:
        """The sizes of the attributes that `tables` speaks of; their product is n."""
        return (self.shape[1],)

    def tables(self) -> tuple[Table, ...] | None:
        """All queries as tables of marginals and parities over `sizes`; None where they are not (or far too many)."""
        return None

    def terms(self) -> Terms | None:
        """All queries as tables times queries on one more attribute; None where they are no such products."""
        tables = self.tables()
        if tables is not None:
            return (Term(None, None, tables),)
        return (queries_on_one(self),) if len(self.sizes) == 1 else None

    @property
    def schemas(self) -> tuple[Schema, ...]:
        """The schemas that queries were written for: none where only the number of cells matters."""
        return ()

    @property
    def families(self) -> tuple[Family, ...]:
        """The parts of the workload that a reader wants to see apart."""
        return (Family(self.name, self, 1.0, 0, self.shape[0]),)

    def descriptions(self, axes: Sequence[Axis]) -> Iterator[str]:
        """What each query asks, one after the other; overridden where that takes less than `describe` for each."""
        return (self.describe(query, axes) for query in range(self.shape[0]))

    def _gram(self) -> Matrix:
        """WᵀW, by blocks of rows; overridden where there is a closed form."""
        total = np.zeros((self.shape[1], self.shape[1]))
        for _, block in self.blocks():
            total += block.T @ block
        return total

    def _gram_diagonal(self) -> Vector:
        """The diagonal of WᵀW; overridden where it takes less than the matrix."""
        return self.gram().diagonal().copy()

    def _gram_matvec(self, x: Matrix) -> Matrix:
        """WᵀW x for x of shape (n, k); overridden where that takes less than p steps."""
        return self._rmatvec(self._matvec(x))

    def _variances(self, covariance: Matrix) -> Vector:
        """w_iᵀ C w_i, by blocks of rows: p n² steps; overridden where fewer do."""
        parts = [np.einsum("kn,kn->k", block @ covariance, block) for _, block in self.blocks()]
        return np.concatenate(parts)

    # -- what everyone uses ----------------------------------------------------

    def matvec(self, x: object) -> Vector:
        """The answers W x; x has shape (n,) or (n, k)."""
        self._refuse_vectors()
        array = check_vector("x", x, self.shape[1])
        return self._matvec(array) if array.ndim == 2 else self._matvec(array[:, None])[:, 0]

    def rmatvec(self, v: object) -> Vector:
        """Wᵀ v; v has shape (p,) or (p, k)."""
        self._refuse_vectors()
        array = check_vector("v", v, self.shape[0])
        return self._rmatvec(array) if array.ndim == 2 else self._rmatvec(array[:, None])[:, 0]

    def gram_matvec(self, x: object) -> Vector:
        """WᵀW x without the Gram matrix; x has shape (n,) or (n, k)."""
        self._refuse_vectors()
        array = check_vector("x", x, self.shape[1])
        return self._gram_matvec(array) if array.ndim == 2 else self._gram_matvec(array[:, None])[:, 0]

    def gram(self) -> Matrix:
        """The n×n matrix WᵀW (computed once, read-only)."""
        return self._cached_gram

    def gram_diagonal(self) -> Vector:
        """The diagonal of WᵀW: for each cell, the sum of its squared coefficients."""
        self._refuse_vectors()
        return self._gram_diagonal()

    def gram_row_sums(self) -> Vector:
        """WᵀW 1, without the Gram matrix."""
        self._refuse_vectors()
        return self.gram_matvec(np.ones(self.shape[1]))

    def variances(self, covariance: object) -> Vector:
        """w_iᵀ C w_i for every query: the variance of its answer if the cells' estimates have covariance C (n×n)."""
        self._refuse_vectors()
        n = self.shape[1]
        matrix = check_vector("the covariance", covariance, n)
        if matrix.shape != (n, n):
            raise InvalidInput("the covariance", f"an array of shape {matrix.shape}", f"a symmetric {n} × {n} matrix")
        return self._variances(matrix)

    def rows(self, start: int, stop: int) -> Matrix:
        """Queries start..stop-1 as a dense block."""
        self._refuse_vectors()
        first = check_size("the first row", start, minimum=0)
        last = check_size("the end of the rows", stop, minimum=first)
        if last > self.shape[0]:
            raise InvalidInput("the end of the rows", last, f"at most {self.shape[0]:,}, the number of queries")
        return self._rows(np.arange(first, last, dtype=np.intp))

    def blocks(self) -> Iterator[tuple[int, Matrix]]:
        """(first row, dense block) over all queries, each block a few MiB."""
        self._refuse_vectors()
        p, n = self.shape
        step = max(1, BLOCK_ENTRIES // n)
        for start in range(0, p, step):
            yield start, self.rows(start, min(start + step, p))

    def to_dense(self) -> Matrix:
        """W itself; refused where it would not fit in memory."""
        self._refuse_vectors()
        advice = "Use matvec, rmatvec, gram or blocks(), which never hold the whole matrix."
        refuse_if_too_large("the dense workload", *self.shape, advice)
        return self.rows(0, self.shape[0])

    @property
    def labels(self) -> Labels:
        """The queries' names."""
        return Labels(self.shape[0], self.label)

    def label(self, query: int) -> str:
        """What query number `query` asks, in words."""
        return self.describe(query, self.axes)

    def on(self, schema: Schema, *attributes: str) -> Workload:
        """The same queries asked of the named attributes of a schema: their cells are this workload's."""
        from lowkey.workloads.placement import place

        return place(self, schema, attributes)

    @cached_property
    def interactions(self) -> Interactions | None:
        """What the tables weigh, attribute set by attribute set; None where there are no tables."""
        tables = self.tables()
        return None if tables is None else interactions_of(self.sizes, tables)

    @cached_property
    def ordered_interactions(self) -> OrderedInteractions | None:
        """The same for tables times queries on one ordered attribute; None where the queries are not of this kind."""
        return ordered_interactions_of(self)

    def _refuse_vectors(self) -> None:
        """Raise where not even a vector over the cells fits in memory."""
        if self.shape[1] > DENSE_LIMIT:
            what, arrived = f"a vector over the domain of {self.name!r}", f"{format_size(self.shape[1])} cells long"
            raise TooLarge(what, arrived, f"at most {DENSE_LIMIT:,} cells", DOMAIN_ADVICE)

    @cached_property
    def _cached_gram(self) -> Matrix:
        self._refuse_vectors()
        n = self.shape[1]
        refuse_if_too_large("the Gram matrix", n, n, "Use gram_matvec instead.")
        gram = np.ascontiguousarray(self._gram(), dtype=np.float64)
        gram.flags.writeable = False
        return gram

    def __repr__(self) -> str:
        cells = format_size(self.shape[1])
        return f"<{type(self).__name__} {self.name!r}: {self.shape[0]:,} queries over {cells} cells>"


def check_workload(workload: object) -> Workload:
    """A workload, and not the matrix or the name of one."""
    if not isinstance(workload, Workload):
        advice = "Use lowkey.workloads: prefix(n), sql(schema, [...]), from_matrix(A) and others."
        raise InvalidInput("the workload", workload, "a Workload", advice)
    return workload


def refuse_if_too_large(what: str, rows: int, columns: int, advice: str) -> None:
    """Raise TooLarge for a matrix that does not fit in memory."""
    if rows * columns > DENSE_LIMIT:
        raise TooLarge(
            what, f"{format_size(rows)} × {format_size(columns)}", f"at most {DENSE_LIMIT:,} entries", advice
        )


def check_domain(cells: object) -> int:
    """A number of cells that a vector in memory can have."""
    size = check_size("the number of cells", cells)
    if size > DENSE_LIMIT:
        arrived, expected = f"{format_size(size)} cells", f"at most {DENSE_LIMIT:,}"
        raise TooLarge("the workload's domain", arrived, expected, "Use coarser bins or fewer attributes.")
    return size


def check_shape(queries: int, cells: int) -> tuple[int, int]:
    """(p, n), refused where a query's number would be no index; n may be any."""
    if queries > QUERY_LIMIT:
        advice = "Use a part of the workload: tables of fewer attributes."
        raise TooLarge("the workload", f"{format_size(queries)} queries", f"at most {QUERY_LIMIT:,}", advice)
    return queries, cells
