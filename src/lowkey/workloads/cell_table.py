"""The table of a schema's cells, on which DuckDB evaluates predicates."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import duckdb
import numpy as np
import numpy.typing as npt

from lowkey.attributes import Attribute, Categorical, Ordered
from lowkey.encoding import format_number
from lowkey.errors import InvalidInput, TooLarge
from lowkey.schema import Schema
from lowkey.workloads.predicate import Comparison, Predicate, duckdb_error, predicate_error, read_predicate

Truth = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int64]

PROBE_LIMIT = 2**24  # records that one predicate may be evaluated on
SQL_TYPES = {"text": "VARCHAR", "number": "BIGINT", "truth": "BOOLEAN"}
INTEGERS = frozenset({"TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "BIGNUM"})
NUMBERS = INTEGERS | {"U" + kind for kind in INTEGERS} | {"DECIMAL", "FLOAT", "DOUBLE"}
EQUALITIES = ("EQUAL", "NOTEQUAL", "DISTINCT_FROM", "NOT_DISTINCT_FROM", "IN", "NOT_IN")


@dataclass(frozen=True)
class Probes:
    """Values of one attribute, label by label or bin by bin: bin i owns values[starts[i]:starts[i + 1]]."""

    attribute: Attribute
    values: Sequence[object]
    starts: Sequence[int]

    @property
    def sql_type(self) -> str:
        return SQL_TYPES[self.attribute.kind] if isinstance(self.attribute, Categorical) else "DOUBLE"


class CellTable:
    """Tells for each cell of a schema whether a predicate is true of all records in it, or of none."""

    def __init__(self, connection: duckdb.DuckDBPyConnection, schema: Schema) -> None:
        self._connection = connection
        self._schema = schema

    def evaluate(self, text: str) -> Truth:
        """The truth of the predicate on each cell (n,); refused where it has no single answer."""
        try:
            predicate = read_predicate(self._connection, self._schema, text)
            self._check_functions(predicate)
            probes = self._probes(predicate)
            table = self._ask(predicate, probes)
        except duckdb.Error as error:
            raise duckdb_error(text, self._schema, error) from error
        for axis, probe in enumerate(probes):
            table = _one_answer_each(predicate, table, axis, probe)
        sizes = [a.size if a.name in predicate.attributes else 1 for a in self._schema]
        return np.broadcast_to(table.reshape(sizes), self._schema.sizes).reshape(-1)

    def _check_functions(self, predicate: Predicate) -> None:
        query = """SELECT bool_and(function_type = 'scalar' AND stability = 'CONSISTENT')
                   FROM duckdb_functions() WHERE function_name = ?"""
        for name in sorted(predicate.functions):
            if self._fetch(query, [name])[0] is False:
                arrived = f"calling {name}, which is no plain function of one record's values"
                raise predicate_error(predicate.text, arrived, "functions such as lower or substr")

    def _probes(self, predicate: Predicate) -> list[Probes]:
        constants: dict[str, list[float]] = {name: [] for name in predicate.attributes}
        for comparison in predicate.comparisons:
            attribute = self._schema[comparison.attribute]
            if isinstance(attribute, Ordered):
                constants[attribute.name] += self._numbers(predicate, comparison)
            elif comparison.operator.removeprefix("COMPARE_") in EQUALITIES:
                self._check_labels(predicate, comparison, attribute)
        return [_probes_of(self._schema[name], constants[name]) for name in predicate.attributes]

    def _numbers(self, predicate: Predicate, comparison: Comparison) -> Iterator[float]:
        """The constants of a comparison as the DOUBLEs that DuckDB compares with."""
        for constant in comparison.constants:
            kind = self._fetch(f"SELECT typeof(value) FROM ({constant}) AS constant(value)")[0]
            if str(kind).split("(")[0] not in NUMBERS:
                arrived = f"comparing {comparison.attribute!r} with {_spoken(constant)}, a {kind}"
                raise predicate_error(predicate.text, arrived, "comparisons with numbers")
            value = self._fetch(f"SELECT value::DOUBLE FROM ({constant}) AS constant(value)")[0]
            if value is not None:
                yield float(str(value))

    def _check_labels(self, predicate: Predicate, comparison: Comparison, attribute: Categorical) -> None:
        """Equality with a constant that is no label is a slip of the pen: it would count nobody."""
        cells, parameters = _from([_probes_of(attribute, [])])
        for constant in comparison.constants:
            query = f"SELECT bool_or({_quoted(attribute.name)} = ({constant})) FROM {cells}"
            if self._fetch(query, parameters)[0] is False:
                arrived = f"comparing {attribute.name!r} with {_spoken(constant)}, none of its labels"
                expected = f"one of {', '.join(map(repr, attribute.labels))}"
                raise predicate_error(predicate.text, arrived, expected)

    def _ask(self, predicate: Predicate, probes: Sequence[Probes]) -> Truth:
        """The predicate at every combination of probes: one axis an attribute."""
        shape = tuple(len(probe.values) for probe in probes)
        if math.prod(shape) > PROBE_LIMIT:
            advice = "Mention fewer attributes in one predicate."
            arrived = f"about {math.prod(shape):,} combinations"
            raise TooLarge(f"the predicate {predicate.text!r}", arrived, f"at most {PROBE_LIMIT:,}", advice)
        strides = [math.prod(shape[axis + 1 :]) for axis in range(len(shape))]
        key = " + ".join(["0::BIGINT", *(f'" {axis}" * {stride}' for axis, stride in enumerate(strides))])
        cells, parameters = _from(probes)
        query = f"SELECT {key} AS place, {predicate.select} AS holds FROM {cells}"
        result = self._connection.execute(query, parameters).fetchnumpy()
        places, holds = np.asarray(result["place"]), np.ma.asarray(result["holds"])
        if holds.dtype.kind != "b":
            kind = self._fetch(f"SELECT typeof({predicate.select}) FROM {cells}", parameters)[0]
            raise predicate_error(predicate.text, f"of type {kind}", "true or false: a BOOLEAN")
        _refuse_null(predicate, probes, places[np.ma.getmaskarray(holds)])
        truth = np.empty(shape, dtype=np.bool_)
        truth.reshape(-1)[places] = holds
        return truth

    def _fetch(self, query: str, parameters: Sequence[object] = ()) -> tuple[object, ...]:
        row: tuple[object, ...] | None = self._connection.execute(query, list(parameters)).fetchone()
        return row or (None,)


def _probes_of(attribute: Attribute, constants: Sequence[float]) -> Probes:
    """Each label; for each bin its lower edge, the constants in it and a value before each next of these."""
    if isinstance(attribute, Categorical):
        return Probes(attribute, attribute.labels, range(attribute.size + 1))
    values: list[float] = []
    starts = [0]
    for place in range(attribute.size):
        low, high = attribute.reach(place)
        corners = sorted({low, *(constant for constant in constants if low < constant < high)})
        for corner, following in pairwise([*corners, high]):
            between = math.nextafter(following, -math.inf)
            values += [corner, between] if corner < between else [corner]
        starts.append(len(values))
    if attribute.outside == "clip":
        values.append(math.inf)
        starts[-1] += 1
    return Probes(attribute, values, starts)


def _from(probes: Sequence[Probes]) -> tuple[str, list[object]]:
    """The FROM items that cross all probes, and their parameters; " 0" is the place along the first axis."""
    items, parameters = ["(SELECT 1)"], list[object]()
    for axis, probe in enumerate(probes):
        column = f"unnest(?::{probe.sql_type}[]) AS {_quoted(probe.attribute.name)}"
        items.append(f'(SELECT unnest(?::BIGINT[]) AS " {axis}", {column})')
        parameters += [list(range(len(probe.values))), list(probe.values)]
    return " CROSS JOIN ".join(items), parameters


def _quoted(name: str) -> str:
    escaped = name.replace('"', '""')
    return f'"{escaped}"'


def _spoken(constant: str) -> str:
    return constant.removeprefix("SELECT ")


def _refuse_null(predicate: Predicate, probes: Sequence[Probes], unknown: Places) -> None:
    """`unknown` holds the combinations of probes at which the predicate is NULL."""
    if not unknown.size:
        return
    axes = np.unravel_index(unknown.min(), [len(probe.values) for probe in probes])
    owners = [bisect_right(probe.starts, axis) - 1 for probe, axis in zip(probes, axes, strict=True)]
    cell = " and ".join(probe.attribute.value(p) for probe, p in zip(probes, owners, strict=True))
    arrived = f"unknown (NULL) where {cell}" if cell else "unknown (NULL)"
    advice = "Attributes are never NULL; give CASE an ELSE."
    raise predicate_error(predicate.text, arrived, "true or false for every cell", advice)


def _one_answer_each(predicate: Predicate, truth: Truth, axis: int, probes: Probes) -> Truth:
    """The truth per label or bin along one axis; refused where two probes of a bin differ."""
    first: Truth = truth.take(probes.starts[:-1], axis=axis)
    differs = truth != first.repeat(np.diff(probes.starts), axis=axis)
    if differs.any():
        probe = int(np.argmax(differs.any(axis=tuple(other for other in range(truth.ndim) if other != axis))))
        place = bisect_right(probes.starts, probe) - 1
        raise _cut_error(predicate, probes.attribute, place)
    return first


def _cut_error(predicate: Predicate, attribute: Attribute, place: int) -> InvalidInput:
    what, edges = str(attribute.labels[place]), ""
    if isinstance(attribute, Ordered):
        edges = f"The edges are {', '.join(map(format_number, attribute.edges))}; "
        if attribute.outside == "clip" and place in (0, attribute.size - 1):
            what += " (with all values beyond it, which outside='clip' puts there)"
    arrived = f"true of only a part of the bin {what} of {attribute.name!r}"
    advice = f"{edges}[a, b) holds a but not b: ask with >= and < at an edge, or add an edge to the schema."
    return predicate_error(predicate.text, arrived, "conditions that hold on whole bins", advice)
