"""From weights to a mechanism: sums made exact, and nothing else changed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from two_level_cases import problem_of, some_design

import lowkey as lk
from lowkey.mechanisms.two_level import high_level
from lowkey.optimize.finish import exact_weights, mechanism_of

EPSILONS = st.sampled_from([1e-4, 0.01, 0.5, 1.0, 4.0, 12.0, 30.0])


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 24), EPSILONS, st.sampled_from([1e-9, 1e-4, 1e-2]))
def test_sums_become_exact_and_weights_stay_close(seed: int, cells: int, epsilon: float, off: float) -> None:
    """Whatever the ε, from sums that are off by up to 1%."""
    design = some_design(cells, epsilon, seed)
    bumped = design.weights * np.random.default_rng(seed).uniform(1 - off, 1 + off, design.outputs)
    weights = exact_weights(design.levels, bumped)
    assert (weights > 0).all()
    sums = [math.fsum(column) for column in (weights[:, None] * design.levels).T]
    np.testing.assert_allclose(sums, 1, atol=1e-13)
    missing = np.abs(bumped @ design.levels - 1).max()
    assert np.abs((weights - bumped) @ design.levels).max() <= 2 * missing + 1e-12


def test_exact_weights_stay_as_they_are() -> None:
    """Half and half of a pattern and its complement, at ε = ln 3: sums of quarters are exact."""
    levels = np.array([[3.0, 1.0], [1.0, 3.0]])
    np.testing.assert_array_equal(exact_weights(levels, np.array([0.25, 0.25])), [0.25, 0.25])


def test_a_mechanism_keeps_patterns_weights_and_prior() -> None:
    design, problem = some_design(7, 1.0), problem_of(lk.workloads.prefix(7), 1.0)
    mechanism = mechanism_of(problem, design)
    np.testing.assert_array_equal(mechanism.patterns, design.levels > 2)
    np.testing.assert_allclose(mechanism.weights, design.weights, rtol=1e-12)
    assert mechanism.design_prior is not None
    np.testing.assert_allclose(mechanism.design_prior, design.prior, rtol=1e-14)


def test_an_even_prior_is_none() -> None:
    design, problem = some_design(7, 1.0, even=True), problem_of(lk.workloads.prefix(7), 1.0)
    assert mechanism_of(problem, design).design_prior is None


def test_rows_that_never_occur_are_left_out() -> None:
    design, problem = some_design(7, 1.0), problem_of(lk.workloads.prefix(7), 1.0)
    weights = design.weights.copy()
    weights[0] *= 1e-15
    assert mechanism_of(problem, design._replace(weights=weights)).shape[0] == design.outputs - 1


@pytest.mark.parametrize("blend", [1e-7, 0.1])
def test_a_blend_is_that_share_of_randomized_response(blend: float) -> None:
    design, problem = some_design(5, 1.0), problem_of(lk.workloads.prefix(5), 1.0)
    blended = mechanism_of(problem, design, blend).to_dense()
    simple = lk.mechanisms.create("randomized_response", 5, 1.0).to_dense()
    np.testing.assert_allclose(blended[-5:], blend * simple, rtol=1e-6)
    np.testing.assert_allclose(blended[:-5], (1 - blend) * mechanism_of(problem, design).to_dense(), rtol=1e-6)


def test_ratios_are_within_epsilon_in_doubles() -> None:
    design, problem = some_design(9, 1.0), problem_of(lk.workloads.prefix(9), 1.0)
    strategy = mechanism_of(problem, design).to_dense()
    assert (strategy.max(axis=1) <= math.exp(1) * strategy.min(axis=1)).all()
    assert (strategy.max(axis=1) / strategy.min(axis=1)).min() == pytest.approx(high_level(1.0), rel=1e-15)
