"""Algorithm 1 against a slow root search and a quadratic program; its derivative against finite differences."""

from __future__ import annotations

from typing import Any

import array_api_compat.numpy
import array_api_strict
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, brentq, minimize

from lowkey.checks import Matrix, Vector
from lowkey.optimize.projection import Projection, feasible_floor, floor_gradient, project, travel_with_floor

xp = array_api_compat.numpy
RATIO = float(np.exp(1.3))


def random_problem(seed: int, outputs: int = 12, cells: int = 5) -> tuple[Matrix, Vector]:
    rng = np.random.default_rng(seed)
    floor = rng.random(outputs) ** 3 + 1e-3
    floor *= rng.uniform(1.1 / RATIO, 0.9) / floor.sum()  # strictly inside: 1/e^ε < Σz < 1
    return rng.normal(scale=0.2, size=(outputs, cells)), floor


def slow_projection(target: Matrix, floor: Vector) -> Matrix:
    """One bracketed root a column."""
    result = np.empty_like(target)
    for cell in range(target.shape[1]):
        column = target[:, cell]

        def excess(shift: float, column: Vector = column) -> float:
            return float(np.clip(column + shift, floor, RATIO * floor).sum() - 1)

        result[:, cell] = np.clip(column + brentq(excess, -10, 10, xtol=1e-15), floor, RATIO * floor)
    return result


@given(st.integers(0, 10_000), st.integers(2, 30), st.integers(1, 8))
def test_it_is_the_root_of_each_column(seed: int, outputs: int, cells: int) -> None:
    target, floor = random_problem(seed, outputs, cells)
    np.testing.assert_allclose(project(target, floor, RATIO, xp).strategy, slow_projection(target, floor), atol=1e-9)


@given(st.integers(0, 10_000))
def test_columns_sum_to_one_within_the_bounds(seed: int) -> None:
    target, floor = random_problem(seed)
    strategy = project(target, floor, RATIO, xp).strategy
    np.testing.assert_allclose(strategy.sum(axis=0), 1, atol=1e-12)
    assert (strategy >= floor[:, None]).all()
    assert (strategy <= RATIO * floor[:, None]).all()


def test_no_feasible_point_is_nearer() -> None:
    target, floor = random_problem(3, outputs=6, cells=1)

    def distance(point: Vector) -> float:
        return float(((point - target[:, 0]) ** 2).sum())

    slow = minimize(
        distance,
        np.full(6, 1 / 6),
        bounds=Bounds(floor, RATIO * floor),
        constraints=LinearConstraint(np.ones((1, 6)), 1, 1),
        method="SLSQP",
        options={"ftol": 1e-14, "maxiter": 500},
    )
    np.testing.assert_allclose(project(target, floor, RATIO, xp).strategy[:, 0], slow.x, atol=1e-6)


@given(st.integers(0, 10_000))
def test_a_feasible_strategy_stays(seed: int) -> None:
    target, floor = random_problem(seed)
    feasible = project(target, floor, RATIO, xp).strategy
    np.testing.assert_allclose(project(feasible, floor, RATIO, xp).strategy, feasible, atol=1e-12)


def test_the_bounds_may_leave_a_single_choice() -> None:
    floor = np.full(4, 0.25)  # Σz = 1: everything stands on the floor
    strategy = project(np.zeros((4, 2)), floor, RATIO, xp).strategy
    np.testing.assert_allclose(strategy, 0.25, atol=1e-15)


def test_outputs_with_floor_zero_never_occur() -> None:
    floor = np.array([0.0, 0.2, 0.2])
    strategy = project(np.ones((3, 2)), floor, np.exp(1.0), xp).strategy
    assert (strategy[0] == 0).all()


def test_the_floor_is_scaled_only_where_it_must_be() -> None:
    np.testing.assert_allclose(feasible_floor(np.array([0.2, 0.3]), 4.0, xp), [0.2, 0.3])
    np.testing.assert_allclose(feasible_floor(np.array([1.5, 1.0]), 4.0, xp), [0.5, 0.5])
    np.testing.assert_allclose(feasible_floor(np.array([0.01, 0.01, -1.0]), 4.0, xp), [0.125, 0.125, 0.0])


@pytest.mark.parametrize("seed", range(8))
def test_the_floor_gradient_is_the_derivative_through_the_projection(seed: int) -> None:
    target, floor = random_problem(seed)
    weights = np.random.default_rng(seed + 100).normal(size=target.shape)  # L(Q) = ⟨weights, Q⟩
    projection = project(target, floor, RATIO, xp)
    numeric = np.empty_like(floor)
    for output in range(len(floor)):
        step = np.zeros_like(floor)
        step[output] = 1e-7
        ahead = project(target, floor + step, RATIO, xp).strategy
        behind = project(target, floor - step, RATIO, xp).strategy
        numeric[output] = (weights * (ahead - behind)).sum() / 2e-7
    np.testing.assert_allclose(floor_gradient(weights, projection, RATIO, xp), numeric, atol=1e-5)


def test_the_multiplier_of_a_column_without_free_entries_lies_between_its_neighbours() -> None:
    gradient = np.array([[5.0], [1.0], [2.0]])
    at_low, at_high = np.array([[True], [False], [False]]), np.array([[False], [True], [True]])
    projection = Projection(np.zeros((3, 1)), at_low, at_high)
    # the dearest entry above costs 2, the cheapest below 5: the multiplier is 3.5
    np.testing.assert_allclose(floor_gradient(gradient, projection, 3.0, xp), [1.5, 3 * -2.5, 3 * -1.5])


@pytest.mark.parametrize("seed", range(4))
def test_travel_follows_the_bounds_and_keeps_the_sums(seed: int) -> None:
    target, floor = random_problem(seed)
    projection = project(target, floor, RATIO, xp)
    shift = np.random.default_rng(seed).normal(size=len(floor))
    travel = travel_with_floor(projection, shift, RATIO, xp)
    some_free = ~(projection.at_low | projection.at_high).all(axis=0)
    np.testing.assert_allclose(travel.sum(axis=0)[some_free], 0, atol=1e-12)
    np.testing.assert_allclose(
        travel[projection.at_low], np.broadcast_to(shift[:, None], travel.shape)[projection.at_low]
    )


def test_it_uses_nothing_beyond_the_array_standard() -> None:
    target, floor = random_problem(5)
    strict: Any = array_api_strict
    projection = project(strict.asarray(target), strict.asarray(floor), RATIO, strict)
    gradient = floor_gradient(strict.asarray(target), projection, RATIO, strict)
    plain = project(target, floor, RATIO, xp)
    np.testing.assert_allclose(np.asarray(projection.strategy), plain.strategy)
    np.testing.assert_allclose(np.asarray(gradient), floor_gradient(target, plain, RATIO, xp))
