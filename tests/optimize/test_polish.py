"""The last digits: no better pattern is left anywhere, and limits hold."""

from __future__ import annotations

import numpy as np
import pytest
from two_level_cases import WORKLOADS, problem_of, proved_minimum, some_design

import lowkey as lk
from lowkey.optimize.budget import Budget
from lowkey.optimize.column_generation import Limits, Run
from lowkey.optimize.polish import polish, without_negligible
from lowkey.optimize.weights import Design


def grown(name: str, epsilon: float, worst: bool) -> Run:
    """A run after a few rounds from arbitrary patterns: a few percent above the optimum."""
    problem = problem_of(WORKLOADS[name], epsilon)
    run = Run(problem, worst, Budget(), np.random.default_rng(0))
    run.improve(some_design(problem.cells, epsilon, even=True), Limits(1000, 3, 0.0))
    return run


@pytest.mark.parametrize("worst", [False, True])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
@pytest.mark.parametrize("name", WORKLOADS)
def test_it_ends_at_the_proved_optimum(name: str, epsilon: float, worst: bool) -> None:
    """By duality over all 2ⁿ patterns, to 1e-6."""
    run = grown(name, epsilon, worst)
    before = run.value
    polish(run, 1000)
    assert run.best is not None
    proved = proved_minimum(WORKLOADS[name], run.best, epsilon)
    assert run.value == pytest.approx(proved, rel=1e-6)
    assert run.value <= before


def test_a_design_that_would_be_too_large_is_not_kept() -> None:
    run = grown("prefix", 1.0, worst=False)
    run.best = run.within(run.best, 12) if run.best else None
    run.forget()
    polish(run, 8)
    assert run.best is None


def test_without_time_it_changes_nothing() -> None:
    run = grown("prefix", 1.0, worst=False)
    best, run.budget = run.best, Budget(time_limit=1e-9)
    polish(run, 1000)
    assert run.best is best


def test_rows_are_dropped_by_their_share_of_the_reports() -> None:
    problem, design = problem_of(lk.workloads.prefix(7), 1.0), some_design(7, 1.0)
    weights = design.weights.copy()
    weights[[1, 4]] *= 1e-9
    kept = without_negligible(problem, Design(design.levels, weights, design.prior))
    np.testing.assert_array_equal(kept.levels, np.delete(design.levels, [1, 4], axis=0))
    np.testing.assert_array_equal(kept.weights, np.delete(weights, [1, 4]))
