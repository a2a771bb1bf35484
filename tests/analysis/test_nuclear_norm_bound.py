"""The nuclear norm bound: its formula, the prior that it is best at, and what rounding may do to it."""

from __future__ import annotations

import math

import numpy as np
import pytest
from bound_cases import skewed

import lowkey as lk
from lowkey.analysis.nuclear_norm_bound import nuclear_norm_prior, nuclear_norm_value
from lowkey.analysis.rounding import eigenvalues_from_below, largest_eigenvalue_from_above, root_sum
from lowkey.checks import Vector

# Worst case at n = 64, found by several hundred steps of an independent first-order search over priors.
FIGURES = [
    (lk.workloads.histogram(64), 0.5, 970.85),
    (lk.workloads.histogram(64), 4.0, 3.7302),
    (lk.workloads.prefix(64), 0.5, 2563.2),
    (lk.workloads.prefix(64), 1.0, 593.22),
    (lk.workloads.prefix(64), 2.0, 107.14),
    (lk.workloads.all_range(64), 1.0, 28_536),
    (lk.workloads.all_marginals([2] * 6), 2.0, 1658.0),
    (lk.workloads.k_way_marginals([2] * 6, 3), 4.0, 27.708),
    (lk.workloads.parity(6, 3), 1.0, 6149.6),
]


@pytest.mark.parametrize(("workload", "epsilon", "figure"), FIGURES, ids=lambda value: str(value)[:30])
def test_the_best_prior_gives_the_known_figure(workload: lk.workloads.Workload, epsilon: float, figure: float) -> None:
    assert lk.lower_bound(workload, epsilon, kind="nuclear norm").value == pytest.approx(figure, rel=1e-4)


@pytest.mark.parametrize("prior", [np.full(6, 1 / 6), skewed(6)], ids=["uniform", "skewed"])
@pytest.mark.parametrize("epsilon", [0.01, 1.0, 5.0])
def test_it_is_the_formula_written_out(prior: Vector, epsilon: float) -> None:
    matrix = np.array([[1.0, 2, 0, 0, 1, 0], [0, 1, 1, -1, 0, 0.5], [1, 1, 1, 1, 0, 0]])
    covariance = matrix @ (np.diag(prior) - np.outer(prior, prior)) @ matrix.T
    roots = np.sqrt(np.linalg.eigvalsh(covariance)).sum()
    expected = 4 * math.exp(epsilon) / (math.exp(epsilon) - 1) ** 2 * roots**2 - np.trace(covariance)
    assert nuclear_norm_value(matrix.T @ matrix, epsilon, prior) == pytest.approx(expected, rel=1e-6)


def test_it_grows_as_four_over_epsilon_squared() -> None:
    workload = lk.workloads.prefix(10)
    limit = [epsilon**2 * lk.lower_bound(workload, epsilon, kind="nuclear norm").value for epsilon in (1e-4, 1e-5)]
    covariance = np.linalg.svd(workload.to_dense() @ (np.eye(10) - 0.1), compute_uv=False).sum() ** 2 / 10
    assert limit[0] == pytest.approx(limit[1], rel=1e-6)
    assert limit[0] > 4 * covariance


@pytest.mark.parametrize(
    "workload", [lk.workloads.histogram(9), lk.workloads.all_marginals([2, 3]), lk.workloads.parity(4, 2)]
)
def test_workloads_with_a_transitive_symmetry_are_worst_at_the_uniform_prior(workload: lk.workloads.Workload) -> None:
    n = workload.shape[1]
    np.testing.assert_allclose(nuclear_norm_prior(workload.gram(), 1.0), np.full(n, 1 / n), rtol=1e-6)


def test_the_search_never_loses_against_the_uniform_prior() -> None:
    rng = np.random.default_rng(0)
    for _ in range(20):
        matrix = rng.normal(size=(3, 8)) * rng.exponential(size=8) ** 3
        gram = matrix.T @ matrix
        uniform, found = np.full(8, 1 / 8), nuclear_norm_prior(gram, 0.5)
        assert nuclear_norm_value(gram, 0.5, found) >= nuclear_norm_value(gram, 0.5, uniform)


def test_rounding_of_a_singular_gram_matrix_never_raises_the_sum() -> None:
    factor = np.random.default_rng(0).normal(size=(3, 200))
    exact = np.linalg.svd(factor, compute_uv=False).sum()
    error = 1e-14 * float(np.linalg.norm(factor) ** 2)
    assert root_sum(factor.T @ factor, error) <= exact * (1 + 1e-14)
    assert root_sum(factor.T @ factor, error) == pytest.approx(exact, rel=1e-9)


@pytest.mark.parametrize("scale", [2.0**-300, 1.0, 2.0**300])
def test_eigenvalues_known_exactly_are_bracketed(scale: float) -> None:
    """J + 3I has the eigenvalues 3 and n + 3."""
    for n in (1, 2, 7, 100):
        matrix = scale * (np.ones((n, n)) + 3 * np.eye(n))
        assert (eigenvalues_from_below(matrix) <= scale * np.array([3.0] * (n - 1) + [n + 3.0])).all()
        assert scale * (n + 3) <= largest_eigenvalue_from_above(matrix) <= scale * (n + 3) * (1 + 1e-10)


def test_where_the_integers_are_exact_the_bound_is_just_below() -> None:
    """Histogram at e^ε = 4: 4e^ε/(e^ε−1)² = 16/9, Σ_π has n − 1 eigenvalues 1/n."""
    for n in (2, 4, 16, 64):
        exact = 16 / 9 * (n - 1) ** 2 / n - (n - 1) / n
        found = nuclear_norm_value(np.eye(n), math.log(4), np.full(n, 1 / n))
        assert exact * (1 - 1e-9) < found < exact
