"""The first-order master: its steps keep the sums, lower the value and end at the saddle point."""

from __future__ import annotations

from collections.abc import Iterator

import array_api_strict
import numpy as np
import pytest
from two_level_cases import WORKLOADS, full_design, problem_of, some_design

from lowkey.optimize.arrays import Arrays
from lowkey.optimize.information import Point, Problem, evaluate
from lowkey.optimize.weights import Design, Pace, balanced, settle, step

CASES = [(name, epsilon) for name in WORKLOADS for epsilon in (0.1, 1.0, 4.0)]


def gentle(name: str, epsilon: float, steps: int, prior_rate: float) -> Iterator[tuple[Problem, Design, Point]]:
    """Steps of power 1 over every pattern, which settle without swinging."""
    problem = problem_of(WORKLOADS[name], epsilon)
    design, pace = full_design(problem.cells, epsilon), Pace(power=1.0, prior_rate=prior_rate)
    for _ in range(steps):
        point = evaluate(problem, *design)
        yield problem, design, point
        design = step(problem, design, point, pace)


@pytest.mark.parametrize(("name", "epsilon"), CASES)
def test_columns_keep_their_sums(name: str, epsilon: float) -> None:
    for _, design, _ in gentle(name, epsilon, 60, prior_rate=0.0):
        np.testing.assert_allclose(design.weights @ design.levels, 1, atol=1e-3)
        assert (design.weights > 0).all()


def test_balancing_puts_the_sums_right() -> None:
    """Each correction takes at least nine tenths of what is missing after weights moved by up to 3%."""
    problem, design = problem_of(WORKLOADS["prefix"], 1.0), some_design(7, 1.0)
    point = evaluate(problem, *design)
    bumped = design.weights * np.random.default_rng(2).uniform(0.97, 1.03, design.outputs)
    corrected = [balanced(problem, design.levels, bumped, design.prior, point, times) for times in range(4)]
    missing = [np.abs(weights @ design.levels - 1).max() for weights in corrected]
    assert (np.diff(np.log10(missing)) < -1).all()


@pytest.mark.parametrize(("name", "epsilon"), CASES)
def test_the_value_falls_in_every_step_to_the_optimum(name: str, epsilon: float) -> None:
    """At the end no pattern's gain exceeds its price by more than 0.2% of φ."""
    moments = list(gentle(name, epsilon, 500, prior_rate=0.0))
    values = np.array([point.value for _, _, point in moments])
    assert (values[1:] <= values[:-1] * (1 + 1e-12)).all()
    _, design, point = moments[-1]
    assert point.surplus(design.levels, np).max() < 2e-3


@pytest.mark.parametrize(("name", "epsilon"), CASES)
def test_the_saddle_gap_closes(name: str, epsilon: float) -> None:
    """The worst type's variance and the mean over the prior meet."""
    *_, (_, design, point) = gentle(name, epsilon, 600, prior_rate=0.3)
    assert point.variances.max() - design.prior @ point.variances < 2e-3 * point.variances.max()
    assert design.prior.sum() == pytest.approx(1)
    assert (design.prior > 0).all()


@pytest.mark.parametrize(("name", "epsilon"), CASES)
def test_bold_steps_come_close_to_the_optimum(name: str, epsilon: float) -> None:
    """Within 3% of what gentle ones end at: the best of a run is remembered, and polished where that matters."""
    problem = problem_of(WORKLOADS[name], epsilon)
    *_, (_, _, settled) = gentle(name, epsilon, 300, prior_rate=0.0)
    bold = settle(problem, full_design(problem.cells, epsilon), Pace(prior_rate=0.0), 40)[1]
    assert bold.value < 1.03 * settled.value


def test_the_optimum_stays_where_it_is() -> None:
    """By symmetry one-cell patterns with even weights are best for a histogram at ε = 4."""
    problem = problem_of(WORKLOADS["histogram"], 4.0)
    levels = problem.levels(np.eye(6, dtype=bool))
    design = Design(levels, np.full(6, 1 / levels[0].sum()), np.full(6, 1 / 6))
    moved = step(problem, design, evaluate(problem, *design), Pace())
    np.testing.assert_allclose(moved.weights, design.weights, rtol=1e-12)
    np.testing.assert_allclose(moved.prior, design.prior, rtol=1e-12)


def test_a_given_prior_stays_as_it_is() -> None:
    problem, design = problem_of(WORKLOADS["prefix"], 1.0), some_design(7, 1.0)
    settled = settle(problem, design, Pace(prior_rate=0.0), 5)[0]
    np.testing.assert_array_equal(settled.prior, design.prior)


def test_a_setback_halves_the_power_and_a_success_lets_it_grow() -> None:
    pace = Pace(power=1.0)
    pace.adapt(10.0)
    assert pace.power == pytest.approx(1.1)
    pace.adapt(10.3)
    assert pace.power == pytest.approx(0.55)


def test_it_uses_nothing_beyond_the_array_standard() -> None:
    design = some_design(7, 1.0)
    strict = problem_of(WORKLOADS["prefix"], 1.0, Arrays(array_api_strict))
    found = settle(strict, Design(*map(array_api_strict.asarray, design)), Pace(), 3)[0]
    expected = settle(problem_of(WORKLOADS["prefix"], 1.0), design, Pace(), 3)[0]
    np.testing.assert_allclose(np.asarray(found.weights), expected.weights, rtol=1e-9)
    np.testing.assert_allclose(np.asarray(found.prior), expected.prior, rtol=1e-9)
