"""Bounds from attribute sets: those of the Gram matrix, and lower_bound on domains without one."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lowkey as lk
from lowkey.analysis.interaction_bounds import nuclear_norm_of, singular_values_of
from lowkey.analysis.nuclear_norm_bound import nuclear_norm_value
from lowkey.analysis.singular_value_bound import singular_value_value
from lowkey.errors import TooLarge
from lowkey.schema import Categorical, Schema
from lowkey.workloads import Workload

WORKLOADS = [
    lk.workloads.k_way_marginals([2] * 4, 2),
    lk.workloads.parity(4, 3),
    lk.workloads.all_marginals([2] * 6),
    lk.workloads.k_way_marginals([4, 2, 8], 2),
    lk.workloads.stack([lk.workloads.histogram(64), lk.workloads.parity(6, 1)], [0.3, 2]),
]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("workload", WORKLOADS, ids=str)
def test_they_are_those_of_the_gram_matrix(workload: Workload, epsilon: float) -> None:
    found, uniform = workload.interactions, np.full(workload.shape[1], 1 / workload.shape[1])
    assert found is not None
    nuclear = nuclear_norm_value(workload.gram(), epsilon, uniform)
    assert nuclear_norm_of(found, epsilon) == pytest.approx(nuclear, rel=1e-9)
    assert nuclear_norm_of(found, epsilon) >= nuclear
    paper = singular_value_value(workload.gram(), epsilon, uniform)
    assert singular_values_of(found, epsilon) == pytest.approx(paper, rel=1e-9)


def test_the_formula_for_a_hundred_attributes_from_below() -> None:
    """Parities at e^ε = 4: 4e^ε/(e^ε−1)² = 16/9, K parities but the constant."""
    number = 100 + 4950
    bound = lk.lower_bound(lk.workloads.parity(100, 2), math.log(4), kind="nuclear norm")
    exact = 16 / 9 * number**2 - number
    assert exact * (1 - 1e-12) < bound.value < exact
    assert bound.prior is None
    paper = lk.lower_bound(lk.workloads.parity(100, 2), math.log(4), kind="singular values")
    assert paper.value == pytest.approx((number + 1) ** 2 / 4 - (number + 1), rel=1e-12)


@pytest.mark.parametrize("kind", ["singular values", "nuclear norm", "relaxation", None])
@pytest.mark.parametrize("objective", ["worst", "average"])
def test_a_workload_on_many_questions_is_bounded(kind: str | None, objective: str) -> None:
    schema = Schema([Categorical(f"q{i}", range(10)) for i in range(15)])
    workload = lk.workloads.k_way_marginals([10] * 15, 2).on(schema, *schema.names)
    bound = lk.lower_bound(workload, 1.0, objective, kind=kind)
    assert 0 < bound.value <= lk.lower_bound(workload, 1.0).value
    table = lk.analyze(lk.workloads.histogram(100), lk.mechanisms.create("subset_selection", 100, 1.0)).worst_case
    assert bound.value < math.comb(15, 2) ** 2 * (table + 1)  # each person answers one table, drawn at random


def test_at_2048_cells_nothing_is_lost_against_all_slices() -> None:
    bound = lk.lower_bound(lk.workloads.parity(11, 3), 1.0)
    assert bound.kind == "relaxation"
    assert bound.value > 199_464  # by slices, from the Gram matrix


def test_a_prior_over_a_domain_without_vectors_is_refused() -> None:
    with pytest.raises(TooLarge, match="vector over the domain"):
        lk.lower_bound(lk.workloads.parity(100, 2), 1.0, "average", prior=[1.0])
    with pytest.raises(TooLarge, match="vector over the domain"):
        lk.lower_bound(lk.workloads.product([lk.workloads.prefix(2**16)] * 2), 1.0)


def test_categorical_tables_gain_from_the_relaxation_at_large_epsilon() -> None:
    workload = lk.workloads.k_way_marginals([6, 6, 6], 2)
    nuclear = lk.lower_bound(workload, 4.0, kind="nuclear norm")
    best = lk.lower_bound(workload, 4.0)
    assert best.kind == "relaxation"
    assert best.value > 1.05 * nuclear.value
    attained = lk.analyze(workload, lk.mechanisms.create("subset_selection", 216, 4.0)).worst_case
    assert best.value < attained
