"""What a SQL predicate asks of each attribute, read off DuckDB's own syntax tree.

A bin of an Ordered attribute stands for many values, so a predicate is usable only if it is constant on every
bin. To decide that exactly, and not by samples, such an attribute may appear only in comparisons with
column-free expressions: their truth can change at those constants and nowhere else. Any part of a predicate
that is not known to give one definite answer for each record (subqueries, windows, random()) is refused.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from lowkey.attributes import Ordered
from lowkey.errors import InvalidInput
from lowkey.schema import Schema

Node = Mapping[str, Any]

VALUES = frozenset({"COLUMN_REF", "CONSTANT", "CAST", "COLLATE", "FUNCTION", "TYPE"})
CONDITIONS = frozenset({"BETWEEN", "CASE", "COMPARISON", "CONJUNCTION", "OPERATOR"})
NULL_TESTS = ("OPERATOR_IS_NULL", "OPERATOR_IS_NOT_NULL")
MEMBERSHIPS = ("COMPARE_IN", "COMPARE_NOT_IN")


@dataclass(frozen=True)
class Comparison:
    """An attribute compared with constants: DuckDB's name of the operator, and the constants as SQL."""

    attribute: str
    operator: str
    constants: tuple[str, ...]


@dataclass(frozen=True)
class Predicate:
    """A condition on one record: the attributes it mentions, comparisons with constants, functions."""

    text: str
    attributes: tuple[str, ...]
    comparisons: tuple[Comparison, ...]
    functions: frozenset[str]

    @property
    def select(self) -> str:
        """The predicate as an item of a SELECT; a comment at its end ends with the line."""
        return f"(\n{self.text}\n)"


def predicate_error(text: str, arrived: str, expected: str, advice: str = "") -> InvalidInput:
    """An error about a predicate, which it quotes."""
    return InvalidInput(f"the predicate {text!r}", arrived, expected, advice)


def duckdb_error(text: str, schema: Schema, message: object) -> InvalidInput:
    """DuckDB's own words, without its excerpt of the query that surrounds the predicate."""
    words = " ".join(re.split(r"LINE \d+:", str(message))[0].split())
    expected = f"a condition on {', '.join(schema.names)}"
    return predicate_error(text, "refused by DuckDB", expected, f"DuckDB says: {words}")


def read_predicate(connection: duckdb.DuckDBPyConnection, schema: Schema, text: str) -> Predicate:
    """Parse a predicate and check its form."""
    document = _parse(connection, schema, text)
    reading = _Reading(schema, text)
    reading.visit(document["statements"][0]["node"]["select_list"][0])
    comparisons = tuple(
        Comparison(name, operator, tuple(_unparse(connection, document, node) for node in constants))
        for name, operator, constants in reading.comparisons
    )
    names = tuple(name for name in schema.names if name in reading.mentioned)
    return Predicate(text, names, comparisons, frozenset(reading.functions))


class _Reading:
    """A walk over one predicate's syntax tree."""

    def __init__(self, schema: Schema, text: str) -> None:
        self.schema = schema
        self.text = text
        self.mentioned: set[str] = set()
        self.functions: set[str] = set()
        self.comparisons: list[tuple[str, str, list[Node]]] = []

    def visit(self, node: Node) -> None:
        if node["class"] not in VALUES | CONDITIONS:
            kind = str(node["class"]).lower().replace("_", " ")
            expected = "comparisons, AND, OR, NOT, CASE and functions of the attributes"
            raise predicate_error(self.text, f"not a condition on one record: it has a {kind}", expected)
        if node["class"] == "FUNCTION":
            self.functions.add(self._function_name(node))
        if node["class"] == "COLUMN_REF":
            self._mention(node)
        elif not self._visit_comparison(node):
            for child in _children(node):
                self.visit(child)

    def _visit_comparison(self, node: Node) -> bool:
        """Record a comparison of one bare attribute with constants; False where the node is none."""
        if node["class"] not in ("COMPARISON", "BETWEEN") and node["type"] not in NULL_TESTS + MEMBERSHIPS:
            return False
        operands = list(_children(node))
        names = {self._resolve(operand) for operand in operands if operand["class"] == "COLUMN_REF"}
        constants = [operand for operand in operands if operand["class"] != "COLUMN_REF"]
        if len(names) != 1 or any(_has_column(constant) for constant in constants):
            return False
        name = names.pop()
        self.mentioned.add(name)
        self.comparisons.append((name, node["type"], constants))
        for constant in constants:
            self.visit(constant)
        return True

    def _function_name(self, node: Node) -> str:
        """The function called; a qualified one is refused, for age.floor() hides a column in the qualifier.

        DuckDB 1 qualifies some of its own operators with the schema main and keeps the qualifiers apart.
        """
        name = str(node["function_name"])
        path = node.get("qualified_name", {}).get("path", [])
        qualifiers = {*path[:-1], node.get("schema"), node.get("catalog")} - {"", None}
        builtin = qualifiers <= {"main"} and "main" not in map(str.lower, self.schema.names)
        if qualifiers and not builtin:
            arrived = f"calling {name} with a dot before it"
            raise predicate_error(self.text, arrived, f"calls such as {name}(...)")
        return name

    def _mention(self, node: Node) -> None:
        name = self._resolve(node)
        self.mentioned.add(name)
        if isinstance(self.schema[name], Ordered):
            arrived = f"using {name!r} other than in a comparison with numbers"
            expected = f"comparisons such as {name} >= 65, {name} < 25 or {name} BETWEEN 25 AND 50"
            advice = f"A bin of {name!r} stands for many values: of other expressions it cannot be decided."
            raise predicate_error(self.text, arrived, expected, advice)

    def _resolve(self, node: Node) -> str:
        """The attribute that a column reference means: SQL names do not distinguish case."""
        written = ".".join(node["column_names"])
        for name in self.schema.names:
            if len(node["column_names"]) == 1 and name.lower() == written.lower():
                return name
        expected = f"only {', '.join(self.schema.names)}"
        advice = "Text is written in single quotes: plan = 'pro'."
        raise predicate_error(self.text, f"about an unknown attribute, {written!r}", expected, advice)


def _children(node: Node) -> Iterator[Node]:
    """The expressions right below an expression, however deep the lists and mappings that hold them."""
    for value in node.values():
        yield from _outermost(value)


def _outermost(value: object) -> Iterator[Node]:
    if isinstance(value, Mapping) and "class" in value:
        yield value
    elif isinstance(value, Mapping):
        yield from _children(value)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for entry in value:
            yield from _outermost(entry)


def _has_column(node: Node) -> bool:
    return node["class"] == "COLUMN_REF" or any(_has_column(child) for child in _children(node))


def _parse(connection: duckdb.DuckDBPyConnection, schema: Schema, text: str) -> dict[str, Any]:
    """The syntax tree of SELECT (text); refused if the text is more than one expression."""
    document = _serialize(connection, text)
    if document["error"]:
        raise duckdb_error(text, schema, document["error_message"])
    if _frame(document) != _frame(_serialize(connection, "true")):
        raise predicate_error(text, "more than one condition", "a single expression, without SELECT or WHERE")
    return document


def _serialize(connection: duckdb.DuckDBPyConnection, text: str) -> dict[str, Any]:
    row = connection.execute("SELECT json_serialize_sql(?)", [f"SELECT (\n{text}\n)"]).fetchone()
    document: dict[str, Any] = json.loads(row[0]) if row else {}
    return document


def _frame(document: Mapping[str, Any]) -> object:
    """All of a parsed SELECT but the expression that it selects."""
    nodes = [statement["node"] for statement in document["statements"]]
    return [{**node, "select_list": len(node.get("select_list", []))} for node in nodes]


def _unparse(connection: duckdb.DuckDBPyConnection, document: Mapping[str, Any], expression: Node) -> str:
    """An expression of a parsed SELECT as a SELECT of its own."""
    statement = document["statements"][0]
    node = {**statement["node"], "select_list": [expression]}
    alone = json.dumps({**document, "statements": [{**statement, "node": node}]})
    row = connection.execute("SELECT json_deserialize_sql(?::JSON)", [alone]).fetchone()
    return str(row[0]) if row else ""
