"""L and its gradient against the plain formula and finite differences."""

from __future__ import annotations

import array_api_strict
import numpy as np
import pytest

import lowkey as lk
from lowkey.checks import Matrix, Vector
from lowkey.optimize.arrays import Arrays, arrays_on
from lowkey.optimize.objective import Objective
from lowkey.optimize.start import random_start

CELLS, EPSILON = 6, 1.0


def problem(seed: int) -> tuple[Objective, Matrix, Matrix, Vector]:
    gram = lk.workloads.prefix(CELLS).gram()
    prior = np.random.default_rng(seed).dirichlet(np.full(CELLS, 5.0))
    arrays = arrays_on("cpu", CELLS)
    strategy = random_start(4 * CELLS, CELLS, EPSILON, seed, arrays).projection.strategy
    return Objective(gram, prior, arrays), strategy, gram, prior


def plain_value(strategy: Matrix, gram: Matrix, prior: Vector) -> float:
    information = strategy.T @ np.diag(1 / (strategy @ prior)) @ strategy
    return float(np.trace(np.linalg.pinv(information) @ gram))


@pytest.mark.parametrize("seed", range(3))
def test_the_value_is_the_paper_s_formula(seed: int) -> None:
    objective, strategy, gram, prior = problem(seed)
    assert objective.at(strategy).value == pytest.approx(plain_value(strategy, gram, prior), rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_the_value_less_its_constant_is_the_average_variance(seed: int) -> None:
    objective, strategy, _, prior = problem(seed)
    mechanism = lk.mechanisms.DenseMechanism(strategy, EPSILON)
    analysis = lk.analyze(lk.workloads.prefix(CELLS), mechanism, prior)
    assert objective.at(strategy).value - objective.constant == pytest.approx(analysis.average, rel=1e-9)


@pytest.mark.parametrize("seed", range(3))
def test_the_gradient_is_the_derivative(seed: int) -> None:
    objective, strategy, gram, prior = problem(seed)
    gradient = objective.gradient(objective.at(strategy))
    direction = np.random.default_rng(seed).normal(size=strategy.shape) * strategy
    ahead = plain_value(strategy + 1e-6 * direction, gram, prior)
    behind = plain_value(strategy - 1e-6 * direction, gram, prior)
    assert (gradient * direction).sum() == pytest.approx((ahead - behind) / 2e-6, rel=1e-5)


def test_a_low_rank_workload_survives_a_strategy_that_only_covers_it() -> None:
    workload = lk.workloads.parity(3, 1)
    fourier = lk.mechanisms.create("fourier", 8, EPSILON, degree=1)
    objective = Objective(workload.gram(), np.full(8, 1 / 8), arrays_on("cpu", 8))
    value = objective.at(fourier.to_dense()).value - objective.constant
    assert value == pytest.approx(lk.analyze(workload, fourier).average, rel=1e-6)


def test_it_uses_nothing_beyond_the_array_standard() -> None:
    objective, strategy, gram, prior = problem(0)
    strict = Objective(gram, prior, Arrays(array_api_strict))
    point = strict.at(array_api_strict.asarray(strategy))
    assert point.value == pytest.approx(objective.at(strategy).value)
    np.testing.assert_allclose(
        np.asarray(strict.gradient(point)), objective.gradient(objective.at(strategy)), rtol=1e-6, atol=1e-9
    )
