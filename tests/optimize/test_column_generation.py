"""The run: what it keeps, what it drops, and when it ends."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from two_level_cases import WORKLOADS, levels_of, problem_of, some_design

import lowkey as lk
from lowkey.mechanisms.strategy_matrices import Patterns
from lowkey.optimize import Progress, Status
from lowkey.optimize.budget import Budget, ProgressCallback
from lowkey.optimize.column_generation import STALL_WINDOW, Limits, Run, merged
from lowkey.optimize.information import evaluate

EPSILON = 1.0


def a_run(worst: bool = False, callback: ProgressCallback | None = None, time_limit: float | None = None) -> Run:
    problem = problem_of(lk.workloads.prefix(7), EPSILON)
    return Run(problem, worst, Budget(time_limit, callback), np.random.default_rng(0))


@pytest.mark.parametrize("worst", [False, True])
@pytest.mark.parametrize("name", WORKLOADS)
def test_rounds_lead_near_the_proved_optimum(name: str, worst: bool) -> None:
    """Within 2%, from arbitrary patterns, before any polishing."""
    problem = problem_of(WORKLOADS[name], EPSILON)
    run = Run(problem, worst, Budget(), np.random.default_rng(0))
    run.improve(some_design(problem.cells, EPSILON, even=True), Limits(48 * problem.cells, 200, 1e-5))
    solution = lk.optimize(WORKLOADS[name], EPSILON, "worst" if worst else "average")
    assert solution.value * (1 - 1e-3) <= run.value <= 1.02 * solution.value


def test_the_best_so_far_never_rises_and_is_what_is_kept() -> None:
    run = a_run()
    run.improve(some_design(7, EPSILON, even=True), Limits(300, 60, 0.0))
    assert (np.diff(run.values) <= 0).all()
    assert run.best is not None
    point = evaluate(run.problem, *run.best)
    assert run.best.prior @ point.variances == pytest.approx(run.value, rel=1e-12)


def test_a_round_never_exceeds_the_size() -> None:
    run = a_run()
    design = some_design(7, EPSILON, even=True)
    for most in (60, 40, 20):
        design = run.with_better_patterns(design, evaluate(run.problem, *design), most)
        assert design.outputs <= most


def test_children_take_over_weight_and_lose_none() -> None:
    """Only negligible rows vanish: the weights' sum falls by less than a thousandth of the rows' mean share each."""
    run, design = a_run(), some_design(7, EPSILON, even=True)
    after = run.with_better_patterns(design, evaluate(run.problem, *design), 1000)
    assert after.weights.sum() == pytest.approx(design.weights.sum(), rel=1e-3)
    assert (after.weights >= 0).all()
    found = {bytes(bits) for bits in run.problem.bits(after.levels)}
    assert found - {bytes(bits) for bits in run.problem.bits(design.levels)}
    assert len(found) == after.outputs


def test_the_rows_that_occur_most_often_stay() -> None:
    run, design = a_run(), some_design(7, EPSILON)
    kept = run.within(design, 5)
    shares = np.sort(design.weights * (design.levels @ design.prior))[::-1]
    np.testing.assert_allclose(np.sort(kept.weights * (kept.levels @ kept.prior))[::-1], shares[:5], rtol=1e-12)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10**6), st.integers(1, 12), st.sampled_from([1e-4, 1e-2, 1.0, 8.0, 30.0]))
def test_merging_adds_up_the_weights_of_equal_patterns(seed: int, cells: int, epsilon: float) -> None:
    rng = np.random.default_rng(seed)
    patterns: Patterns = rng.random((60, cells)) < 0.5
    weights = rng.random(60)
    problem = problem_of(lk.workloads.histogram(cells), epsilon)
    levels, sums = merged(levels_of(patterns, epsilon), weights, problem)
    expected: dict[bytes, float] = {}
    for bits, weight in zip(patterns, weights, strict=True):
        expected[bytes(bits)] = expected.get(bytes(bits), 0.0) + weight
    found = {bytes(bits): weight for bits, weight in zip(problem.bits(levels), sums, strict=True)}
    assert found == {bits: pytest.approx(weight, rel=1e-9) for bits, weight in expected.items()}


def test_thousands_of_patterns_stay_apart_at_a_small_epsilon() -> None:
    """Where levels differ by 1e-4: none is taken for another."""
    patterns = np.unique(np.random.default_rng(0).random((8000, 40)) < 0.5, axis=0)
    problem = problem_of(lk.workloads.histogram(40), 1e-4)
    levels, _ = merged(levels_of(patterns, 1e-4), np.ones(len(patterns)), problem)
    assert len(levels) == len(patterns)


@pytest.mark.parametrize(
    ("limits", "status", "rounds"),
    [
        (Limits(300, 7, 0.0), Status.ITERATION_LIMIT, 7),
        (Limits(300, 500, 0.5), Status.CONVERGED, STALL_WINDOW),
        (Limits(300, 500, 0.0, target=1e9), Status.CONVERGED, 0),
    ],
    ids=["rounds", "stalled", "target"],
)
def test_when_a_run_ends(limits: Limits, status: Status, rounds: int) -> None:
    moments: list[Progress] = []
    run = a_run(callback=moments.append)
    run.improve(some_design(7, EPSILON, even=True), limits)
    assert run.status is status
    assert [moment.iteration for moment in moments] == list(range(1, rounds + 1))


def test_without_time_the_first_design_is_kept() -> None:
    run = a_run(time_limit=1e-9)
    run.improve(some_design(7, EPSILON, even=True), Limits(300, 500, 0.0))
    assert run.status is Status.TIME_LIMIT
    assert run.best is not None


def test_the_same_seed_draws_the_same() -> None:
    one, same = a_run(), a_run()
    for run in (one, same):
        run.improve(some_design(7, EPSILON, even=True), Limits(300, 20, 0.0))
    assert one.values == same.values


def test_a_round_begins_only_where_there_is_time_for_one_more() -> None:
    """Rounds of at least 0.2 s in 0.5 s."""
    run = a_run(callback=lambda moment: time.sleep(0.2), time_limit=0.5)
    run.improve(some_design(7, EPSILON, even=True), Limits(300, 20, 0.0))
    assert run.status is Status.TIME_LIMIT
    assert len(run.budget.history) <= 2
