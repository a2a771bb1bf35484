"""The variance formulas against the paper's worked examples and against enumeration."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lowkey as lk
from lowkey.checks import Matrix, Vector
from lowkey.errors import InvalidInput, QueryNotAnswerable
from lowkey.mechanisms import Mechanism


def randomized_response(cells: int, epsilon: float) -> Mechanism:
    return lk.mechanisms.create("randomized_response", cells, epsilon)


def slow_per_type(workload: Matrix, strategy: Matrix, prior: Vector) -> Vector:
    """The Variance theorem with every matrix written out: Σ_i v_iᵀ Diag(q_u) v_i − (v_iᵀ q_u)²."""
    scale = np.diag(1 / (strategy @ prior))
    decoder = workload @ np.linalg.pinv(strategy.T @ scale @ strategy, hermitian=True) @ strategy.T @ scale
    return np.array(
        [sum(row @ np.diag(column) @ row - (row @ column) ** 2 for row in decoder) for column in strategy.T]
    )


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("n", [2, 5, 64])
def test_randomized_response_on_histogram_as_in_the_paper(n: int, epsilon: float) -> None:
    e = math.exp(epsilon)
    analysis = lk.analyze(lk.workloads.histogram(n), randomized_response(n, epsilon))
    expected = (n - 1) * (n / (e - 1) ** 2 + 2 / (e - 1))
    np.testing.assert_allclose(analysis.per_type, expected, rtol=1e-9)
    assert analysis.worst_case == pytest.approx(expected, rel=1e-9)
    assert analysis.average == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("epsilon", [1e-2, 1e-4, 1e-6])
def test_small_budgets_keep_their_digits(epsilon: float) -> None:
    """Where reports tell next to nothing beside the number of people: Hadamard's rows cost 4(n − 1)e^ε/(e^ε − 1)²."""
    n, rise = 100, math.expm1(epsilon)
    histogram = lk.workloads.histogram(n)
    response, hadamard = (
        lk.analyze(histogram, lk.mechanisms.create(name, n, epsilon)) for name in ("randomized_response", "hadamard")
    )
    np.testing.assert_allclose(response.per_type, (n - 1) * (n / rise**2 + 2 / rise), rtol=1e-7)
    np.testing.assert_allclose(hadamard.per_type, 4 * (n - 1) * (rise + 1) / rise**2, rtol=1e-4)


@pytest.mark.parametrize("alpha", [0.01, 0.5])
def test_sample_complexity_of_randomized_response_as_in_the_paper(alpha: float) -> None:
    n, e = 7, math.e
    analysis = lk.analyze(lk.workloads.histogram(n), randomized_response(n, 1.0))
    expected = (n - 1) / (alpha * n) * (n / (e - 1) ** 2 + 2 / (e - 1))
    assert analysis.sample_complexity(alpha=alpha) == pytest.approx(expected, rel=1e-9)


def test_the_decoder_of_randomized_response_is_its_inverse() -> None:
    """The paper's example of V for the Histogram workload."""
    n, e = 4, math.e
    decoder = np.asarray(lk.analyze(lk.workloads.histogram(n), randomized_response(n, 1.0)).decoder)
    expected = (np.full((n, n), -1.0) + np.eye(n) * (e + n - 1)) / (e - 1)
    np.testing.assert_allclose(decoder, expected, atol=1e-9)


@pytest.mark.parametrize("name", ["randomized_response", "hadamard", "hierarchical", "fourier", "subset_selection"])
@pytest.mark.parametrize("uniform", [True, False])
def test_per_type_variance_is_the_theorem(name: str, uniform: bool) -> None:
    workload = lk.workloads.stack([lk.workloads.prefix(6), lk.workloads.histogram(6)], weights=[1, 2])
    mechanism = lk.mechanisms.create(name, 6, 1.3)
    prior = np.full(6, 1 / 6) if uniform else np.array([1, 2, 3, 4, 5, 6]) / 21
    analysis = lk.analyze(workload, mechanism, None if uniform else prior)
    slow = slow_per_type(workload.to_dense(), mechanism.to_dense(), prior)
    np.testing.assert_allclose(analysis.per_type, slow, rtol=1e-8)
    assert analysis.average == pytest.approx(float(prior @ slow), rel=1e-8)


def test_the_expected_squared_error_is_the_total_variance_by_enumeration() -> None:
    """Three people, every combination of their outputs."""
    workload, mechanism = lk.workloads.prefix(3), lk.mechanisms.create("hadamard", 3, 1.0)
    strategy, people = mechanism.to_dense(), [0, 2, 2]
    population = np.bincount(people, minlength=3)
    analysis = lk.analyze(workload, mechanism)
    decoder, truth = np.asarray(analysis.decoder), workload.matvec(population)
    expected = 0.0
    for outputs in itertools.product(range(strategy.shape[0]), repeat=3):
        probability = math.prod(strategy[o, u] for o, u in zip(outputs, people, strict=True))
        responses = np.bincount(outputs, minlength=strategy.shape[0])
        expected += probability * float(((decoder @ responses - truth) ** 2).sum())
    assert analysis.total_variance(population) == pytest.approx(expected, rel=1e-9)


@given(st.integers(0, 1000), st.floats(0.2, 4))
def test_no_other_unbiased_decoder_has_less_variance_under_the_prior(seed: int, epsilon: float) -> None:
    mechanism = lk.mechanisms.create("hadamard", 5, epsilon)
    strategy, workload = mechanism.to_dense(), lk.workloads.prefix(5)
    analysis = lk.analyze(workload, mechanism)
    decoder = np.asarray(analysis.decoder)
    null = np.eye(strategy.shape[0]) - strategy @ np.linalg.pinv(strategy)
    other = decoder + np.random.default_rng(seed).normal(size=decoder.shape) @ null
    np.testing.assert_allclose(other @ strategy, workload.to_dense(), atol=1e-8)
    scale = strategy.mean(axis=1)
    assert (decoder**2 @ scale).sum() <= (other**2 @ scale).sum() * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("name", ["randomized_response", "hadamard", "hierarchical", "haar", "square_wave"])
@pytest.mark.parametrize("kind", ["prefix", "histogram", "all_range"])
def test_worst_case_is_bounded_by_the_average_as_in_the_paper(kind: str, name: str, epsilon: float) -> None:
    """L_avg ≤ L_worst ≤ e^ε (L_avg + N/n ‖W‖²), the theorem "Bounds on L_worst"."""
    workload = getattr(lk.workloads, kind)(12)
    analysis = lk.analyze(workload, lk.mechanisms.create(name, 12, epsilon))
    norm = (workload.to_dense() ** 2).sum() / 12
    assert analysis.average <= analysis.worst_case * (1 + 1e-12)
    assert analysis.worst_case <= math.exp(epsilon) * (analysis.average + norm) * (1 + 1e-12)


def test_data_dependent_sample_complexity_uses_the_mix_of_types() -> None:
    analysis = lk.analyze(lk.workloads.prefix(4), lk.mechanisms.create("hadamard", 4, 1.0))
    everyone_worst = np.eye(4)[int(np.argmax(analysis.per_type))] * 500
    assert analysis.sample_complexity(x=everyone_worst) == pytest.approx(analysis.sample_complexity())
    assert analysis.sample_complexity(x=[1, 1, 1, 1]) == pytest.approx(analysis.average / (4 * 0.01))


def test_repeated_and_dependent_queries_count_each_time() -> None:
    once, mechanism = lk.workloads.prefix(5), lk.mechanisms.create("hadamard", 5, 1.0)
    twice = lk.workloads.stack([once, once])
    assert lk.analyze(twice, mechanism).worst_case == pytest.approx(2 * lk.analyze(once, mechanism).worst_case)


def test_families_are_judged_without_their_weight() -> None:
    mechanism = lk.mechanisms.create("hadamard", 5, 1.0)
    both = lk.workloads.stack([lk.workloads.prefix(5), lk.workloads.histogram(5)], weights=[3, 0.5])
    analysis = lk.analyze(both, mechanism)
    prefix, histogram = analysis.families
    assert prefix.worst_case == pytest.approx(lk.analyze(lk.workloads.prefix(5), mechanism).worst_case)
    assert histogram.error(1000) == pytest.approx(math.sqrt(histogram.worst_case / (5 * 1000)))
    np.testing.assert_allclose(9 * prefix.per_type + 0.25 * histogram.per_type, analysis.per_type, rtol=1e-9)


def test_a_query_that_cannot_be_answered_is_named() -> None:
    low_degree = lk.mechanisms.create("fourier", 8, 1.0, degree=1)
    with pytest.raises(
        QueryNotAnswerable, match=r"nothing in its outputs determines query \d \(.+\).*Choose a mechanism"
    ):
        lk.analyze(lk.workloads.histogram(8), low_degree)
    assert lk.analyze(lk.workloads.parity(3, 1), low_degree).worst_case > 0


@pytest.mark.parametrize("workload", ["prefix", None, np.eye(4)])
def test_what_is_no_workload_is_refused(workload: Any) -> None:
    with pytest.raises(InvalidInput, match=r"the workload is .*; expected a Workload\. Use lowkey\.workloads"):
        lk.analyze(workload, randomized_response(4, 1.0))
    with pytest.raises(InvalidInput, match="the workload is"):
        lk.compare(workload, 1.0)


def test_what_is_no_mechanism_is_refused() -> None:
    mechanism: Any = "hadamard"
    with pytest.raises(InvalidInput, match=r"the mechanism is 'hadamard'; .*Use mechanisms\.create"):
        lk.analyze(lk.workloads.histogram(4), mechanism)


def test_mismatched_domains_are_refused() -> None:
    with pytest.raises(InvalidInput, match="9 cells; expected the workload's 8 cells"):
        lk.analyze(lk.workloads.histogram(8), randomized_response(9, 1.0))


@pytest.mark.parametrize("alpha", [0, -1, math.nan, "0.01", True])
def test_alpha_must_be_positive(alpha: object) -> None:
    analysis = lk.analyze(lk.workloads.histogram(3), randomized_response(3, 1.0))
    with pytest.raises(InvalidInput, match=r"alpha is .*expected a positive number"):
        analysis.sample_complexity(alpha=alpha)  # type: ignore[arg-type]
