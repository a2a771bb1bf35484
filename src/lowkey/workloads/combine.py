"""Workloads made of workloads: stacked, multiplied, renamed."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property, reduce
from itertools import accumulate, chain, pairwise

import numpy as np

from lowkey.checks import Matrix, Vector
from lowkey.errors import InvalidInput, format_size
from lowkey.schema import Schema
from lowkey.workloads.attribute_groups import groups, regrouped
from lowkey.workloads.base import Family, Indices, Workload, check_shape
from lowkey.workloads.explicit import check_workload_name
from lowkey.workloads.interactions import Table
from lowkey.workloads.marginals import SUBSET_LIMIT
from lowkey.workloads.ordered import Term, Terms, crossed, terms_at
from lowkey.workloads.wording import Axis, Numbered, aligned, both


class Stack(Workload):
    """The queries of several workloads over the same cells, one below the other, each times its weight."""

    def __init__(self, workloads: object, weights: object = None) -> None:
        self.parts = _check_parts(workloads)
        self.weights = _check_weights(weights, len(self.parts))
        cells = [part.shape[1] for part in self.parts]
        if len(set(cells)) > 1:
            advice = "Place each on the schema's attributes with W.on(schema, ...)."
            arrived = f"[{', '.join(map(format_size, cells))}]"
            raise InvalidInput("the stacked workloads' cells", arrived, "the same number in each", advice)
        self._offsets = list(accumulate((part.shape[0] for part in self.parts), initial=0))
        self.name = " + ".join(part.name for part in self.parts)
        self.shape = check_shape(self._offsets[-1], cells[0])

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The parts' own, where all can be read as the finest of them; else the cells are one attribute."""
        finest = max((part.sizes for part in self.parts), key=lambda sizes: sum(size > 1 for size in sizes))
        return finest if all(groups(part.sizes, finest) for part in self.parts) else super().sizes

    def tables(self) -> tuple[Table, ...] | None:
        found: list[Table] = []
        for (weight, part), offset in zip(self._weighted(), self._offsets[:-1], strict=True):
            tables, finer = part.tables(), groups(part.sizes, self.sizes)
            if tables is None or finer is None:
                return None
            own = regrouped(tables, finer)
            found += [Table(t.attributes, weight * t.weight, offset + t.start, t.is_parity) for t in own]
        return tuple(found)

    def terms(self) -> Terms | None:
        found: list[Term] = []
        for (weight, part), offset in zip(self._weighted(), self._offsets[:-1], strict=True):
            own = terms_at(part.terms(), groups(part.sizes, self.sizes))
            if own is None:
                return None
            found += [term.scaled(weight, offset) for term in own]
        return tuple(found)

    def _weighted(self) -> zip[tuple[float, Workload]]:
        return zip(self.weights, self.parts, strict=True)

    def _matvec(self, x: Matrix) -> Matrix:
        return np.concatenate([weight * part._matvec(x) for weight, part in self._weighted()])

    def _rmatvec(self, v: Matrix) -> Matrix:
        total = np.zeros((self.shape[1], v.shape[1]))
        for (weight, part), (start, stop) in zip(self._weighted(), pairwise(self._offsets), strict=True):
            total += weight * part._rmatvec(v[start:stop])
        return total

    def _rows(self, queries: Indices) -> Matrix:
        rows = np.empty((queries.size, self.shape[1]))
        numbers = np.searchsorted(self._offsets, queries, side="right") - 1
        for number in np.unique(numbers):
            mine = numbers == number
            own = queries[mine] - self._offsets[number]
            rows[mine] = self.weights[number] * self.parts[number]._rows(own)
        return rows

    def _gram(self) -> Matrix:
        total = np.zeros((self.shape[1], self.shape[1]))
        for weight, part in self._weighted():
            total += weight**2 * part._gram()  # not kept: n² numbers a part
        return total

    def _gram_matvec(self, x: Matrix) -> Matrix:
        total = np.zeros_like(x)
        for weight, part in self._weighted():
            total += weight**2 * part._gram_matvec(x)
        return total

    def _gram_diagonal(self) -> Vector:
        total = np.zeros(self.shape[1])
        for weight, part in self._weighted():
            total += weight**2 * part._gram_diagonal()
        return total

    def _variances(self, covariance: Matrix) -> Vector:
        return np.concatenate([weight**2 * part._variances(covariance) for weight, part in self._weighted()])

    def describe(self, query: int, axes: Sequence[Axis]) -> str:
        number = int(np.searchsorted(self._offsets, query, side="right")) - 1
        return self.parts[number].describe(query - self._offsets[number], axes)

    def descriptions(self, axes: Sequence[Axis]) -> Iterator[str]:
        return chain.from_iterable(part.descriptions(axes) for part in self.parts)

    @property
    def schemas(self) -> tuple[Schema, ...]:
        return tuple(schema for part in self.parts for schema in part.schemas)

    @property
    def families(self) -> tuple[Family, ...]:
        """The parts' families, with their place and weight in the whole."""
        return tuple(
            Family(inner.name, inner.workload, weight * inner.weight, offset + inner.start, offset + inner.stop)
            for (weight, part), offset in zip(self._weighted(), self._offsets[:-1], strict=True)
            for inner in part.families
        )

    def document(self) -> dict[str, object]:
        parts = [part.document() for part in self.parts]
        return {"kind": "stack", "parts": parts, "weights": list(self.weights)}


class Product(Workload):
    """Every combination of one query of each part, over the product of their cells: the Kronecker product."""

    def __init__(self, workloads: object) -> None:
        self.parts = _check_parts(workloads)
        self.name = " × ".join(part.name for part in self.parts)
        self._queries = tuple(part.shape[0] for part in self.parts)
        self._cells = tuple(part.shape[1] for part in self.parts)
        self.shape = check_shape(math.prod(self._queries), math.prod(self._cells))

    @property
    def axes(self) -> tuple[Axis, ...]:
        sizes = [axis.size for part in self.parts for axis in part.axes]
        return tuple(Numbered(place, size) for place, size in enumerate(sizes))

    @property
    def sizes(self) -> tuple[int, ...]:
        return tuple(size for part in self.parts for size in part.sizes)

    def tables(self) -> tuple[Table, ...] | None:
        """The products of the parts' tables, where each is a block of queries, see `_crossed`."""
        found, sizes = self.parts[0].tables(), self.parts[0].sizes
        for part in self.parts[1:]:
            own = part.tables()
            if found is None or own is None:
                return None
            found, sizes = _crossed(found, sizes, own, part), (*sizes, *part.sizes)
        return found

    def terms(self) -> Terms | None:
        """Of the first or the last part, if the rest are tables."""
        if self.tables() is not None:
            return super().terms()
        if len(self.parts) == 1:
            return self.parts[0].terms()
        if self.parts[0].tables() is None:
            return crossed(self.parts[0], Product(self.parts[1:]))
        return crossed(Product(self.parts[:-1]), self.parts[-1])

    def _matvec(self, x: Matrix) -> Matrix:
        return self._apply([part._matvec for part in self.parts], x, self._cells, self._queries)

    def _rmatvec(self, v: Matrix) -> Matrix:
        return self._apply([part._rmatvec for part in self.parts], v, self._queries, self._cells)

    def _gram_matvec(self, x: Matrix) -> Matrix:
        return self._apply([part._gram_matvec for part in self.parts], x, self._cells, self._cells)

    def _apply(
        self,
        operators: Sequence[Callable[[Matrix], Matrix]],
        x: Matrix,
        before: Sequence[int],
        after: Sequence[int],
    ) -> Matrix:
        """Each operator along its own axis, those that shrink the table first."""
        table = x.reshape(*before, x.shape[1])
        for axis in sorted(range(len(operators)), key=lambda axis: after[axis] / before[axis]):
            front = np.moveaxis(table, axis, 0)
            moved = operators[axis](front.reshape(before[axis], -1))
            table = np.moveaxis(moved.reshape(after[axis], *front.shape[1:]), 0, axis)
        return table.reshape(-1, x.shape[1])

    def _rows(self, queries: Indices) -> Matrix:
        rows = np.ones((queries.size, 1))
        for part, own in zip(self.parts, np.unravel_index(queries, self._queries), strict=True):
            combined = rows[:, :, None] * part._rows(own)[:, None, :]
            rows = combined.reshape(queries.size, rows.shape[1] * part.shape[1])
        return rows

    def _gram(self) -> Matrix:
        return reduce(_kron, [part.gram() for part in self.parts])

    def _gram_diagonal(self) -> Vector:
        return reduce(_kron, [part._gram_diagonal() for part in self.parts])

    def describe(self, query: int, axes: Sequence[Axis]) -> str:
        fitted = list(aligned(axes, self.axes))
        texts = []
        for part, own in zip(self.parts, np.unravel_index(query, self._queries), strict=True):
            mine, fitted = fitted[: len(part.axes)], fitted[len(part.axes) :]
            texts.append(part.describe(int(own), mine))
        return both(texts)

    def document(self) -> dict[str, object]:
        return {"kind": "product", "parts": [part.document() for part in self.parts]}


class Renamed(Workload):
    """A workload under another name: one family in tables, whatever it is made of."""

    def __init__(self, workload: Workload, name: object) -> None:
        self.workload = _check_parts([workload])[0]
        self.name = check_workload_name(name)
        self.shape = self.workload.shape

    @property
    def axes(self) -> tuple[Axis, ...]:
        return self.workload.axes

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.workload.sizes

    def tables(self) -> tuple[Table, ...] | None:
        return self.workload.tables()

    def terms(self) -> Terms | None:
        return self.workload.terms()

    @property
    def schemas(self) -> tuple[Schema, ...]:
        return self.workload.schemas

    def _matvec(self, x: Matrix) -> Matrix:
        return self.workload._matvec(x)

    def _rmatvec(self, v: Matrix) -> Matrix:
        return self.workload._rmatvec(v)

    def _gram_matvec(self, x: Matrix) -> Matrix:
        return self.workload._gram_matvec(x)

    def _rows(self, queries: Indices) -> Matrix:
        return self.workload._rows(queries)

    def _gram(self) -> Matrix:
        return self.workload._gram()

    def _gram_diagonal(self) -> Vector:
        return self.workload._gram_diagonal()

    def _variances(self, covariance: Matrix) -> Vector:
        return self.workload._variances(covariance)

    def describe(self, query: int, axes: Sequence[Axis]) -> str:
        return self.workload.describe(query, axes)

    def descriptions(self, axes: Sequence[Axis]) -> Iterator[str]:
        return self.workload.descriptions(axes)

    def document(self) -> dict[str, object]:
        return {"kind": "renamed", "name": self.name, "workload": self.workload.document()}


def stack(workloads: Iterable[Workload], weights: Iterable[float] | None = None) -> Stack:
    """All queries of several workloads over the same cells, each workload's coefficients times its weight.

    Weight 2 makes the squared errors of a workload's queries count four times.

    >>> from lowkey.workloads import histogram, prefix
    >>> stack([histogram(2), prefix(2)], weights=[2, 1]).to_dense()
    array([[2., 0.],
           [0., 2.],
           [1., 0.],
           [1., 1.]])
    """
    return Stack(workloads, weights)


def product(workloads: Iterable[Workload]) -> Product:
    """Every combination of one query of each workload, over the row-major product of their cells.

    >>> from lowkey.workloads import histogram, prefix
    >>> product([prefix(2), histogram(2)]).matvec([1, 2, 3, 4])
    array([1., 2., 4., 6.])
    """
    return Product(workloads)


def renamed(workload: Workload, name: str) -> Renamed:
    """The same queries under the name that tables should show.

    >>> from lowkey.workloads import prefix
    >>> renamed(prefix(4), "ages")
    <Renamed 'ages': 4 queries over 4 cells>
    """
    return Renamed(workload, name)


def _kron(left: Matrix, right: Matrix) -> Matrix:
    return np.asarray(np.kron(left, right))


def _crossed(
    left: tuple[Table, ...], sizes: tuple[int, ...], right: tuple[Table, ...], part: Workload
) -> tuple[Table, ...] | None:
    """The products of the tables of two workloads; None where the queries of one are not next to each other.

    Query (a, b) is number a·p + b, p queries on the right: a table on the left of several queries needs a table on the
    right of all p. A parity times a marginal is neither.
    """
    if len(left) * len(right) > SUBSET_LIMIT:
        return None
    together = all(table.queries(sizes) == 1 for table in left) or len(right) == 1
    if not together or len({table.is_parity for table in (*left, *right)}) > 1:
        return None
    return tuple(
        Table(
            (*a.attributes, *(len(sizes) + attribute for attribute in b.attributes)),
            a.weight * b.weight,
            a.start * part.shape[0] + b.start,
            a.is_parity,
        )
        for a in left
        for b in right
    )


def _check_parts(workloads: object) -> tuple[Workload, ...]:
    expected = "a list of workloads"
    if isinstance(workloads, Workload | str) or not isinstance(workloads, Iterable):
        raise InvalidInput("the workloads", workloads, expected, "Put them in a list: [W1, W2].")
    parts = tuple(workloads)
    if not parts:
        raise InvalidInput("the workloads", "an empty list", expected)
    for part in parts:
        if not isinstance(part, Workload):
            raise InvalidInput("the workloads", f"a list with {part!r}", expected)
    return parts


def _check_weights(weights: object, parts: int) -> tuple[float, ...]:
    expected = f"a list of {parts} positive finite numbers, one a workload"
    if weights is None:
        return (1.0,) * parts
    if isinstance(weights, str | bytes) or not isinstance(weights, Iterable):
        raise InvalidInput("weights", weights, expected)
    values = tuple(weights)
    numeric = (isinstance(v, int | float | np.number) and not isinstance(v, bool) for v in values)
    if len(values) != parts or not all(numeric) or not all(0 < v < math.inf for v in values):
        raise InvalidInput("weights", list(values), expected)
    return tuple(float(value) for value in values)
