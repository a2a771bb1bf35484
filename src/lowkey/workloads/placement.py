"""A workload asked of some attributes of a schema, whatever the others are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
import scipy.sparse as sp

from lowkey.checks import Matrix, Vector
from lowkey.errors import InvalidInput, format_size
from lowkey.schema import Schema
from lowkey.workloads.attribute_groups import groups, regrouped
from lowkey.workloads.base import Family, Indices, Workload, check_shape
from lowkey.workloads.interactions import Subset, Table
from lowkey.workloads.ordered import Terms, terms_at
from lowkey.workloads.wording import Axis

NAMED = 12  # attributes that a workload's name lists one by one


class Placed(Workload):
    """W·S, where S sums the schema's cells over all attributes but the named ones."""

    def __init__(self, workload: Workload, schema: Schema, attributes: Sequence[str]) -> None:
        self.workload = workload
        self.schema = schema
        self.attributes = _check_attributes(schema, attributes)
        self.name = f"{workload.name} on {_listed(self.attributes)}"
        self.shape = check_shape(workload.shape[0], schema.size)
        _check_size(workload, schema, self.attributes)
        refuse_other_schema(workload, Schema([schema[name] for name in self.attributes]))

    @cached_property
    def _cell(self) -> Indices:
        """For each cell of the schema, the cell of the workload."""
        return _subcells(self.schema, self.attributes)

    @cached_property
    def _sums(self) -> sp.csr_array:
        """S, sparse."""
        entries = np.ones(self.schema.size), (self._cell, np.arange(self.schema.size))
        return sp.csr_array(entries, shape=(self.workload.shape[1], self.schema.size))

    @property
    def sizes(self) -> tuple[int, ...]:
        return self.schema.sizes

    def tables(self) -> tuple[Table, ...] | None:
        """The workload's tables over the attributes named: in the order named, which need not be the schema's."""
        tables, places = self.workload.tables(), self._places
        return None if tables is None or places is None else regrouped(tables, places)

    def terms(self) -> Terms | None:
        return terms_at(self.workload.terms(), self._places)

    @property
    def _places(self) -> list[Subset] | None:
        """The schema's axes that each attribute of the workload is made of; None if it is of none."""
        finer = groups(self.workload.sizes, [self.schema[name].size for name in self.attributes])
        axes = [self.schema.axis(name) for name in self.attributes]
        return None if finer is None else [tuple(axes[place] for place in group) for group in finer]

    def _summed(self, x: Matrix) -> Matrix:
        return np.asarray(self._sums @ x)

    def _matvec(self, x: Matrix) -> Matrix:
        return self.workload._matvec(self._summed(x))

    def _rmatvec(self, v: Matrix) -> Matrix:
        return self.workload._rmatvec(v)[self._cell]

    def _gram_matvec(self, x: Matrix) -> Matrix:
        return self.workload._gram_matvec(self._summed(x))[self._cell]

    def _rows(self, queries: Indices) -> Matrix:
        return self.workload._rows(queries)[:, self._cell]

    def _gram(self) -> Matrix:
        return self.workload.gram()[np.ix_(self._cell, self._cell)]

    def _gram_diagonal(self) -> Vector:
        return self.workload._gram_diagonal()[self._cell]

    def _variances(self, covariance: Matrix) -> Vector:
        return self.workload._variances(self._summed(self._summed(covariance).T).T)

    def describe(self, query: int, axes: Sequence[Axis]) -> str:
        """The query in the words of the named attributes, whatever `axes` are."""
        return self.workload.describe(query, [self.schema[name] for name in self.attributes])

    def descriptions(self, axes: Sequence[Axis]) -> Iterator[str]:
        return self.workload.descriptions([self.schema[name] for name in self.attributes])

    @property
    def schemas(self) -> tuple[Schema, ...]:
        return (self.schema,)

    @property
    def families(self) -> tuple[Family, ...]:
        """The workload's families, each placed."""
        if len(self.workload.families) == 1:
            return super().families
        placed = [(family, place(family.workload, self.schema, self.attributes)) for family in self.workload.families]
        return tuple(Family(w.name, w, family.weight, family.start, family.stop) for family, w in placed)

    def document(self) -> dict[str, object]:
        attributes, inner = list(self.attributes), self.workload.document()
        return {"kind": "placed", "attributes": attributes, "workload": inner, "schema": self.schema.to_document()}


def place(workload: Workload, schema: Schema, attributes: Sequence[str]) -> Placed:
    """`workload` over the named attributes of `schema`: its cells are theirs, row-major in the order named.

    >>> from lowkey.schema import Categorical, Ordered
    >>> from lowkey.workloads import prefix
    >>> schema = Schema([Categorical("plan", ["free", "pro"]), Ordered("age", edges=[0, 18, 65, 120])])
    >>> list(place(prefix(3), schema, ["age"]).labels)
    ['age < 18', 'age < 65', 'everyone']
    """
    return Placed(workload, schema, attributes)


def _listed(names: Sequence[str]) -> str:
    """The names, of many only the first and the last."""
    return (
        ", ".join(names) if len(names) <= NAMED else f"{names[0]}, {names[1]}, …, {names[-1]} ({len(names)} attributes)"
    )


def _check_attributes(schema: object, attributes: Sequence[str]) -> tuple[str, ...]:
    if not isinstance(schema, Schema):
        raise InvalidInput("the schema", schema, "a Schema", "Write W.on(schema, 'age').")
    expected = f"at least one of {', '.join(schema.names)}"
    if isinstance(attributes, str) or not attributes:
        raise InvalidInput("the attributes to place the workload on", attributes, expected)
    names = tuple(attributes)
    for name in names:
        schema.axis(name)
        if names.count(name) > 1:
            raise InvalidInput("the attributes to place the workload on", list(names), "each attribute once")
    return names


def _check_size(workload: Workload, schema: Schema, attributes: Sequence[str]) -> None:
    sizes = [schema[name].size for name in attributes]
    if math.prod(sizes) != workload.shape[1]:
        theirs = " × ".join(str(size) for size in sizes)
        needed = f"{format_size(math.prod(sizes))} cells" + (f" ({theirs})" if len(sizes) > 1 else "")
        raise InvalidInput(
            f"the workload {workload.name!r}",
            f"over {format_size(workload.shape[1])} cells",
            f"one over the {needed} of {', '.join(attributes)}",
        )


def refuse_other_schema(workload: Workload, schema: Schema) -> None:
    """Queries written for attributes in one order count the wrong people over the same cells in another."""
    for own in workload.schemas:
        if own != schema:
            raise InvalidInput(
                f"the schema that the workload {workload.name!r} was written for",
                own,
                f"{schema}",
                "Write its queries for these very attributes, in this order.",
            )


def _subcells(schema: Schema, attributes: Sequence[str]) -> Indices:
    """For each cell of the schema, the cell of the named attributes' product."""
    cells = np.arange(schema.size)
    subcell = np.zeros(schema.size, dtype=np.intp)
    for axis in map(schema.axis, attributes):
        stride = math.prod(schema.sizes[axis + 1 :])
        subcell = subcell * schema.sizes[axis] + cells // stride % schema.sizes[axis]
    return subcell
