"""Fewer outputs: sizes hold whatever happens, and what they cost is told."""

from __future__ import annotations

import re
from itertools import pairwise

import numpy as np
import pytest
from two_level_cases import problem_of, some_design

import lowkey as lk
from lowkey.optimize import Status
from lowkey.optimize.budget import Budget, Progress
from lowkey.optimize.column_generation import Limits, Run
from lowkey.optimize.sizing import cut_down, default_outputs

WORKLOAD = lk.workloads.prefix(12)


def grown(worst: bool = False) -> Run:
    run = Run(problem_of(WORKLOAD, 1.0), worst, Budget(), np.random.default_rng(0))
    run.improve(some_design(12, 1.0, even=True), Limits(500, 30, 0.0))
    return run


@pytest.mark.parametrize("worst", [False, True])
@pytest.mark.parametrize("most", [24, 36, 60])
def test_a_cut_keeps_the_size_and_most_of_the_quality(most: int, worst: bool) -> None:
    run = grown(worst)
    before = run.value
    cut_down(run, most)
    assert run.best is not None
    assert run.best.outputs <= most
    assert run.value <= 1.35 * before
    np.testing.assert_allclose(run.best.weights @ run.best.levels, 1, atol=1e-4)


def test_a_design_that_is_small_enough_stays() -> None:
    run = grown()
    assert run.best is not None
    best = run.best
    cut_down(run, best.outputs)
    assert run.best is best


def test_a_cut_that_no_weights_make_feasible_leaves_the_design() -> None:
    """One pattern cannot have columns that sum to 1."""
    run = grown()
    best, value = run.best, run.value
    cut_down(run, 1)
    assert run.best is best
    assert run.value == value


@pytest.mark.parametrize("worst", [False, True])
def test_a_cut_when_the_time_is_over_takes_a_few_steps(worst: bool) -> None:
    run = grown(worst)
    before, run.budget = run.value, Budget(1e-9)
    cut_down(run, 60)
    assert run.best is not None
    assert run.best.outputs <= 60
    assert run.budget.history == []
    assert run.value <= 2 * before


def test_ctrl_c_during_the_cut_leaves_a_design() -> None:
    def impatient(moment: Progress) -> None:
        raise KeyboardInterrupt

    run = grown()
    run.budget = Budget(None, impatient)
    cut_down(run, 40)
    assert run.status is Status.INTERRUPTED
    assert run.best is not None


@pytest.mark.parametrize("most", [12, 13, 14, 17, 24, 40])
@pytest.mark.parametrize("objective", ["average", "worst"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_max_outputs_holds_and_nothing_so_small_is_better(most: int, objective: str, epsilon: float) -> None:
    """Down to n outputs, which randomized response always has."""
    solution = lk.optimize(WORKLOAD, epsilon, objective, max_outputs=most, iterations=60)
    assert solution.mechanism.shape[0] <= most
    simple = lk.analyze(WORKLOAD, lk.mechanisms.create("randomized_response", 12, epsilon))
    assert solution.value <= (simple.worst_case if objective == "worst" else simple.average) * (1 + 1e-9)


@pytest.mark.parametrize("objective", ["average", "worst"])
def test_the_error_falls_with_the_size(objective: str) -> None:
    """Up to a little noise of the search; with all the outputs it wants it is the optimum."""
    values = [lk.optimize(WORKLOAD, 1.0, objective, max_outputs=most).value for most in (14, 20, 30, 45, 200)]
    for smaller, larger in pairwise(values):
        assert larger <= 1.02 * smaller
    assert values[-1] < 0.95 * values[0]
    assert values[-1] == pytest.approx(lk.optimize(WORKLOAD, 1.0, objective).value, rel=1e-6)


def test_the_advice_says_what_the_size_costs() -> None:
    solution = lk.optimize(WORKLOAD, 1.0, max_outputs=20)
    assert solution.trimmed is not None
    assert solution.trimmed.outputs > 20
    cost = solution.value / solution.trimmed.value - 1
    said = re.search(r"Kept (\d+) of (\d+) outputs, which costs ([\d.]+)%: max_outputs sets", solution.advice)
    assert said is not None
    assert int(said[1]) == solution.mechanism.shape[0]
    assert int(said[2]) == solution.trimmed.outputs
    assert float(said[3]) == pytest.approx(100 * cost, abs=0.006)
    assert cost > 0.01


def test_where_nothing_is_given_up_the_advice_is_silent() -> None:
    assert "Kept" not in lk.optimize(WORKLOAD, 1.0).advice


def test_the_default_size_is_32_outputs_a_cell() -> None:
    assert default_outputs(100) == 3200
