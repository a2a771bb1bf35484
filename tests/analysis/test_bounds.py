"""The paper's lower bound: its formula, its literal example, and that no mechanism beats it."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lowkey as lk
from lowkey.analysis.bounds import singular_value_sum
from lowkey.errors import InvalidInput


@pytest.mark.parametrize("epsilon", [0.25, 1.0, 2.0])
def test_histogram_as_in_the_paper(epsilon: float) -> None:
    """N ≥ (1/α)(1/e^ε − 1/n)."""
    bound = lk.lower_bound(lk.workloads.histogram(64), epsilon)
    assert bound.sample_complexity(64, alpha=0.01) == pytest.approx(100 * (math.exp(-epsilon) - 1 / 64), rel=1e-9)
    assert bound.kind == "singular values"


@pytest.mark.parametrize("objective", ["worst", "average"])
def test_it_is_the_singular_value_formula(objective: str) -> None:
    workload, n = lk.workloads.all_range(9), 9
    matrix = workload.to_dense()
    expected = np.linalg.svd(matrix, compute_uv=False).sum() ** 2 / (n * math.e) - (matrix**2).sum() / n
    assert lk.lower_bound(workload, 1.0, objective).value == pytest.approx(expected, rel=1e-8)


def test_a_prior_weighs_the_columns() -> None:
    prior = np.array([1, 2, 3, 4]) / 10
    matrix = lk.workloads.prefix(4).to_dense()
    nuclear = np.linalg.svd(matrix * np.sqrt(prior), compute_uv=False).sum()
    expected = nuclear**2 * math.exp(-0.1) - float(prior @ (matrix**2).sum(axis=0))
    assert lk.lower_bound(lk.workloads.prefix(4), 0.1, "average", prior).value == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 3.0])
@pytest.mark.parametrize(
    "workload", [lk.workloads.prefix(8), lk.workloads.histogram(8), lk.workloads.k_way_marginals([2, 2, 2], 2)]
)
def test_no_strategy_beats_it(workload: lk.workloads.Workload, epsilon: float) -> None:
    priors = [None, np.array([8, 7, 6, 5, 4, 3, 2, 1.0])]
    for prior in priors:
        bound = lk.lower_bound(workload, epsilon, "average", prior)
        for name in ("randomized_response", "hadamard", "subset_selection", "fourier", "haar"):
            analysis = lk.analyze(workload, lk.mechanisms.create(name, 8, epsilon), prior)
            assert bound.value <= analysis.average * (1 + 1e-12)
            assert bound.value <= analysis.worst_case * (1 + 1e-12)


def test_where_the_formula_is_negative_it_proves_nothing() -> None:
    bound = lk.lower_bound(lk.workloads.histogram(4), 3.0)
    assert bound.value == 0
    assert bound.gap(10.0) == math.inf


def test_the_gap_is_the_excess_over_the_bound() -> None:
    bound = lk.lower_bound(lk.workloads.histogram(64), 1.0)
    assert bound.gap(3 * bound.value) == pytest.approx(2)


def test_rounding_of_a_singular_gram_matrix_never_raises_the_sum() -> None:
    factor = np.random.default_rng(0).normal(size=(3, 200))
    exact = np.linalg.svd(factor, compute_uv=False).sum()
    assert singular_value_sum(factor.T @ factor) <= exact * (1 + 1e-14)
    assert singular_value_sum(factor.T @ factor) == pytest.approx(exact, rel=1e-9)


def test_the_objective_must_exist() -> None:
    with pytest.raises(InvalidInput, match="expected one of worst, average"):
        lk.lower_bound(lk.workloads.histogram(4), 1.0, "median")
