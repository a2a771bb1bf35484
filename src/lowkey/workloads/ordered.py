"""Workloads with one attribute whose values are not alike (ranges), and tables of all the others.

Shifting the values of the others changes nothing, so with P_S the projector on the interaction S of these,

    WᵀW / N  =  Σ_S A_S ⊗ P_S,      A_S = Σ_parts g_S · gram,

N being the number of their cells, and a matrix A_S over the values of the ordered attribute for each set S of others.
A part is the product of queries on the ordered attribute (with this Gram matrix) and tables, which weigh S with g_S
(see `interactions.py`; here the empty set counts too). No number here grows with the domain.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from lowkey.checks import Matrix, Vector
from lowkey.workloads.attribute_groups import regrouped
from lowkey.workloads.interactions import Interactions, Subset, Table, interactions_of

if TYPE_CHECKING:
    from lowkey.workloads.base import Workload


@dataclass(frozen=True)
class Term:
    """Every query of `queries`, which sees the values of `attribute`, times every query of the tables; × weight.

    Query number a and number b of the tables are together number start + a·step + b·table_step. Without an
    attribute it is the tables alone.
    """

    attribute: int | None
    queries: Workload | None
    tables: tuple[Table, ...]
    weight: float = 1.0
    start: int = 0
    step: int = 0
    table_step: int = 1

    def at(self, places: Sequence[Subset]) -> Term | None:
        """The same over finer attributes, `places` telling which of them each is made of."""
        tables = regrouped(self.tables, places)
        if self.attribute is None:
            return replace(self, tables=tables)
        mine = places[self.attribute]
        return replace(self, attribute=mine[0], tables=tables) if len(mine) == 1 else None

    def scaled(self, weight: float, offset: int) -> Term:
        """As a part of a stack."""
        return replace(self, weight=self.weight * weight, start=self.start + offset)


Terms = tuple[Term, ...]


def terms_at(terms: Terms | None, places: Sequence[Subset] | None) -> Terms | None:
    """All terms over finer attributes; None where one of them cannot be read so."""
    if terms is None or places is None:
        return None
    found = [term.at(places) for term in terms]
    return None if None in found else tuple(term for term in found if term is not None)


def crossed(left: Workload, right: Workload) -> Terms | None:
    """The terms of a product of two workloads, one of which is tables; where both are, one has a single attribute."""
    one, other = _factors(left, right), _factors(right, left)
    if one is None or other is None:
        return None
    shift = len(left.sizes)
    other = terms_at(other, [(shift + place,) for place in range(len(right.sizes))])
    if other is None:
        return None
    queries = right.shape[0]
    return _times(one, other, queries, 1) if _are_tables(other) else _times(other, one, 1, queries)


def queries_on_one(workload: Workload) -> Term:
    """A workload over one attribute as queries on it, whatever they are."""
    return Term(0, workload, (Table((), 1.0, 0),), step=1)


def _factors(own: Workload, beside: Workload) -> Terms | None:
    terms, others = own.terms(), beside.terms()
    both = terms is not None and others is not None and _are_tables((*terms, *others))
    return (queries_on_one(own),) if both and len(own.sizes) == 1 else terms


def _are_tables(terms: Terms) -> bool:
    return all(term.attribute is None for term in terms)


def _times(terms: Terms, tables: Terms, step: int, table_step: int) -> Terms | None:
    """Terms with an attribute, asked for nothing else, times terms that are tables."""
    if not _are_tables(tables) or any(term.attribute is None or term.tables[0].attributes for term in terms):
        return None
    return tuple(
        Term(
            term.attribute,
            term.queries,
            table.tables,
            term.weight * term.tables[0].weight * table.weight,
            term.start * step + table.start * table_step,
            term.step * step,
            table.table_step * table_step,
        )
        for term in terms
        for table in tables
    )


@dataclass(frozen=True, eq=False)
class Part:
    """Queries on the ordered attribute with this Gram matrix, times tables that weigh the sets of others so."""

    gram: Matrix
    weights: Mapping[Subset, float]


@dataclass(frozen=True, eq=False)
class OrderedInteractions:
    """`sizes` of all attributes, and which of them is `attribute`, the ordered one."""

    sizes: tuple[int, ...]
    attribute: int
    parts: tuple[Part, ...]

    @property
    def values(self) -> int:
        """Of the ordered attribute."""
        return self.sizes[self.attribute]

    @cached_property
    def subsets(self) -> tuple[Subset, ...]:
        """The sets of other attributes that some query needs, by degree."""
        return tuple(sorted({subset for part in self.parts for subset in part.weights}, key=lambda s: (len(s), s)))

    def signature(self, subset: Subset) -> Vector:
        """g_S of each part."""
        return np.array([part.weights.get(subset, 0.0) for part in self.parts])

    def gram(self, subset: Subset) -> Matrix:
        """A_S."""
        return self.combined(self.signature(subset))

    def combined(self, weights: Vector) -> Matrix:
        """The parts' Gram matrices, so often each."""
        total: Matrix = sum(
            (weight * part.gram for weight, part in zip(weights.tolist(), self.parts, strict=True)),
            start=np.zeros((self.values, self.values)),
        )
        return total

    def dimension(self, subset: Subset) -> int:
        """How many characters S has."""
        return Interactions(self.sizes, {}).dimension(subset)

    @cached_property
    def diagonal(self) -> Vector:
        """Of WᵀW, for each value of the ordered attribute: the others' values do not matter."""
        counts = [sum(g * self.dimension(s) for s, g in part.weights.items()) for part in self.parts]
        return self.combined(np.array(counts)).diagonal().copy()


def ordered_interactions_of(workload: Workload, attribute: int | None = None) -> OrderedInteractions | None:
    """None where the queries are no such products, or more than one attribute is ordered.

    attribute: the one that is to count as ordered; None is that which is not in tables, and None where all are.
    """
    terms = workload.terms()
    attributes = {term.attribute for term in terms or () if term.attribute is not None}
    chosen = attributes | ({attribute} - {None})
    if terms is None or len(chosen) != 1:
        return None
    place, sizes = int(chosen.pop() or 0), workload.sizes
    return OrderedInteractions(sizes, place, _merged(part for term in terms for part in _parts(term, place, sizes)))


def _parts(term: Term, attribute: int, sizes: tuple[int, ...]) -> list[Part]:
    """Tables alone leave the ordered attribute out, ask for each of its values, or for the parity of its two."""
    if term.queries is not None:
        return [_part(term.queries.gram(), term.weight, term.tables, sizes)]
    values = sizes[attribute]
    signs = 1.0 - 2.0 * np.arange(values)
    grams: dict[tuple[bool, bool], Matrix] = {
        (False, False): np.ones((values, values)),
        (False, True): np.ones((values, values)),
        (True, False): np.identity(values),
        (True, True): np.outer(signs, signs),
    }
    kinds = {kind: [t for t in term.tables if (attribute in t.attributes, t.is_parity) == kind] for kind in grams}
    return [
        _part(grams[kind], term.weight, [_without(table, attribute) for table in tables], sizes)
        for kind, tables in kinds.items()
        if tables
    ]


def _part(gram: Matrix, weight: float, tables: Iterable[Table], sizes: tuple[int, ...]) -> Part:
    found = interactions_of(sizes, tables)
    weights: dict[Subset, float] = {(): found.total, **found.weights}
    return Part(gram, {subset: weight**2 * g for subset, g in weights.items() if g > 0})


def _without(table: Table, attribute: int) -> Table:
    return replace(table, attributes=tuple(other for other in table.attributes if other != attribute))


def _merged(parts: Iterable[Part]) -> tuple[Part, ...]:
    """Parts with one Gram matrix as one."""
    merged: list[Part] = []
    for part in parts:
        place = next((i for i, other in enumerate(merged) if np.array_equal(other.gram, part.gram)), len(merged))
        known = merged[place].weights if place < len(merged) else {}
        both = {s: known.get(s, 0.0) + part.weights.get(s, 0.0) for s in {**known, **part.weights}}
        merged[place : place + 1] = [Part(part.gram, both)]
    return tuple(merged)
