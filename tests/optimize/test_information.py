"""Each formula of the module's docstring beside its slow version."""

from __future__ import annotations

import math
from dataclasses import replace

import array_api_strict
import numpy as np
import pytest
from two_level_cases import WORKLOADS, gains, information, phi, problem_of, some_design

import lowkey as lk
from lowkey.optimize.arrays import ON_CPU, Arrays
from lowkey.optimize.information import TRACES, evaluate, problem_on, spread
from lowkey.optimize.weights import Design

CASES = [(name, epsilon) for name in WORKLOADS for epsilon in (0.01, 1.0, 5.0)]


@pytest.fixture(params=CASES, ids=lambda case: f"{case[0]}-{case[1]}")
def case(request: pytest.FixtureRequest) -> tuple[lk.workloads.Workload, float, Design]:
    name, epsilon = request.param
    return WORKLOADS[name], epsilon, some_design(WORKLOADS[name].shape[1], epsilon)


Case = tuple[lk.workloads.Workload, float, Design]


def test_the_inverse_is_that_of_the_information_beside_the_people(case: Case) -> None:
    """X⁻¹ = ππᵀ + Y⁻ and Y⁻ 1 = 0."""
    workload, epsilon, design = case
    inverse = evaluate(problem_of(workload, epsilon), *design).inverse
    whole = inverse + np.outer(design.prior, design.prior)
    np.testing.assert_allclose(whole @ information(design), np.eye(workload.shape[1]), atol=1e-7)
    np.testing.assert_allclose(inverse @ np.ones(workload.shape[1]), 0, atol=1e-9 * np.abs(inverse).max())


def test_the_value_is_the_trace(case: Case) -> None:
    workload, epsilon, design = case
    assert evaluate(problem_of(workload, epsilon), *design).value == pytest.approx(
        phi(workload.gram(), design), rel=1e-7
    )


def test_the_middle_and_the_products_follow_from_the_inverse(case: Case) -> None:
    workload, epsilon, design = case
    point = evaluate(problem_of(workload, epsilon), *design)
    middle = point.inverse @ workload.gram() @ point.inverse
    np.testing.assert_allclose(point.middle, middle, rtol=0, atol=1e-9 * np.abs(middle).max())
    products = design.levels @ middle
    np.testing.assert_allclose(point.products, products, rtol=0, atol=1e-9 * np.abs(products).max())
    np.testing.assert_allclose(point.scale, design.levels @ design.prior, rtol=1e-14)


@pytest.mark.parametrize("name", WORKLOADS)
def test_the_gains_are_minus_the_derivative(name: str) -> None:
    """By central differences, along changes that leave Σ_s w_s s = 1 as it is."""
    workload = WORKLOADS[name]
    design = some_design(workload.shape[1], 1.0)
    rng = np.random.default_rng(3)
    change = rng.normal(size=design.outputs) * design.weights
    change -= np.linalg.lstsq(design.levels.T, change @ design.levels)[0]
    step = 1e-6 / np.abs(change / design.weights).max()
    ahead, behind = (
        phi(workload.gram(), design._replace(weights=design.weights + sign * step * change)) for sign in (1, -1)
    )
    point = evaluate(problem_of(workload, 1.0), *design)
    assert -point.gains @ change == pytest.approx((ahead - behind) / (2 * step), rel=1e-5)


def test_the_variances_are_those_of_the_analysis(case: Case) -> None:
    workload, epsilon, design = case
    problem = problem_of(workload, epsilon)
    mechanism = lk.mechanisms.TwoLevelMechanism(
        problem.bits(design.levels), design.weights, epsilon, design_prior=design.prior
    )
    variances = evaluate(problem, *design).variances
    np.testing.assert_allclose(variances, lk.analyze(workload, mechanism).per_type, rtol=1e-6)


def test_the_value_less_the_spread_is_the_mean_variance(case: Case) -> None:
    workload, epsilon, design = case
    problem = problem_of(workload, epsilon)
    point = evaluate(problem, *design)
    rest = design.prior @ spread(problem, design.prior)
    assert design.prior @ point.variances == pytest.approx(point.value - rest, rel=1e-9)


def test_the_spread_is_the_squared_distance_from_the_mean_type() -> None:
    workload, prior = lk.workloads.prefix(7), some_design(7, 1.0).prior
    away = np.eye(7) - prior
    expected = ((workload.to_dense() @ away.T) ** 2).sum(axis=0)
    np.testing.assert_allclose(spread(problem_of(workload, 1.0), prior), expected, rtol=1e-12)


def test_the_multipliers_are_the_best_fit_of_the_gains(case: Case) -> None:
    """Weighted least squares of g_s by νᵀs with weights w_s/c_s."""
    workload, epsilon, design = case
    point = evaluate(problem_of(workload, epsilon), *design)
    root = np.sqrt(design.weights / point.scale)
    fitted = np.linalg.lstsq(design.levels * root[:, None], point.gains * root)[0]
    prices = design.levels @ fitted
    np.testing.assert_allclose(design.levels @ point.multipliers, prices, rtol=0, atol=1e-6 * np.abs(prices).max())


def test_the_mean_surplus_is_nothing(case: Case) -> None:
    """Σ_s w_s (g_s − νᵀs) = 0: what one pattern has too much another lacks."""
    workload, epsilon, design = case
    point = evaluate(problem_of(workload, epsilon), *design)
    assert design.weights * point.scale @ point.surplus(design.levels, np) == pytest.approx(0, abs=1e-9)


def test_gains_do_not_count_the_people() -> None:
    """X⁻¹ in place of Y⁻ shifts every gain by a price νᵀs that is the same for all: nothing is preferred by it."""
    workload, design = WORKLOADS["prefix"], some_design(7, 1.0)
    point = evaluate(problem_of(workload, 1.0), *design)
    shift = gains(workload.gram(), design, design.levels) - point.gains
    fitted = design.levels @ np.linalg.lstsq(design.levels, shift)[0]
    np.testing.assert_allclose(fitted, shift, atol=1e-8 * np.abs(shift).max())


@pytest.mark.parametrize("epsilon", [0.1, 3.0])
def test_a_workload_of_low_rank_has_the_value_of_its_own_directions(epsilon: float) -> None:
    """Where patterns cover all directions the trace of information in unseen ones changes hardly anything."""
    workload, design = lk.workloads.parity(3, 1), some_design(8, epsilon)
    problem = replace(problem_of(workload, epsilon), trace=TRACES[-1])
    assert evaluate(problem, *design).value == pytest.approx(phi(workload.gram(), design), rel=1e-6)


def test_too_few_patterns_leave_a_finite_point() -> None:
    problem = problem_of(lk.workloads.prefix(4), 1.0)
    coin = problem.levels(np.array([[True, True, False, False], [False, False, True, True]]))
    point = evaluate(problem, coin, np.full(2, 1 / (1 + problem.high)), np.full(4, 0.25))
    assert np.isfinite(point.value)
    assert point.value > 1e6  # and says that it tells nothing of three directions


def test_it_uses_nothing_beyond_the_array_standard() -> None:
    workload, design = WORKLOADS["prefix"], some_design(7, 1.0)
    strict = problem_of(workload, 1.0, Arrays(array_api_strict))
    found = evaluate(strict, *map(array_api_strict.asarray, design))
    expected = evaluate(problem_of(workload, 1.0), *design)
    assert found.value == pytest.approx(expected.value, rel=1e-12)
    for one, other in zip(found[1:], expected[1:], strict=True):
        np.testing.assert_allclose(np.asarray(one), other, rtol=1e-9, atol=1e-9)


def test_weights_that_are_no_numbers_have_a_value_that_is_none() -> None:
    """As on a GPU, where an inversion of what is not finite raises instead of passing it on."""
    problem = problem_on(np.eye(3), 1.0, ON_CPU)
    levels = problem.levels(np.eye(3, dtype=bool))
    with np.errstate(all="ignore"):
        point = evaluate(problem, levels, np.zeros(3), np.full(3, 1 / 3))
    assert math.isnan(point.value)
