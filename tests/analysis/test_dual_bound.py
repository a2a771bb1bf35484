"""dual_bound: exact at the optimum, below it anywhere else; its maximum over patterns against all of them."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest
from bound_cases import CASES, exact_optimum, ridge, skewed
from hypothesis import given, settings
from hypothesis import strategies as st

import lowkey as lk
from lowkey.analysis.dual_bound import centred, dual_bound
from lowkey.analysis.pattern_maximum import PatternFunction, attained, by_enumeration, by_slices, slice_of
from lowkey.analysis.relaxed_optimum import relaxed_optimum_value
from lowkey.analysis.slice_relaxation import Multipliers, no_multipliers, pairing_bound, slice_value, tighten
from lowkey.checks import Matrix, Vector

EPSILONS = (0.5, 1.0, 2.0, 4.0)


def prior_of(n: int, is_uniform: bool) -> Vector:
    return np.full(n, 1 / n) if is_uniform else skewed(n)


def all_bits(n: int) -> Matrix:
    return (np.arange(2**n)[:, None] >> np.arange(n) & 1).astype(np.float64)


@pytest.mark.parametrize("is_uniform", [True, False], ids=["uniform", "skewed"])
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(
    "workload",
    [
        lk.workloads.histogram(5),
        lk.workloads.prefix(8),
        lk.workloads.all_range(7),
        lk.workloads.k_way_marginals([2, 2, 2], 2),
        lk.workloads.prefix(12),
    ],
    ids=lambda workload: f"{workload.name}-{workload.shape[1]}",
)
def test_every_bound_stays_below_the_optimum_and_the_dual_one_meets_it(
    workload: lk.workloads.Workload, epsilon: float, is_uniform: bool
) -> None:
    gram, prior = workload.gram(), prior_of(workload.shape[1], is_uniform)
    optimum = exact_optimum(gram, epsilon, prior)
    assert optimum.gap < 1e-7
    found = dual_bound(gram, epsilon, prior, optimum.middle, optimum.multipliers)
    assert optimum.value * (1 - (1e-6 if ridge(gram) == 0 else 1e-2)) <= found <= optimum.value
    for kind in ("singular values", "nuclear norm", "relaxation"):
        assert lk.lower_bound(workload, epsilon, "average", prior, kind).value <= optimum.value


@pytest.mark.parametrize(("n", "value"), [(10, 34.29512), (16, 74.80857)])
def test_exact_optima_of_prefix(n: int, value: float) -> None:
    gram, prior = lk.workloads.prefix(n).gram(), np.full(n, 1 / n)
    optimum = exact_optimum(gram, 1.0, prior)
    assert round(optimum.value, 5) == value
    assert round(dual_bound(gram, 1.0, prior, optimum.middle, optimum.multipliers), 5) == value
    assert 0.99 * value <= relaxed_optimum_value(gram, 1.0, prior) <= value


def test_the_worst_case_optimum_is_above_the_worst_case_bound() -> None:
    """The optimum for a prior is a bound on every worst case; no prior's bound may exceed any strategy's worst case."""
    workload = lk.workloads.prefix(6)
    for epsilon in EPSILONS:
        strategy = exact_optimum(workload.gram(), epsilon, np.full(6, 1 / 6)).strategy
        strategy = strategy / strategy.sum(axis=0)
        mechanism = lk.mechanisms.dense.DenseMechanism(strategy, epsilon * (1 + 1e-12))
        assert lk.lower_bound(workload, epsilon).value <= lk.analyze(workload, mechanism).worst_case


@given(st.integers(0, 2**32 - 1), st.sampled_from(EPSILONS), st.booleans())
@settings(max_examples=60)
def test_any_dual_point_proves_at_most_the_optimum(seed: int, epsilon: float, is_uniform: bool) -> None:
    """Random ones, and the solver's with noise."""
    rng = np.random.default_rng(seed)
    workload = CASES[seed % len(CASES)]
    gram, prior = workload.gram(), prior_of(workload.shape[1], is_uniform)
    optimum = exact_optimum(gram, epsilon, prior, 1e-8)
    size = 10.0 ** rng.uniform(-9, 1)
    noise = rng.normal(size=gram.shape) * size * np.abs(optimum.middle).max()
    multipliers = optimum.multipliers * (1 + size * rng.normal(size=len(gram)))
    attained = optimum.value * (1 + 1e-12)
    assert dual_bound(gram, epsilon, prior, optimum.middle + noise, multipliers) <= attained
    assert dual_bound(gram, epsilon, prior, optimum.middle * rng.exponential(), multipliers) <= attained
    assert dual_bound(gram, epsilon, prior, noise @ noise.T, rng.normal(size=len(gram))) <= attained


@pytest.mark.parametrize("scale", [2.0**-500, 2.0**500])
def test_scaling_the_gram_matrix_by_a_power_of_two_scales_the_bound(scale: float) -> None:
    gram, prior = lk.workloads.prefix(5).gram(), skewed(5)
    optimum = exact_optimum(gram, 1.0, prior)
    base = dual_bound(gram, 1.0, prior, optimum.middle, optimum.multipliers)
    assert dual_bound(gram * scale, 1.0, prior, optimum.middle * scale, optimum.multipliers * scale) == base * scale


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_subset_selection_is_optimal_for_histogram(epsilon: float) -> None:
    """n = 24 is beyond enumeration: its own information matrix aI + bJ proves that nothing is better."""
    n = 24
    mechanism = lk.mechanisms.create("subset_selection", n, epsilon)
    attained_by_it = lk.analyze(lk.workloads.histogram(n), mechanism).average
    step = n * (n - 1) / (n * (attained_by_it + 1) - 1)  # tr X⁻¹ = 1/n + (n−1)/step, and X1 = n1
    information = step * np.eye(n) + (n - step) / n
    middle = np.linalg.inv(information) @ np.linalg.inv(information)
    found = dual_bound(np.eye(n), epsilon, np.full(n, 1 / n), middle, np.zeros(n))
    assert attained_by_it * (1 - 1e-3) <= found <= attained_by_it


def test_what_is_no_dual_point_proves_nothing() -> None:
    gram, prior = np.eye(3), np.full(3, 1 / 3)
    for middle in (np.zeros((3, 3)), -np.eye(3), np.full((3, 3), np.nan)):
        assert dual_bound(gram, 1.0, prior, middle, np.ones(3)) == 0
    assert dual_bound(gram, 1.0, prior, np.eye(3), np.array([1.0, np.inf, 1.0])) == 0
    assert dual_bound(np.eye(1), 1.0, np.ones(1), np.eye(1), np.ones(1)) == 0


def random_function(seed: int, n: int) -> PatternFunction:
    rng = np.random.default_rng(seed)
    prior = rng.dirichlet(np.full(n, 3.0)) if seed % 2 else np.full(n, 1 / n)
    return PatternFunction(
        rng.normal(size=(n, 1 + seed % n)), rng.normal(size=n) / n, prior, float(rng.uniform(0.2, 5))
    )


@given(st.integers(0, 2**32 - 1), st.integers(2, 9), st.floats(0.1, 10))
@settings(max_examples=40)
def test_slices_bound_what_enumeration_finds(seed: int, n: int, guess: float) -> None:
    function = random_function(seed, n)
    largest = by_enumeration(function)
    assert by_slices(function, guess * abs(largest) + 1e-3, math.inf) >= largest - 2 * function.error


@given(st.integers(0, 2**32 - 1), st.integers(2, 8))
@settings(max_examples=60)
def test_every_slice_is_bounded_by_any_multipliers(seed: int, n: int) -> None:
    rng = np.random.default_rng(seed)
    function, guess = random_function(seed, n), float(rng.exponential())
    bits = all_bits(n)
    values = function.values(bits) - guess
    for ones in range(1, n):
        part = slice_of(function, ones, guess)
        chosen = bits[:, :].sum(axis=1) == ones
        weights = 1 + function.spread * bits[chosen] @ function.prior
        largest = float((values[chosen] * (weights / part.least) ** 2).max())
        multipliers = Multipliers(rng.normal(size=n), rng.exponential(size=n * (n - 1) // 2))
        for start in (no_multipliers(n), multipliers):
            assert slice_value(part, start) >= largest
        assert pairing_bound(part) >= largest
        assert tighten(part, multipliers, -math.inf)[0] >= largest


def optimal_function(workload: lk.workloads.Workload, epsilon: float, prior: Vector) -> PatternFunction:
    """h at the optimum: K and μ of the solver's M and ν."""
    optimum = exact_optimum(workload.gram(), epsilon, prior)
    return PatternFunction(*centred(optimum.middle, optimum.multipliers, prior), prior, epsilon)


@pytest.mark.parametrize("is_uniform", [True, False], ids=["uniform", "skewed"])
@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_slices_come_close_to_enumeration_at_an_optimum(epsilon: float, is_uniform: bool) -> None:
    """At the optimum of Prefix the relaxed maximum is at most 2% above the true one."""
    function = optimal_function(lk.workloads.prefix(10), epsilon, prior_of(10, is_uniform))
    largest = by_enumeration(function)
    assert largest <= by_slices(function, attained(function), math.inf) <= 1.02 * largest


@given(st.integers(0, 2**32 - 1), st.integers(2, 9))
@settings(max_examples=30)
def test_the_guess_is_a_value_that_is_taken(seed: int, n: int) -> None:
    function = random_function(seed, n)
    values = function.values(all_bits(n))
    assert np.isclose(values, attained(function), rtol=1e-12, atol=1e-12).any()


def test_the_guess_is_the_maximum_at_an_optimum() -> None:
    function = optimal_function(lk.workloads.prefix(10), 2.0, skewed(10))
    assert attained(function) == pytest.approx(by_enumeration(function), rel=1e-6)


def test_when_time_is_up_the_bound_is_weaker_and_still_proved() -> None:
    function = random_function(4, 9)
    hurried = by_slices(function, 1.0, time.monotonic() - 1)
    assert hurried >= by_slices(function, 1.0, math.inf) >= by_enumeration(function) - 2 * function.error


@pytest.mark.slow
@pytest.mark.parametrize(
    ("workload", "reached"),
    [
        (lk.workloads.prefix(64), 14.032),
        (lk.workloads.all_range(64), 580.19),
        (lk.workloads.all_marginals([2] * 6), 155.30),
        (lk.workloads.k_way_marginals([2] * 6, 3), 46.901),
        (lk.workloads.parity(6, 3), 136.77),
        (lk.workloads.histogram(64), 3.7544),
    ],
    ids=lambda value: str(value)[:30],
)
def test_large_epsilon_is_bounded_within_a_tenth_of_what_was_reached(
    workload: lk.workloads.Workload, reached: float
) -> None:
    bound = lk.lower_bound(workload, 4.0)
    assert 0.9 * reached <= bound.value <= reached
