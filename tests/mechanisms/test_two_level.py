"""Rows with two levels: what they are, what is refused, and ratios that hold in exact arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lowkey as lk
from lowkey.errors import InvalidInput, TooLarge
from lowkey.mechanisms import DenseMechanism, TwoLevelMechanism
from lowkey.mechanisms.two_level import high_level

LN_3 = math.log(3)
TRIPLE = np.array([[True, True, False], [False, False, True]])


def random_mechanism(seed: int, cells: int, epsilon: float) -> TwoLevelMechanism:
    """Patterns and their complements, at the same weight: sums are 1."""
    rng = np.random.default_rng(seed)
    half = rng.random((int(rng.integers(1, 3 * cells + 1)), cells)) < rng.random()
    weights = rng.dirichlet(np.full(len(half), 0.3)) + 1e-9
    weights /= weights.sum() * (1 + high_level(epsilon))
    return TwoLevelMechanism(np.vstack([half, ~half]), np.concatenate([weights, weights]), epsilon)


def below_exp(epsilon: float) -> Fraction:
    """A rational number just below e^ε: the truncated Taylor series of the rational ε, each term rounded down."""
    exact, term, total = Fraction(epsilon), Fraction(1), Fraction(0)
    for order in range(1, 160):
        total += term
        term = Fraction(math.floor(term * exact / order * 2**200), 2**200)
    return total


def test_a_matrix_by_hand() -> None:
    """e^ε = 3 and weights ¼: three quarters for the cells in the pattern."""
    strategy = TwoLevelMechanism(TRIPLE, [0.25, 0.25], LN_3).to_dense()
    np.testing.assert_allclose(strategy, [[0.75, 0.75, 0.25], [0.25, 0.25, 0.75]], rtol=1e-14)


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12), st.floats(1e-4, 30))
def test_no_ratio_of_doubles_exceeds_e_to_epsilon(seed: int, cells: int, epsilon: float) -> None:
    """Exactly: as fractions, against a rational bound below e^ε."""
    limit = below_exp(epsilon)
    for row in random_mechanism(seed, cells, epsilon).to_dense():
        assert Fraction(float(row.max())) <= limit * Fraction(float(row.min()))


@pytest.mark.parametrize("epsilon", [1e-4, 0.5, 1.0, 8.0, 30.0])
def test_the_ratio_is_all_that_epsilon_allows(epsilon: float) -> None:
    assert high_level(epsilon) == pytest.approx(math.exp(epsilon), rel=1e-15)
    assert Fraction(high_level(epsilon)) < below_exp(epsilon)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 20), st.floats(1e-3, 12))
def test_products_are_those_of_the_matrix(seed: int, cells: int, epsilon: float) -> None:
    mechanism = random_mechanism(seed, cells, epsilon)
    strategy, rng = mechanism.to_dense(), np.random.default_rng(seed)
    x, v = rng.normal(size=cells), rng.normal(size=len(strategy))
    np.testing.assert_allclose(mechanism.matvec(x), strategy @ x, rtol=1e-10, atol=1e-12)
    np.testing.assert_allclose(mechanism.rmatvec(v), strategy.T @ v, rtol=1e-10, atol=1e-12)


def test_products_in_blocks_are_those_of_the_matrix(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lowkey.mechanisms.two_level.BLOCK_ENTRIES", 40)
    mechanism = random_mechanism(5, 20, 1.0)
    assert mechanism.shape[0] > 4
    np.testing.assert_allclose(mechanism.rmatvec(np.ones(mechanism.shape[0])), 1, rtol=1e-12)
    np.testing.assert_allclose(mechanism.matvec(np.eye(20)[3]), mechanism.to_dense()[:, 3], rtol=1e-14)


@pytest.mark.parametrize("cells", [1, 7, 8, 9, 17])
def test_patterns_come_back_as_they_were(cells: int) -> None:
    """Eight cells share a byte."""
    half = np.random.default_rng(cells).random((5, cells)) < 0.5
    patterns = np.vstack([half, ~half])
    mechanism = TwoLevelMechanism(patterns, np.full(10, 1 / (5 * (1 + high_level(1.0)))), 1.0)
    np.testing.assert_array_equal(mechanism.patterns, patterns)
    assert mechanism.patterns.dtype == np.bool_


def test_later_changes_of_what_was_given_change_nothing() -> None:
    patterns, weights = TRIPLE.copy(), np.array([0.25, 0.25])
    mechanism = TwoLevelMechanism(patterns, weights, LN_3)
    patterns[0, 0], weights[0] = False, 9.0
    np.testing.assert_allclose(mechanism.to_dense()[0], [0.75, 0.75, 0.25], rtol=1e-14)


def test_people_report_as_their_column_says() -> None:
    """A million of type 1: each output within five standard errors."""
    mechanism = random_mechanism(2, 6, 1.0)
    counts = mechanism.simulate([0, 10**6, 0, 0, 0, 0], np.random.default_rng(0)).values
    column = mechanism.to_dense()[:, 1]
    assert (np.abs(counts - 1e6 * column) < 5 * np.sqrt(1e6 * column) + 5).all()


def test_it_keeps_its_epsilon_and_none_smaller() -> None:
    mechanism = TwoLevelMechanism(TRIPLE, [0.25, 0.25], LN_3)
    assert mechanism.is_ldp(LN_3)
    assert mechanism.is_ldp(LN_3 + 0.1)
    assert not mechanism.is_ldp(LN_3 - 1e-6)


def test_rows_without_two_levels_tell_nothing() -> None:
    silent = TwoLevelMechanism([[True, True], [False, False]], [0.25, 0.25], LN_3)
    assert silent.is_ldp(1e-9)


def test_the_analysis_is_tuned_for_the_design_prior() -> None:
    workload, prior = lk.workloads.prefix(6), np.array([30, 20, 20, 10, 10, 10]) / 100
    patterns = np.vstack([np.eye(6, dtype=bool), TRIPLE.repeat(2, axis=1)])
    patterns = np.vstack([patterns, ~patterns])
    even = TwoLevelMechanism(patterns, np.full(16, 1 / (8 * (1 + high_level(1.0)))), 1.0)
    tuned = TwoLevelMechanism(even.patterns, even.weights, 1.0, design_prior=prior)
    expected = lk.analyze(workload, DenseMechanism(even.to_dense(), 1.0), tuned_for=prior).per_type
    np.testing.assert_allclose(lk.analyze(workload, tuned).per_type, expected, rtol=1e-9)
    assert lk.analyze(workload, tuned).per_type @ prior < lk.analyze(workload, even).per_type @ prior


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"patterns": [[1, 0], [0, 1]]}, "the patterns is an array of shape .2, 2. and type int64"),
        ({"patterns": [True, False]}, "the patterns is an array of shape .2,. and type bool"),
        ({"patterns": np.zeros((0, 2), dtype=bool), "weights": []}, "the patterns is an array of shape .0, 2."),
        ({"weights": [0.25]}, "the weights is an array of shape .1,.; expected length 2"),
        ({"weights": [0.5, 0.0]}, "the weights is some that are not positive; expected 2 positive numbers"),
        ({"weights": [[0.25], [0.25]]}, "the weights is some that are not positive"),
        ({"weights": [0.25, 0.25 + 1e-11]}, "ones with which column 1 sums to 1.00000000003"),
        ({"weights": [math.nan, 0.25]}, "the weights is an array with NaN or infinity"),
        ({"epsilon": 0}, "epsilon is 0"),
        ({"design_prior": [1, 0]}, "prior is zero in at least one cell"),
        ({"design_prior": [1, 1, 1]}, "prior is an array of shape .3,."),
    ],
)
def test_what_is_no_mechanism_is_refused(arguments: dict[str, Any], message: str) -> None:
    complete = {"patterns": np.eye(2, dtype=bool), "weights": [0.25, 0.25], "epsilon": LN_3}
    with pytest.raises(InvalidInput, match=message):
        TwoLevelMechanism(**{**complete, **arguments})


def test_sums_may_be_off_by_rounding_alone() -> None:
    TwoLevelMechanism(TRIPLE, [0.25, 0.25 + 1e-14], LN_3)


def test_a_matrix_too_large_is_not_made_and_products_still_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lowkey.mechanisms.sizes.DENSE_LIMIT", 3)
    mechanism = TwoLevelMechanism(TRIPLE, [0.25, 0.25], LN_3)
    with pytest.raises(TooLarge, match="2 outputs × 3 cells; expected at most 3 entries"):
        mechanism.to_dense()
    np.testing.assert_allclose(mechanism.rmatvec([1, 1]), 1, rtol=1e-14)
