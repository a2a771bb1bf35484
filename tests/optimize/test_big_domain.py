"""Domains of more cells than anyone lists: they are served, the gap is proved, and nothing of their size is made."""

from __future__ import annotations

import time

import pytest

import lowkey as lk
from lowkey.errors import InvalidInput, TooLarge
from lowkey.mechanisms.junta import JuntaMechanism
from lowkey.optimize import Progress, Solution, Status
from lowkey.workloads import Workload

FORTY = lk.workloads.k_way_marginals([2] * 40, 2)
CATEGORICAL = lk.workloads.k_way_marginals([10] * 6, 3)
BIG = {
    "binary": FORTY,
    "parities": lk.workloads.parity(14, 2),
    "a million cells": CATEGORICAL,
    "different sizes": lk.workloads.k_way_marginals([16, 1, 17, 18], 2),
}


def check(asked: Workload, solution: Solution, most: float) -> None:
    assert isinstance(solution.mechanism, JuntaMechanism)
    assert solution.mechanism.is_ldp(1.0)
    bound = lk.lower_bound(asked, 1.0)
    assert solution.bound.value == pytest.approx(bound.value)
    assert solution.gap == pytest.approx(solution.value / bound.value - 1)
    assert 0 <= solution.gap < most
    assert asked.interactions is not None
    assert solution.value == pytest.approx(solution.mechanism.variance(asked.interactions))
    assert solution.history[-1].value == pytest.approx(solution.value, rel=1e-3)


def test_three_way_marginals_of_a_hundred_attributes() -> None:
    asked = lk.workloads.k_way_marginals([2] * 100, 3)
    solution = lk.optimize(asked, 1.0)
    check(asked, solution, 0.02)
    assert solution.mechanism.shape[0] < 2**62
    assert solution.mechanism.shape[1] == 2**100


@pytest.mark.parametrize("name", BIG)
def test_big_domains_come_close_to_what_is_proved(name: str) -> None:
    check(BIG[name], lk.optimize(BIG[name], 1.0), 0.02)


def test_the_average_is_the_worst_case() -> None:
    solution = lk.optimize(FORTY, 1.0, "average")
    assert solution.objective == "average"
    assert solution.value == solution.analysis.worst_case == solution.analysis.average


@pytest.mark.parametrize("epsilon", [1e-3, 10.0])
def test_small_and_large_epsilon(epsilon: float) -> None:
    solution = lk.optimize(lk.workloads.k_way_marginals([2] * 14, 2), epsilon)
    assert solution.mechanism.is_ldp(epsilon)
    assert solution.bound.value <= solution.value * (1 + 1e-9)
    if epsilon < 1:
        assert solution.gap < 1e-5


def test_only_the_total_is_asked() -> None:
    solution = lk.optimize(lk.workloads.k_way_marginals([1, 2, 3] * 10, 0), 1.0)
    assert solution.value == solution.gap == 0


def test_attributes_that_nobody_asks_about_play_no_part() -> None:
    schema = lk.Schema([lk.Categorical(f"q{i}", ["a", "b"]) for i in range(60)])
    three = lk.workloads.k_way_marginals([2] * 3, 2)
    placed = lk.optimize(three.on(schema, "q1", "q30", "q59"), 1.0)
    assert placed.value == pytest.approx(lk.optimize(three, 1.0).value, rel=1e-5)
    mechanism = placed.mechanism
    assert isinstance(mechanism, JuntaMechanism)
    assert {a for junta in mechanism.juntas for pool in junta.pools for a in pool} == {1, 30, 59}


def test_values_beyond_two_bytes() -> None:
    """65,539 values of one attribute: shares of the energy that are claimed are there."""
    asked = lk.workloads.histogram(2**16 + 3)
    solution = lk.optimize(asked, 1.0, time_limit=1.0)
    assert solution.history[-1].value == pytest.approx(solution.value, rel=1e-6)
    assert solution.gap < 0.15


@pytest.mark.parametrize("call", [1, 3])
@pytest.mark.parametrize("name", ["binary", "a million cells"])
def test_ctrl_c_keeps_the_best_so_far(name: str, call: int) -> None:
    seen: list[Progress] = []

    def impatient(moment: Progress) -> None:
        seen.append(moment)
        if len(seen) == call:
            raise KeyboardInterrupt

    solution = lk.optimize(BIG[name], 1.0, progress=impatient)
    assert (solution.status is Status.INTERRUPTED) == (len(seen) == call)
    assert solution.gap < 0.5
    assert all(moment.bound == solution.bound.value for moment in seen)


def test_a_time_limit_holds_with_many_attributes_that_are_all_different() -> None:
    asked = lk.workloads.k_way_marginals([23 + i for i in range(16)], 2)
    started = time.perf_counter()
    solution = lk.optimize(asked, 1.0, time_limit=0.5)
    assert time.perf_counter() - started < 10
    assert solution.status is Status.TIME_LIMIT
    assert solution.gap < 2


def test_a_gap_that_is_proved_ends_the_search() -> None:
    solution = lk.optimize(FORTY, 1.0, target_gap=0.1)
    assert solution.status is Status.GAP_REACHED
    assert len(solution.history) == 1


def test_a_better_start_is_kept() -> None:
    first = lk.optimize(CATEGORICAL, 1.0)
    for start in (first, first.mechanism):
        after = lk.optimize(CATEGORICAL, 1.0, start=start, time_limit=1e-9)
        assert after.value <= first.value
    weaker = lk.optimize(CATEGORICAL, 0.5, start=first)
    assert weaker.mechanism.is_ldp(0.5)


@pytest.mark.parametrize(
    "options",
    [
        {"max_outputs": 1000},
        {"objective": "average", "prior": [0.5, 0.5]},
        {"method": "projected-gradient"},
    ],
)
def test_what_needs_a_list_of_cells_says_so(options: dict[str, object]) -> None:
    with pytest.raises(TooLarge, match=r"is about 10\^12 cells; expected at most 16,384. Leave out max_outputs"):
        lk.optimize(FORTY, 1.0, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize("options", [{"prior": [1.0, 2.0]}, {"start": 17}, {"start": "hadamard"}, {"device": "zzz"}])
def test_options_that_make_no_difference_are_checked_all_the_same(options: dict[str, object]) -> None:
    with pytest.raises(InvalidInput):
        lk.optimize(FORTY, 1.0, **options)  # type: ignore[arg-type]
