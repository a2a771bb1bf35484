"""Rows as sums of two-level rows: nothing is lost."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lowkey as lk
from lowkey.checks import Matrix
from lowkey.errors import LowkeyError
from lowkey.mechanisms import DenseMechanism, Mechanism, TwoLevelMechanism, available, create
from lowkey.optimize.layers import two_level_rows

NAMES = [name for name in available(7, 1.0) if name not in ("matrix_mechanism_l1", "matrix_mechanism_l2", "gaussian")]


def sum_of_layers(mechanism: Mechanism) -> Matrix:
    """Σ over the layers of w s, cell by cell: what they say in all about each type."""
    patterns, weights = two_level_rows(mechanism)
    return weights @ np.where(patterns, np.exp(mechanism.epsilon), 1.0)


def random_strategy(seed: int, outputs: int, cells: int, epsilon: float) -> Matrix:
    """Rows with entries anywhere between z and e^ε z, and columns that sum to 1."""
    rng = np.random.default_rng(seed)
    rows = rng.uniform(1, np.exp(0.8 * epsilon), (outputs, cells))
    rows /= rows.sum(axis=0).max()
    return np.vstack([rows, np.full(cells, 2.0) - rows.sum(axis=0)]) / 2


@settings(max_examples=50, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 6), st.integers(1, 8), st.floats(2.0, 8))
def test_the_layers_of_a_row_add_up_to_it(seed: int, outputs: int, cells: int, epsilon: float) -> None:
    mechanism = DenseMechanism(random_strategy(seed, outputs, cells, epsilon), epsilon)
    for row in mechanism.to_dense():
        patterns, weights = two_level_rows(DenseMechanism(np.vstack([row / 2, 1 - row / 2]), epsilon))
        assert (weights > 0).all()
        np.testing.assert_allclose(weights @ np.where(patterns, np.exp(epsilon), 1.0), 1, rtol=1e-8)
    patterns, weights = two_level_rows(mechanism)
    np.testing.assert_allclose(weights @ np.where(patterns, np.exp(epsilon), 1.0), 1, rtol=1e-8)


def test_a_row_by_hand() -> None:
    """e^ε = 3: (1, 2, 3)/6 is ½·(1, 1, 3)/6 + ½·(1, 3, 3)/6; (5, 4, 3)/6 is ½·(3, 1, 1) + ½·(3, 3, 1) + 2·(1, 1, 1)."""
    patterns, weights = two_level_rows(DenseMechanism(np.array([[1, 2, 3], [5, 4, 3]]) / 6, np.log(3)))
    found = {tuple(bits): weight * 6 for bits, weight in zip(patterns.tolist(), weights, strict=True)}
    assert found == {
        (False, True, True): pytest.approx(0.5),
        (False, False, True): pytest.approx(0.5),
        (True, True, False): pytest.approx(0.5),
        (True, False, False): pytest.approx(0.5),
        (False, False, False): pytest.approx(2.0),
    }


def test_too_many_layers_become_a_pattern_a_row() -> None:
    mechanism = DenseMechanism(np.array([[1, 2, 3], [5, 4, 3]]) / 6, np.log(3))
    patterns, weights = two_level_rows(mechanism, most=4)
    assert patterns.tolist() == [[False, False, True], [True, False, False]]
    np.testing.assert_allclose(weights @ np.where(patterns, 3.0, 1.0).sum(axis=1), 3)


@pytest.mark.parametrize("name", NAMES)
def test_the_catalogue_s_columns_still_sum_to_one(name: str) -> None:
    try:
        layers = sum_of_layers(create(name, 7, 1.0))
    except LowkeyError:
        pytest.skip("it cannot be listed")
    np.testing.assert_allclose(layers, 1, rtol=1e-8)


@pytest.mark.parametrize("name", ["square_wave", "hierarchical", "haar", "hadamard", "subset_selection"])
def test_splitting_never_makes_a_mechanism_worse(name: str) -> None:
    """X(Q) only grows, in every direction."""
    workload, mechanism = lk.workloads.prefix(7), create(name, 7, 1.0)
    patterns, weights = two_level_rows(mechanism)
    strategy = weights[:, None] * np.where(patterns, np.exp(1.0), 1.0)
    split = DenseMechanism(strategy / strategy.sum(axis=0), 1.0)
    analyses = [lk.analyze(workload, one).average for one in (split, mechanism)]
    assert analyses[0] <= analyses[1] * (1 + 1e-7)


def test_a_two_level_mechanism_is_its_own_layers() -> None:
    coin = TwoLevelMechanism([[True, False], [False, True]], [1 / (1 + np.e)] * 2, 1.0)
    patterns, weights = two_level_rows(coin)
    np.testing.assert_array_equal(patterns, coin.patterns)
    np.testing.assert_array_equal(weights, coin.weights)
