"""plan: the third of ε, users and error, against the designs' own analyses."""

from __future__ import annotations

import importlib
import math
import time
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lowkey as lk
from lowkey.errors import InvalidInput, NotAvailable
from lowkey.optimize import Progress, Status
from lowkey.optimize.designs import stretched
from lowkey.optimize.planning import HIGHEST_EPSILON, LOWEST_EPSILON

PREFIX = lk.workloads.prefix(8)
COIN = lk.workloads.histogram(2)  # where randomized response is the best there is


def error_of(plan: lk.Plan) -> float:
    """The error that the plan's design has by its analysis, from the formula."""
    analysis = plan.solution.analysis
    return math.sqrt(analysis.worst_case / (analysis.workload.shape[0] * plan.users))


def test_users_are_the_fewest_with_the_error() -> None:
    plan = lk.plan(PREFIX, epsilon=0.7, error=0.03)
    variance = lk.optimize(PREFIX, 0.7).analysis.worst_case / 8
    assert plan.users * 0.03**2 >= variance > (plan.users - 1) * 0.03**2
    assert (plan.solved, plan.epsilon, plan.error) == ("users", 0.7, 0.03)


def test_the_error_is_the_design_s() -> None:
    plan = lk.plan(PREFIX, epsilon=0.7, users=1234)
    assert plan.error == pytest.approx(error_of(plan), rel=1e-14)
    assert plan.error == pytest.approx(math.sqrt(lk.optimize(PREFIX, 0.7).analysis.worst_case / (8 * 1234)), rel=1e-14)
    assert plan.solved == "error"


def test_a_coin_at_ln_3_needs_75_people_for_a_tenth() -> None:
    """The paper's example: ((n − 1)/(α n)) (n/(e^ε − 1)² + 2/(e^ε − 1)) at n = 2, e^ε = 3, α = 0.01."""
    assert lk.plan(COIN, epsilon=math.log(3), error=0.1).users == 75
    assert lk.plan(COIN, epsilon=math.log(3), users=75).error == pytest.approx(0.1, rel=1e-9)
    assert lk.plan(COIN, users=75, error=0.1).epsilon == pytest.approx(math.log(3), rel=0.01)


@pytest.mark.parametrize("workload", [PREFIX, lk.workloads.all_range(6), lk.workloads.parity(3, 2)])
@pytest.mark.parametrize(("users", "error"), [(200, 0.1), (10**6, 0.002), (10**9, 3e-6), (40, 0.03)])
def test_epsilon_gives_the_error_and_hardly_less(workload: lk.workloads.Workload, users: int, error: float) -> None:
    plan = lk.plan(workload, users=users, error=error)
    assert 0.97 * error <= plan.error <= error
    assert plan.error == pytest.approx(error_of(plan), rel=1e-14)
    assert plan.solution.mechanism.is_ldp(plan.epsilon)
    assert plan.solution.mechanism.epsilon == plan.epsilon
    assert (plan.solved, plan.users) == ("epsilon", users)


def test_the_three_answers_agree() -> None:
    plan = lk.plan(PREFIX, users=5000, error=0.02)
    assert lk.plan(PREFIX, epsilon=plan.epsilon, users=5000).error == pytest.approx(0.02, rel=0.03)
    assert lk.plan(PREFIX, epsilon=plan.epsilon, error=0.02).users == pytest.approx(5000, rel=0.05)


def test_curves_go_through_the_answer_and_trade_one_for_the_other() -> None:
    for given_two in ({"users": 5000, "error": 0.02}, {"epsilon": 1, "users": 5000}, {"epsilon": 1, "error": 0.02}):
        plan = lk.plan(PREFIX, **given_two)
        assert plan.answer in plan.curve
        assert len(plan.curve) == 5
        errors = [point.error for point in plan.curve]
        paid = [point.users * point.epsilon for point in plan.curve]
        assert sorted(errors, reverse=True) == errors or sorted(errors) == errors
        assert sorted(paid, reverse=errors[0] < errors[-1]) == paid
    by_epsilon = lk.plan(PREFIX, users=5000, error=0.02)
    factors = [point.epsilon / by_epsilon.epsilon for point in by_epsilon.curve]
    assert factors == pytest.approx([0.5, math.sqrt(0.5), 1, math.sqrt(2), 2])
    assert {point.users for point in by_epsilon.curve} == {5000}


def test_neighbours_on_the_curve_are_designs_as_good_as_optimized_ones() -> None:
    plan = lk.plan(PREFIX, users=5000, error=0.02)
    for point in plan.curve:
        best = lk.plan(PREFIX, epsilon=point.epsilon, users=5000).error
        assert point.error <= 1.03 * best


def test_weights_matter_only_in_proportion() -> None:
    parts = [lk.workloads.histogram(4), lk.workloads.prefix(4)]
    one, five = (lk.plan(lk.workloads.stack(parts, [2 * w, w]), epsilon=1.0, error=0.05) for w in (1, 5))
    assert one.users == pytest.approx(five.users, abs=1)


def test_the_least_epsilon_where_anything_will_do() -> None:
    plan = lk.plan(COIN, users=10**12, error=0.5)
    assert plan.epsilon == LOWEST_EPSILON
    assert plan.error < 0.5
    assert all(point.epsilon >= LOWEST_EPSILON for point in plan.curve)


def test_a_workload_without_error_takes_no_epsilon() -> None:
    everyone = lk.workloads.from_matrix([[1.0, 1.0]])
    assert lk.plan(everyone, users=1, error=0.01).epsilon == LOWEST_EPSILON
    assert lk.plan(everyone, epsilon=1.0, error=0.01).users == 1


def test_what_no_epsilon_gives_is_refused() -> None:
    match = r"ε = 16 would take .* times as many; expected one that some ε gives. Ask more people"
    with pytest.raises(NotAvailable, match=match):
        lk.plan(COIN, users=1, error=1e-6)
    with_more = lk.plan(COIN, epsilon=HIGHEST_EPSILON, error=1e-6).users
    assert lk.plan(COIN, users=with_more * 2, error=1e-6).epsilon < HIGHEST_EPSILON


@pytest.mark.parametrize(
    ("numbers", "message"),
    [
        ({}, "what plan was given is none of them; expected exactly two of epsilon, users and error"),
        ({"users": 5}, "what plan was given is users alone; expected exactly two"),
        ({"epsilon": 1, "users": 5, "error": 0.1}, "what plan was given is all three; expected exactly two"),
        ({"epsilon": 0, "users": 5}, "epsilon is 0; expected a positive finite number"),
        ({"epsilon": 1, "users": 0}, "users is 0; expected a whole number of at least 1"),
        ({"epsilon": 1, "users": 2.5}, "users is 2.5; expected a whole number"),
        ({"epsilon": 1, "users": 2**53 + 1}, "expected at most 2\\^53"),
        ({"users": 5, "error": 0}, "error is 0; expected a share of the users from 1e-09 to 1e\\+06"),
        ({"users": 5, "error": math.nan}, "error is nan"),
        ({"users": 5, "error": True}, "error is True"),
        ({"users": 5, "error": 0.1, "time_limit": -1}, "time_limit is -1"),
        ({"users": 5, "error": 0.1, "method": "magic"}, "method is 'magic'"),
        ({"users": 5, "error": 0.1, "progress": "yes"}, "progress is 'yes'"),
    ],
)
def test_wrong_numbers(numbers: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        lk.plan(COIN, **numbers)


def test_the_same_seed_gives_the_same_plan() -> None:
    first, second = (lk.plan(PREFIX, users=500, error=0.05, seed=3) for _ in range(2))
    assert (first.answer, first.curve) == (second.answer, second.curve)


def test_progress_tells_which_epsilon_and_the_seconds_of_the_whole_plan() -> None:
    told: list[Progress] = []
    plan = lk.plan(PREFIX, users=500, error=0.05, progress=told.append)
    assert told[0].stage.startswith("ε = 1, ")
    assert any(moment.stage.startswith(f"ε = {plan.epsilon:.4g}, ") for moment in told)
    seconds = [moment.seconds for moment in told]
    assert seconds == sorted(seconds)


def test_the_time_limit_is_for_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    """No optimization is given more than what the ones before have left."""
    given_limits: list[tuple[float, float]] = []
    started = time.perf_counter()

    def spy(workload: lk.workloads.Workload, epsilon: float, **options: Any) -> lk.Solution:
        given_limits.append((time.perf_counter() - started, options["time_limit"]))
        return lk.optimize(workload, epsilon, **options)

    monkeypatch.setattr(importlib.import_module("lowkey.optimize.designs"), "optimize", spy)
    plan = lk.plan(lk.workloads.all_range(48), users=10_000, error=0.05, time_limit=0.5)
    assert len(given_limits) > 5
    assert all(limit <= max(0.5 - spent, 1e-3) for spent, limit in given_limits)
    assert plan.error <= 0.05


def test_ctrl_c_ends_a_search_and_keeps_a_single_design() -> None:
    def impatient(moment: Progress) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lk.plan(PREFIX, users=500, error=0.05, progress=impatient)
    plan = lk.plan(PREFIX, epsilon=1.0, users=500, progress=impatient)
    assert plan.solution.status is Status.INTERRUPTED
    assert plan.error == pytest.approx(error_of(plan), rel=1e-14)


@given(st.floats(0.05, 6), st.floats(0.05, 6), st.integers(2, 7))
@settings(max_examples=25)
def test_randomized_response_stretched_is_randomized_response(epsilon: float, other: float, n: int) -> None:
    found = stretched(lk.mechanisms.create("randomized_response", n, epsilon).to_dense(), epsilon, other)
    expected = lk.mechanisms.create("randomized_response", n, other).to_dense()
    np.testing.assert_allclose(found.to_dense(), expected, atol=1e-9)


@given(st.floats(0.05, 6), st.integers(0, 1000))
@settings(max_examples=25)
def test_any_strategy_stretched_is_private(other: float, seed: int) -> None:
    """Also where the columns' powers no longer sum alike."""
    columns = np.random.default_rng(seed).uniform(1, math.exp(0.4), size=(9, 4))
    strategy = columns / columns.sum(axis=0)  # ratios of at most e^0.8
    found = stretched(strategy, 1.0, other)
    assert found.is_ldp(other)
    assert found.shape == (9, 4)
