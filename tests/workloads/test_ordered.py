"""Tables times queries on one ordered attribute: block by block they are the Gram matrix."""

from __future__ import annotations

import functools

import numpy as np
import pytest

import lowkey as lk
from lowkey.checks import Matrix
from lowkey.schema import Categorical, Ordered, Schema
from lowkey.workloads import Workload
from lowkey.workloads.ordered import OrderedInteractions

SCHEMA = Schema(
    [
        Categorical("plan", ["free", "pro"]),
        Ordered("age", edges=[0, 18, 65, 120]),
        Categorical("country", ["DE", "FR", "IT"]),
        Categorical("member", ["no", "yes"]),
    ]
)
OTHERS = ("plan", "country", "member")
AGES_BY_PAIRS = lk.workloads.product([lk.workloads.prefix(3), lk.workloads.k_way_marginals([2, 3, 2], 2)])
PLACED = AGES_BY_PAIRS.on(SCHEMA, "age", *OTHERS)
STACKED = lk.workloads.stack(
    [
        PLACED,
        lk.workloads.k_way_marginals([2, 3, 2], 2).on(SCHEMA, *OTHERS),
        lk.workloads.prefix(3).on(SCHEMA, "age"),
        lk.workloads.all_range(3).on(SCHEMA, "age"),
        lk.workloads.histogram(6).on(SCHEMA, "age", "member"),
        lk.workloads.parity(2, 2).on(SCHEMA, "plan", "member"),
    ],
    [1, 2, 0.5, 0.3, 1.5, 0.7],
)
ORDERED = [
    AGES_BY_PAIRS,
    lk.workloads.product([lk.workloads.k_way_marginals([2, 3, 2], 1), lk.workloads.all_range(3)]),
    lk.workloads.product([lk.workloads.ranges(4, 2, 3), lk.workloads.parity(3, 2)]),
    lk.workloads.product([lk.workloads.from_matrix([[1, 2], [0, 1]]), lk.workloads.histogram(3)]),
    lk.workloads.stack(
        [lk.workloads.product([lk.workloads.prefix(2), lk.workloads.histogram(2)]), lk.workloads.parity(2, 2)]
    ),
    lk.workloads.product([lk.workloads.histogram(3), lk.workloads.k_way_marginals([2, 2], 1)]),
    PLACED,
    STACKED,
    lk.workloads.renamed(STACKED, "survey"),
]
UNORDERED = [
    lk.workloads.product([lk.workloads.prefix(3), lk.workloads.prefix(4)]),
    lk.workloads.k_way_marginals([2, 3, 2], 2),
    lk.workloads.prefix(6).on(SCHEMA, "age", "plan"),
]


def gram_of(found: OrderedInteractions) -> Matrix:
    """N Σ_S A_S ⊗ P_S with the projectors written out."""
    total = np.zeros((1, 1))
    for subset in found.subsets:
        factors = []
        for place, size in enumerate(found.sizes):
            even = np.full((size, size), 1 / size)
            other = np.eye(size) - even if place in subset else even
            factors.append(found.gram(subset) if place == found.attribute else other)
        total = total + functools.reduce(np.kron, factors)
    return total * (np.prod(found.sizes) / found.values)


@pytest.mark.parametrize("workload", ORDERED, ids=str)
def test_the_blocks_are_the_gram_matrix(workload: Workload) -> None:
    found = workload.ordered_interactions
    assert found is not None
    np.testing.assert_allclose(gram_of(found), workload.gram(), atol=1e-12)
    diagonal = np.moveaxis(workload.gram_diagonal().reshape(found.sizes), found.attribute, 0)
    np.testing.assert_allclose(diagonal.reshape(found.values, -1) - found.diagonal[:, None], 0, atol=1e-12)


@pytest.mark.parametrize("workload", ORDERED, ids=str)
def test_the_terms_number_the_queries(workload: Workload) -> None:
    """Query number start + a·step + b·table_step is query a on the ordered attribute and b of the tables."""
    terms, rows, seen = workload.terms(), workload.to_dense(), set()
    assert terms is not None
    for term in terms:
        asked = [np.ones(1)] if term.queries is None else list(term.queries.to_dense())
        for table in term.tables:
            for b in range(table.queries(workload.sizes)):
                for a, query in enumerate(asked):
                    number = term.start + a * term.step + (table.start + b) * term.table_step
                    norm = (query @ query) * table.weight**2 * term.weight**2
                    others = [i for i in range(len(workload.sizes)) if i not in (*table.attributes, term.attribute)]
                    repeats = np.prod([workload.sizes[i] for i in others])
                    if table.is_parity:
                        repeats *= np.prod([workload.sizes[i] for i in table.attributes])
                    assert rows[number] @ rows[number] == pytest.approx(norm * repeats)
                    seen.add(number)
    assert seen == set(range(workload.shape[0]))


@pytest.mark.parametrize("workload", UNORDERED, ids=str)
def test_none_where_there_is_no_single_ordered_attribute(workload: Workload) -> None:
    assert workload.ordered_interactions is None


def test_a_hundred_attributes_beside_the_ordered_one() -> None:
    others = lk.workloads.k_way_marginals([2] * 100, 2)
    found = lk.workloads.product([lk.workloads.prefix(32), others]).ordered_interactions
    assert found is not None
    assert others.interactions is not None
    assert len(found.subsets) == 1 + 100 + 4950
    assert found.signature((3, 7)).tolist() == [others.interactions.weights[2, 6]]
