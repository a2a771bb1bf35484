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
    """The workload that wrote this document; the schema is needed where it is placed on attributes or SQL.

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


def _matrix(schema: Schema | None, name: str, labels: list[str] | None, **entries: object) -> Workload:
    return MatrixWorkload(matrix_from_document(entries), labels, name)


def _stack(schema: Schema | None, parts: object, weights: object) -> Workload:
    return Stack(_parts(schema, parts), weights)


def _product(schema: Schema | None, parts: object) -> Workload:
    return Product(_parts(schema, parts))


def _renamed(schema: Schema | None, name: object, workload: object) -> Workload:
    return Renamed(workload_from_document(workload, schema), name)


def _placed(schema: Schema | None, attributes: list[str], workload: object) -> Workload:
    return Placed(workload_from_document(workload), _needed(schema), attributes)


def _sql(schema: Schema | None, queries: list[str]) -> Workload:
    return sql(_needed(schema), queries)


def _parts(schema: Schema | None, parts: object) -> list[Workload]:
    if not isinstance(parts, list):
        raise InvalidInput(f'"parts" of {WHAT}', parts, "a list of workload documents")
    return [workload_from_document(part, schema) for part in parts]


def _needed(schema: Schema | None) -> Schema:
    if schema is None:
        raise InvalidInput("the schema", None, "the schema that the workload was made for")
    return schema


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
