"""The master: never worse, as good as it says, and the optimum."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from slow_invariant import least

from lowkey.checks import Matrix, Vector
from lowkey.optimize.invariant.mixture import Energies, mixed, settle, value_of


def problem(seed: int, patterns: int, orbits: int) -> tuple[Matrix, Vector, Vector]:
    """Energies with zeros among them, costs of very different size, weights."""
    rng = np.random.default_rng(seed)
    rows = rng.random((patterns, orbits)) * (rng.random((patterns, orbits)) < 0.6)
    rows[0] = rng.uniform(0.01, 0.1, orbits)
    return rows, 10 ** rng.uniform(-3, 3, orbits), rng.dirichlet(np.ones(patterns))


def settled(rows: Matrix, costs: Vector, weights: Vector, steps: int, tolerance: float = 1e-9) -> Vector:
    return settle(Energies(rows), costs, weights, steps, tolerance)


@given(st.integers(0, 2**32 - 1), st.integers(1, 12), st.integers(1, 8), st.integers(0, 60))
def test_it_never_raises_the_value_and_stays_in_the_simplex(seed: int, patterns: int, orbits: int, steps: int) -> None:
    rows, costs, weights = problem(seed, patterns, orbits)
    found = settled(rows, costs, weights, steps)
    assert value_of(costs, rows.T @ found) <= value_of(costs, rows.T @ weights) * (1 + 1e-12)
    assert found.sum() == pytest.approx(1)
    assert (found >= 0).all()


@pytest.mark.parametrize("seed", range(8))
def test_where_it_stops_before_its_steps_no_pattern_lowers_the_value_by_more(seed: int) -> None:
    rows, costs, weights = problem(seed, 10, 6)
    found = settled(rows, costs, weights, 100_000, tolerance=1e-4)
    total = rows.T @ found
    assert (rows @ (costs / total**2)).max() <= value_of(costs, total) * (1 + 1.01e-4)


@pytest.mark.parametrize("seed", range(8))
def test_it_reaches_the_optimum(seed: int) -> None:
    rows, costs, _ = problem(seed, 6, 4)
    found = settled(rows, costs, np.full(6, 1 / 6), 100_000)
    assert value_of(costs, rows.T @ found) == pytest.approx(least(rows, costs), rel=1e-6)


def test_many_energies_stay_sparse() -> None:
    rng = np.random.default_rng(0)
    large = scipy.sparse.random_array((2000, 1100), density=0.01, rng=rng, format="csr")
    rows = scipy.sparse.csr_array(scipy.sparse.vstack([large, scipy.sparse.csr_array(np.full((1, 1100), 0.01))]))
    weights, costs = np.full(2001, 1 / 2001), np.ones(1100)
    found = settle(rows, costs, weights, 5, 1e-9)
    dense = rows.toarray()
    expected = weights
    for _ in range(5):
        total = dense.T @ expected
        expected = expected * (dense @ (costs / total**2)) / (costs / total).sum()
    np.testing.assert_allclose(mixed(rows, found), dense.T @ expected, rtol=1e-9)


def test_an_orbit_without_energy_costs_infinitely_much() -> None:
    assert value_of(np.ones(2), np.array([1.0, 0.0])) == np.inf
