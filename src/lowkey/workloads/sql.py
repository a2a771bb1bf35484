"""Workloads of SQL predicates over a schema, evaluated by DuckDB."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import duckdb
import numpy as np
import scipy.sparse as sp

from lowkey.encoding import quote
from lowkey.errors import InvalidInput
from lowkey.schema import Schema
from lowkey.workloads.base import check_domain
from lowkey.workloads.cell_table import CellTable
from lowkey.workloads.explicit import MatrixWorkload

# DuckDB is a calculator here: no files, no network, no extensions, and no way to switch these on again.
LOCKED: Mapping[str, str | bool | int] = {
    "enable_external_access": False,
    "autoload_known_extensions": False,
    "autoinstall_known_extensions": False,
    "lock_configuration": True,
    "threads": 1,
}


class SqlWorkload(MatrixWorkload):
    """One counting query a predicate: its row is 1 on the cells where the predicate is true. Stays sparse."""

    def __init__(self, matrix: sp.csr_array, schema: Schema, predicates: Sequence[str]) -> None:
        super().__init__(matrix, predicates, "sql")
        self.schema = schema
        self.predicates = tuple(predicates)

    @property
    def schemas(self) -> tuple[Schema, ...]:
        return (self.schema,)

    def document(self) -> dict[str, object]:
        return {"kind": "sql", "queries": list(self.predicates), "schema": self.schema.to_document()}


def sql(schema: Schema, predicates: Iterable[str]) -> SqlWorkload:
    """How many people satisfy each predicate, in DuckDB's SQL; attribute names are column names.

    A Categorical column holds the label itself (VARCHAR, BIGINT or BOOLEAN), an Ordered one a DOUBLE. A bin
    holds many values, and a predicate must be true of all of them or of none. Bins are half-open: `age >= 18`
    and `age < 25` fit the edges 18 and 25; `age > 18` and `age <= 25` do not, and `age >= 30` cuts [25, 35).
    A predicate that cuts a bin is refused.

    This is decided for all values, not for a sample. An Ordered attribute may appear only in comparisons (=,
    <>, <, <=, >, >=, IS DISTINCT FROM, BETWEEN, IN) with expressions without columns, whose truth changes
    nowhere but at those constants. The predicate is evaluated at the lower edge of each bin, at each constant
    inside it and just before each constant and the upper edge, in all combinations of attributes, and must
    agree. With outside="clip" the first and last bin also hold what lies beyond: `age < 120` is then refused.

    Also refused: what is NULL for a cell or not a BOOLEAN, subqueries, windows, aggregates, functions that
    may change from call to call, and equality of a Categorical attribute with a constant that is no label.

    >>> from lowkey.schema import Categorical, Ordered, Schema
    >>> schema = Schema([Categorical("plan", ["free", "pro"]), Ordered("age", edges=[0, 18, 65, 120])])
    >>> sql(schema, ["age >= 65 AND plan = 'pro'", "plan LIKE 'f%'"]).to_dense()
    array([[0., 0., 0., 0., 0., 1.],
           [1., 1., 1., 0., 0., 0.]])
    """
    texts = _check_arguments(schema, predicates)
    with duckdb.connect(":memory:", config=dict(LOCKED)) as connection:
        table = CellTable(connection, schema)
        rows = [np.flatnonzero(table.evaluate(text)) for text in texts]
    ends = np.cumsum([0, *(row.size for row in rows)])
    entries = np.ones(int(ends[-1])), np.concatenate(rows), ends
    return SqlWorkload(sp.csr_array(entries, shape=(len(texts), schema.size)), schema, texts)


def _check_arguments(schema: object, predicates: object) -> list[str]:
    if not isinstance(schema, Schema):
        raise InvalidInput("the schema", schema, "a Schema", "Write sql(schema, ['age >= 65']).")
    check_domain(schema.size)
    if isinstance(predicates, str) or not isinstance(predicates, Iterable):
        raise InvalidInput("the predicates", predicates, "a list of texts", "Put a single one into a list.")
    texts = list(predicates)
    if not texts:
        raise InvalidInput("the predicates", "an empty list", "at least one predicate")
    for text in texts:
        if not isinstance(text, str) or not text.strip():
            raise InvalidInput("a predicate", quote(text), "a text such as \"age >= 65 AND plan = 'pro'\"")
        if any("\ud800" <= letter <= "\udfff" for letter in text):
            raise InvalidInput("a predicate", ascii(text), "a text of whole Unicode characters")
    names = [name.lower() for name in schema.names]
    for name in schema.names:
        if names.count(name.lower()) > 1:
            arrived, advice = f"{name!r}, twice but for case", "SQL does not tell upper from lower case."
            raise InvalidInput("the attribute name", arrived, "names that differ", advice)
    return texts
