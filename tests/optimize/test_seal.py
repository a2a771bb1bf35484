from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from lowkey.optimize.seal import seal


@given(st.integers(0, 10_000), st.floats(0.01, 8), st.floats(1e-16, 1e-9))
def test_a_strategy_slightly_off_becomes_private_and_stays_close(seed: int, epsilon: float, error: float) -> None:
    rng = np.random.default_rng(seed)
    strategy = 1 + np.expm1(epsilon) * (rng.random((8, 5)) < 0.5)
    strategy = strategy / strategy.sum(axis=0) * (1 + error * rng.normal(size=(8, 5)))
    # rows of one common floor: the ratio may be broken by the columns' sums, so bring them within e^ε but for `error`
    low = strategy.min(axis=1, keepdims=True)
    strategy = np.minimum(strategy, low * np.exp(epsilon) * (1 + error))
    sealed = seal(strategy, epsilon)
    np.testing.assert_allclose(sealed.sum(axis=0), 1, atol=1e-12)
    assert (sealed.max(axis=1) <= np.exp(epsilon) * sealed.min(axis=1) * (1 + 1e-15)).all()


def test_a_private_strategy_is_left_alone() -> None:
    strategy = np.array([[0.75, 0.25], [0.25, 0.75]])
    np.testing.assert_array_equal(seal(strategy, np.log(3.1)), strategy)
