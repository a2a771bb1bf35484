"""Workloads to plain JSON values and back."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping

from lowkey.errors import InvalidInput
from lowkey.schema import Schema
from lowkey.workloads.base import Workload
from lowkey.workloads.combine import Product, Renamed, Stack
from lowkey.workloads.explicit import MatrixWorkload, matrix_from_document
from lowkey.workloads.marginals import AllMarginals, KWayMarginals
from lowkey.workloads.parities import Parity
from lowkey.workloads.placement import Placed
from lowkey.workloads.ranges import AllRange, Histogram, Prefix, Ranges
from lowkey.workloads.sql import sql

WHAT = "the workload document"


def workload_from_document(document: object, schema: Schema | None = None) -> Workload:
    """The workload that wrote this document. `schema` serves where the document has none, see `within`.

    >>> from lowkey.workloads import prefix
    >>> workload_from_document(prefix(8).document())
    <Prefix 'prefix': 8 queries over 8 cells>
    """
    if not isinstance(document, Mapping) or not all(isinstance(key, str) for key in document):
        raise InvalidInput(WHAT, document, 'a mapping with "kind"')
    kind = document.get("kind")
    if not isinstance(kind, str) or kind not in BUILDERS:
        raise InvalidInput('"kind" of the workload document', kind, "one of " + ", ".join(BUILDERS))
    fields = {key: value for key, value in document.items() if key != "kind"}
    builder = BUILDERS[kind]
    try:
        inspect.signature(builder).bind(schema, **fields)
    except TypeError as error:
        raise InvalidInput(f"{WHAT} of kind {kind!r}", str(error), "exactly the keys that document() writes") from None
    return builder(schema, **fields)


def within(document: dict[str, object], schema: Schema) -> dict[str, object]:
    """The document for a file that holds `schema` already: copies of it are left out, other schemas stay."""
    known = schema.to_document()
    return {key: _within(value, schema) for key, value in document.items() if not (key == "schema" and value == known)}


def _within(value: object, schema: Schema) -> object:
    if isinstance(value, dict):
        return within(value, schema)
    return [_within(part, schema) for part in value] if isinstance(value, list) else value


def _matrix(schema: Schema | None, name: str, labels: list[str] | None, **entries: object) -> Workload:
    return MatrixWorkload(matrix_from_document(entries), labels, name)


def _stack(schema: Schema | None, parts: object, weights: object) -> Workload:
    return Stack(_parts(schema, parts), weights)


def _product(schema: Schema | None, parts: object) -> Workload:
    return Product(_parts(schema, parts))


def _renamed(schema: Schema | None, name: object, workload: object) -> Workload:
    return Renamed(workload_from_document(workload, schema), name)


def _placed(outer: Schema | None, attributes: list[str], workload: object, schema: object = None) -> Workload:
    return Placed(workload_from_document(workload, outer), _own_schema(outer, schema), attributes)


def _sql(outer: Schema | None, queries: list[str], schema: object = None) -> Workload:
    return sql(_own_schema(outer, schema), queries)


def _parts(schema: Schema | None, parts: object) -> list[Workload]:
    if not isinstance(parts, list):
        raise InvalidInput(f'"parts" of {WHAT}', parts, "a list of workload documents")
    return [workload_from_document(part, schema) for part in parts]


def _own_schema(outer: Schema | None, document: object) -> Schema:
    if document is not None:
        return Schema.from_document(document)
    if outer is None:
        raise InvalidInput("the schema", None, "the schema that the workload was made for")
    return outer


BUILDERS: Mapping[str, Callable[..., Workload]] = {
    "histogram": lambda schema, n: Histogram(n),
    "prefix": lambda schema, n: Prefix(n),
    "all_range": lambda schema, n: AllRange(n),
    "ranges": lambda schema, n, min_width, max_width: Ranges(n, min_width, max_width),
    "all_marginals": lambda schema, sizes: AllMarginals(sizes),
    "k_way_marginals": lambda schema, sizes, k: KWayMarginals(sizes, k),
    "parity": lambda schema, d, k: Parity(d, k),
    "matrix": _matrix,
    "sql": _sql,
    "stack": _stack,
    "product": _product,
    "renamed": _renamed,
    "placed": _placed,
}
