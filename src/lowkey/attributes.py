"""Attributes: what one column of a survey may hold, and the place of each value among its labels."""

from __future__ import annotations

import math
import numbers
import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise
from typing import Literal

import numpy as np

from lowkey.checks import check_choice
from lowkey.encoding import Codes, Column, Kind, encode_labels, encode_numbers, format_number, kind_of, quote
from lowkey.errors import InvalidInput

Label = str | int | bool
Outside = Literal["error", "clip"]


@dataclass(frozen=True, init=False)
class Categorical:
    """An attribute with named values: labels that are all text, all whole numbers, or true and false.

    A value is matched by equality within its kind: 1 and 1.0 are the label 1; True and "1" are not.

    >>> Categorical("plan", ["free", "pro", "team"]).size
    3
    """

    name: str
    labels: tuple[Label, ...]
    kind: Kind = field(repr=False)  # tells [0, 1] from [False, True], which Python calls equal

    def __init__(self, name: str, labels: Iterable[Label]) -> None:
        object.__setattr__(self, "name", check_name(name))
        object.__setattr__(self, "labels", _check_labels(name, labels))
        object.__setattr__(self, "kind", kind_of(type(self.labels[0])))

    @property
    def size(self) -> int:
        return len(self.labels)

    def encode(self, column: Column) -> Codes:
        """The place of each value among the labels; EncodingError for the first that is none of them."""
        return encode_labels(self.name, column, self.labels, self.kind)

    def value(self, index: int) -> str:
        """One value in words: "plan = pro"."""
        return f"{self.name} = {self.labels[index]}"

    def span(self, first: int, last: int) -> str:
        """Neighbouring labels in words: "plan from free to pro"."""
        if first == last:
            return self.value(first)
        return f"{self.name} from {self.labels[first]} to {self.labels[last]}"

    def to_document(self) -> dict[str, object]:
        return {"kind": "categorical", "name": self.name, "labels": list(self.labels)}


@dataclass(frozen=True, init=False)
class Ordered:
    """A number, grouped into the half-open bins [e₀, e₁), [e₁, e₂), … of increasing edges; ±inf may be edges.

    outside: what a value below e₀ or not below the last edge means. "error" (the default) refuses the record;
    "clip" puts it into the first or the last bin, which then stand for "… and below" and "… and above".

    >>> age = Ordered("age", edges=[0, 18, 65, 120])
    >>> age.labels
    ('[0, 18)', '[18, 65)', '[65, 120)')
    >>> age.encode([17.9, 18]).tolist()
    [0, 1]
    """

    name: str
    edges: tuple[float, ...]
    outside: Outside = "error"

    def __init__(self, name: str, edges: Iterable[float], outside: Outside = "error") -> None:
        object.__setattr__(self, "name", check_name(name))
        object.__setattr__(self, "edges", _check_edges(name, edges))
        object.__setattr__(self, "outside", check_choice(f"outside of {name!r}", outside, ("error", "clip")))

    @property
    def size(self) -> int:
        return len(self.edges) - 1

    @cached_property
    def labels(self) -> tuple[str, ...]:
        """The bins: "[18, 25)"."""
        return tuple(self._interval(i, i) for i in range(self.size))

    def encode(self, column: Column) -> Codes:
        """The bin of each number (or bin's label); EncodingError for the first that is neither or lies outside."""
        return encode_numbers(self.name, column, self.edges, self.labels, clip=self.outside == "clip")

    def value(self, index: int) -> str:
        """One bin in words: "age in [18, 25)"."""
        return self.span(index, index)

    def span(self, first: int, last: int) -> str:
        """Neighbouring bins in words: "age in [18, 65)"."""
        return f"{self.name} in {self._interval(first, last)}"

    def reach(self, index: int) -> tuple[float, float]:
        """The least value and the bound above of what a bin holds, values clipped into it included."""
        low, high = self.edges[index], self.edges[index + 1]
        if self.outside == "error":
            return low, high
        return (-math.inf if index == 0 else low), (math.inf if index == self.size - 1 else high)

    def to_document(self) -> dict[str, object]:
        edges = [_edge_to_document(edge) for edge in self.edges]
        return {"kind": "ordered", "name": self.name, "edges": edges, "outside": self.outside}

    def _interval(self, first: int, last: int) -> str:
        return f"[{format_number(self.edges[first])}, {format_number(self.edges[last + 1])})"


Attribute = Categorical | Ordered


def attribute_from_document(document: object) -> Attribute:
    """The attribute that `to_document` wrote."""
    if not isinstance(document, Mapping) or document.get("kind") not in ("categorical", "ordered"):
        expected = 'a mapping with "kind": "categorical" or "ordered"'
        raise InvalidInput("an attribute of the schema document", document, expected)
    categorical = document["kind"] == "categorical"
    keys = ("kind", "name", "labels") if categorical else ("kind", "name", "edges", "outside")
    if set(document) != set(keys):
        arrived, expected = ", ".join(map(str, document)), f"exactly {', '.join(keys)}"
        raise InvalidInput("the keys of an attribute of the schema document", arrived, expected)
    if categorical:
        return Categorical(document["name"], document["labels"])
    edges = document["edges"]
    if not isinstance(edges, list | tuple):
        raise InvalidInput(f"the edges of {document['name']!r}", quote(edges), "a list of numbers")
    return Ordered(document["name"], [_edge_from_document(edge) for edge in edges], document["outside"])


def check_name(name: object) -> str:
    """The name of an attribute: text without control characters or blanks around it."""
    expected = "a non-empty text without blanks around it"
    if not isinstance(name, str) or not name or name != name.strip():
        raise InvalidInput("the name of an attribute", quote(name), expected)
    if any(unicodedata.category(letter) in ("Cc", "Cs") for letter in name):
        raise InvalidInput("the name of an attribute", quote(name), "a text without control characters")
    return str(name)


def _check_labels(name: str, labels: Iterable[Label]) -> tuple[Label, ...]:
    what, expected = f"the labels of {name!r}", "a list of texts, of whole numbers, or of true and false"
    if isinstance(labels, str | bytes | Mapping) or not isinstance(labels, Iterable):
        raise InvalidInput(what, quote(labels), expected)
    values = tuple(_check_label(what, label) for label in labels)
    if not values:
        raise InvalidInput(what, "an empty list", "at least one label")
    kinds = sorted({kind_of(type(value)) or "" for value in values})
    if len(kinds) > 1:
        arrived = f"a mixture of {' and '.join(kinds)}"
        raise InvalidInput(what, arrived, "labels of one kind", "Quote the numbers.")
    seen: set[Label] = set()
    for value in values:
        if value in seen:
            raise InvalidInput(what, f"a list with {value!r} twice", "labels that differ")
        seen.add(value)
    return values


def _check_label(what: str, label: object) -> Label:
    if isinstance(label, bool | np.bool_):
        return bool(label)
    if isinstance(label, numbers.Integral):
        if not -(2**63) <= int(label) < 2**63:
            advice = "Quote it: make it a text."
            raise InvalidInput(what, f"a list with {label}", "whole numbers of 64 bits", advice)
        return int(label)
    if isinstance(label, str):
        if any(unicodedata.category(letter) == "Cs" for letter in label):
            raise InvalidInput(what, f"a list with {label!r}", "texts of whole Unicode characters")
        return str(label)
    advice = "For bins of a number use Ordered." if isinstance(label, numbers.Real) else ""
    raise InvalidInput(what, f"a list with {label!r}", "texts, whole numbers, or true and false", advice)


def _check_edges(name: str, edges: Iterable[float]) -> tuple[float, ...]:
    what, expected = f"the edges of {name!r}", "at least two increasing numbers"
    if isinstance(edges, str | bytes | Mapping) or not isinstance(edges, Iterable):
        raise InvalidInput(what, quote(edges), expected)
    values = tuple(_check_edge(what, edge) for edge in edges)
    if len(values) < 2:
        raise InvalidInput(what, f"a list of {len(values)}", expected, "k bins have k + 1 edges.")
    for low, high in pairwise(values):
        if not low < high:
            arrived = f"a list with {format_number(high)} after {format_number(low)}"
            raise InvalidInput(what, arrived, "edges that increase")
    return values


def _check_edge(what: str, edge: object) -> float:
    if isinstance(edge, bool | np.bool_) or not isinstance(edge, numbers.Real):
        raise InvalidInput(what, f"a list with {edge!r}", "numbers")
    try:
        value = float(edge)
    except OverflowError:
        raise InvalidInput(what, f"a list with {edge}", "numbers that a double holds") from None
    if math.isnan(value):
        raise InvalidInput(what, "a list with NaN", "numbers", "Infinite edges are allowed: inf, -inf.")
    return value + 0.0  # −0.0 becomes 0.0


def _edge_to_document(edge: float) -> float | int | str:
    if math.isinf(edge):
        return "inf" if edge > 0 else "-inf"
    return int(edge) if edge.is_integer() and abs(edge) < 2**53 else edge


def _edge_from_document(edge: object) -> float:
    if edge in ("inf", "-inf") or (isinstance(edge, int | float) and not isinstance(edge, bool)):
        return float(edge)
    raise InvalidInput("an edge of the schema document", quote(edge), 'a number, "inf" or "-inf"')
