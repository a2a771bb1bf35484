"""Tables, interactions and classes: against the matrix, and against every exchange of two attributes."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from math import prod

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from workload_cases import CASES

from lowkey import workloads
from lowkey.checks import Matrix
from lowkey.schema import Categorical, Schema
from lowkey.workloads import Workload
from lowkey.workloads.interactions import (
    Interactions,
    Table,
    _sums_one_by_one,
    _sums_over_masks,
    classes,
    interactions_of,
)

BINARY = Schema([Categorical(f"q{i}", ["no", "yes"]) for i in range(4)])
PARTS = [
    workloads.histogram(8).on(BINARY, "q3", "q0", "q1"),
    workloads.k_way_marginals([2, 2, 2], 2).on(BINARY, "q2", "q0", "q3"),
    workloads.parity(4, 2).on(BINARY, "q1", "q3", "q0", "q2"),
    workloads.histogram(16),
    workloads.all_marginals([16]),
]
MADE_OF_TABLES = [
    *[case.workload for case in CASES if case.workload.tables() is not None],
    workloads.stack(PARTS, weights=[2, 0.5, 1, 3, 0.1]),
    workloads.product([workloads.parity(2, 2), workloads.parity(1, 1)]),
    workloads.product([workloads.k_way_marginals([2, 3], 1), workloads.histogram(3)]),
    workloads.product([workloads.k_way_marginals([2, 3], 0), workloads.all_marginals([2, 2]), workloads.histogram(2)]),
    workloads.k_way_marginals([2, 3], 1).on(
        Schema([Categorical("a", range(3)), Categorical("b", ["x"]), Categorical("c", range(2))]), "c", "b", "a"
    ),
]
every_table_workload = pytest.mark.parametrize("workload", MADE_OF_TABLES, ids=str)


def table_matrix(table: Table, sizes: Sequence[int]) -> Matrix:
    """The table's queries, cell by cell of the domain."""
    cells = list(itertools.product(*(range(size) for size in sizes)))
    own = [tuple(cell[attribute] for attribute in table.attributes) for cell in cells]
    if table.is_parity:
        return np.array([[table.weight * (-1.0) ** sum(values) for values in own]])
    combinations = itertools.product(*(range(sizes[attribute]) for attribute in table.attributes))
    return np.array([[table.weight * (values == wanted) for values in own] for wanted in combinations])


def interaction_projection(subset: Sequence[int], sizes: Sequence[int]) -> Matrix:
    """The projection onto the functions of exactly these attributes: centred in these, constant in the others."""
    factors = [np.full((n, n), 1 / n) if i not in subset else np.eye(n) - 1 / n for i, n in enumerate(sizes)]
    result = np.ones((1, 1))
    for factor in factors:
        result = np.kron(result, factor)
    return result


@every_table_workload
def test_tables_are_the_whole_workload(workload: Workload) -> None:
    tables = workload.tables()
    assert tables is not None
    assert prod(workload.sizes) == workload.shape[1]
    found = np.zeros(workload.shape)
    for table in tables:
        rows = table_matrix(table, workload.sizes)
        assert table.queries(workload.sizes) == len(rows)
        found[table.start : table.start + len(rows)] += rows
    np.testing.assert_allclose(found, workload.to_dense(), rtol=1e-15)
    assert sum(table.queries(workload.sizes) for table in tables) == workload.shape[0]


@every_table_workload
def test_the_gram_matrix_is_the_sum_of_its_interactions(workload: Workload) -> None:
    interactions = workload.interactions
    assert interactions is not None
    n = workload.shape[1]
    gram = n * interactions.total * interaction_projection((), workload.sizes)
    for subset, weight in interactions.weights.items():
        assert list(subset) == sorted(subset)
        projection = interaction_projection(subset, workload.sizes)
        assert interactions.dimension(subset) == pytest.approx(np.trace(projection))
        gram += n * weight * projection
    np.testing.assert_allclose(gram, workload.gram(), rtol=1e-12, atol=1e-12 * gram.max())


@pytest.mark.parametrize(
    "workload",
    [
        workloads.prefix(4),
        workloads.all_range(3),
        workloads.from_matrix(np.eye(2)),
        workloads.stack([workloads.histogram(4), workloads.prefix(4)]),
        workloads.stack([workloads.all_marginals([2, 3]), workloads.all_marginals([3, 2])]),
        workloads.product([workloads.histogram(2), workloads.all_marginals([2, 2])]),
        workloads.product([workloads.histogram(2), workloads.parity(1, 1)]),
        workloads.product([workloads.prefix(2), workloads.histogram(2)]),
        workloads.k_way_marginals([2, 2], 1).on(Schema([Categorical("one", range(4))]), "one"),
    ],
    ids=str,
)
def test_what_is_not_made_of_tables_says_so(workload: Workload) -> None:
    assert workload.tables() is None
    assert workload.interactions is None


@given(st.data())
def test_both_ways_to_sum_over_supersets_agree(data: st.DataObject) -> None:
    subsets = st.lists(st.integers(0, 6), max_size=4, unique=True).map(lambda members: tuple(sorted(members)))
    shares = data.draw(st.dictionaries(subsets, st.floats(0.1, 10), min_size=1, max_size=8))
    attributes = tuple(sorted({attribute for subset in shares for attribute in subset}))
    slow, fast = _sums_one_by_one(shares), _sums_over_masks(shares, attributes)
    assert fast == pytest.approx(slow, rel=1e-13)


def test_all_marginals_have_the_product_formula() -> None:
    sizes = (2, 3, 1, 4)
    interactions = workloads.all_marginals(sizes).interactions
    assert interactions is not None
    for subset, weight in interactions.weights.items():
        varying = prod(1 / n if i in subset else 1 + 1 / n for i, n in enumerate(sizes) if n > 1)
        expected = 2 * varying  # the attribute with one value may be in a table or not
        assert weight == pytest.approx(expected)


def swapped(subset: Sequence[int], one: int, other: int) -> tuple[int, ...]:
    exchange = {one: other, other: one}
    return tuple(sorted(exchange.get(attribute, attribute) for attribute in subset))


@given(st.data())
def test_classes_are_those_of_every_exchange(data: st.DataObject) -> None:
    sizes = tuple(data.draw(st.lists(st.integers(1, 3), min_size=1, max_size=6)))
    varying = [attribute for attribute, size in enumerate(sizes) if size > 1]
    chosen = st.lists(st.sampled_from(varying), unique=True) if varying else st.just([])
    drawn = data.draw(st.lists(st.tuples(chosen, st.sampled_from([1.0, 2.0])), max_size=5))
    tables = [Table(tuple(subset), weight, 0) for subset, weight in drawn]
    if data.draw(st.booleans()):
        tables += [Table(tuple(pair), 1.0, 0) for pair in itertools.combinations(varying, 2)]
    interactions = interactions_of(sizes, tables)
    found = classes(interactions)
    assert sorted(attribute for group in found for attribute in group) == varying
    group_of = {attribute: group for group in found for attribute in group}
    for one, other in itertools.combinations(varying, 2):
        same = sizes[one] == sizes[other] and all(
            interactions.weights.get(swapped(subset, one, other), 0.0) == pytest.approx(weight, rel=1e-12)
            for subset, weight in interactions.weights.items()
        )
        assert (group_of[one] == group_of[other]) == same


def test_a_hundred_attributes_are_one_class_until_one_is_asked_more_of() -> None:
    schema = Schema([Categorical(f"q{i}", [0, 1]) for i in range(100)])
    pairs = workloads.k_way_marginals([2] * 100, 2).on(schema, *schema.names)
    assert isinstance(pairs.interactions, Interactions)
    assert classes(pairs.interactions) == (tuple(range(100)),)
    more = workloads.stack([pairs, workloads.histogram(4).on(schema, "q70", "q7")]).interactions
    assert more is not None
    assert set(classes(more)) == {tuple(i for i in range(100) if i not in (7, 70)), (7, 70)}
