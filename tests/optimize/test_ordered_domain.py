"""Ordered attributes beside others: what is found where everything can be listed, and on domains of any size."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import lowkey as lk
from lowkey.analysis.variance import Analysis
from lowkey.errors import TooLarge
from lowkey.mechanisms import DenseMechanism, SampledMechanism
from lowkey.optimize.arrays import ON_CPU
from lowkey.optimize.budget import Budget, Progress
from lowkey.optimize.projected_gradient import Stopping
from lowkey.optimize.sampled.layout import layout_of
from lowkey.optimize.sampled.search import SampledSearch
from lowkey.workloads import Workload

PAIRS = lk.workloads.k_way_marginals
PREFIXES = lk.workloads.product([lk.workloads.prefix(3), PAIRS([2, 2, 2], 2)])
MIXED = lk.workloads.stack(
    [
        lk.workloads.product([lk.workloads.prefix(3), PAIRS([3, 2, 2], 1)]),
        lk.workloads.product([lk.workloads.histogram(3), PAIRS([3, 2, 2], 2)]),
    ],
    [1, 0.5],
)
SMALL = [PREFIXES, lk.workloads.product([PAIRS([2, 3, 3], 2), lk.workloads.all_range(3)]), MIXED]
LARGE = lk.workloads.product([lk.workloads.prefix(8), PAIRS([2] * 12, 2)])


def searched(workload: Workload, epsilon: float, objective: str = "worst") -> Analysis:
    """What the search finds, whatever the size."""
    assert workload.ordered_interactions is not None
    layout = layout_of(workload.ordered_interactions, epsilon)
    return SampledSearch(workload, layout, epsilon, objective, ON_CPU, Budget(20.0), Stopping(300, 1e-4), 0).best()


@pytest.mark.parametrize("workload", SMALL, ids=str)
def test_what_is_found_is_a_private_mechanism_worth_what_it_says(workload: Workload) -> None:
    found = searched(workload, 1.0)
    strategy = found.mechanism.to_dense()
    np.testing.assert_allclose(strategy.sum(axis=0), 1, rtol=1e-12)
    assert (strategy.max(axis=1) <= math.e * strategy.min(axis=1)).all()
    dense = lk.analyze(workload, DenseMechanism(strategy, 1.0), tuned_for=found.mechanism.design_prior)
    np.testing.assert_allclose(found.per_type, dense.per_type, rtol=1e-7)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 3.0])
def test_with_all_attributes_in_slots_it_is_as_good_as_the_general_method(epsilon: float) -> None:
    general = lk.optimize(PREFIXES, epsilon, seed=1)
    found = searched(PREFIXES, epsilon)
    assert general.value * 0.999 < found.worst_case < general.value * 1.002
    assert found.worst_case > general.bound.value * (1 - 1e-9)


def test_the_average_is_lowered_where_it_is_asked_for() -> None:
    average, worst = searched(PREFIXES, 1.0, "average"), searched(PREFIXES, 1.0)
    assert average.average < worst.average
    assert worst.worst_case < average.worst_case


def test_a_hundred_attributes_with_a_proved_gap() -> None:
    workload = lk.workloads.product([lk.workloads.prefix(8), PAIRS([2] * 100, 2)])
    seen: list[Progress] = []
    solution = lk.optimize(workload, 1.0, target_gap=0.02, progress=seen.append)
    assert isinstance(solution.mechanism, SampledMechanism)
    assert solution.mechanism.is_ldp(1.0)
    assert solution.gap < 0.02
    assert solution.status == "gap reached"
    assert solution.origin == "others at random"
    assert [moment.value for moment in seen] == [moment.value for moment in solution.history]


def test_the_same_seed_finds_the_same() -> None:
    one, other = (lk.optimize(LARGE, 1.0, target_gap=0.05, seed=3).value for _ in range(2))
    assert one == other


def test_time_is_kept_to() -> None:
    solution = lk.optimize(lk.workloads.product([lk.workloads.prefix(64), PAIRS([2] * 10, 2)]), 1.0, time_limit=1.0)
    assert solution.status == "time limit"
    assert solution.seconds < 6.0


def test_a_survey_with_the_ordered_attribute_in_the_middle() -> None:
    schema = lk.Schema(
        [
            lk.Categorical("plan", ["free", "pro", "team"]),
            lk.Ordered("age", edges=list(range(0, 90, 10))),
            *(lk.Categorical(f"q{i}", ["no", "yes"]) for i in range(10)),
        ]
    )
    questions = [f"q{i}" for i in range(10)]
    workload = lk.workloads.stack(
        [
            lk.workloads.product([lk.workloads.prefix(8), PAIRS([2] * 10, 1)]).on(schema, "age", *questions),
            lk.workloads.all_range(8).on(schema, "age"),
            lk.workloads.histogram(3).on(schema, "plan"),
        ]
    )
    solution = lk.optimize(workload, 1.0, time_limit=10)
    assert workload.shape[1] == 24 * 2**10
    assert isinstance(solution.mechanism, SampledMechanism)
    assert sorted(set(solution.mechanism.pools)) == [(0,), tuple(range(2, 12))]
    assert 0 < solution.gap < 0.1


def test_queries_on_the_ordered_attribute_alone() -> None:
    schema = lk.Schema(
        [lk.Ordered("age", edges=range(9)), *(lk.Categorical(f"q{i}", ["a", "b", "c"]) for i in range(10))]
    )
    solution = lk.optimize(lk.workloads.prefix(8).on(schema, "age"), 1.0)
    assert solution.value == pytest.approx(lk.optimize(lk.workloads.prefix(8), 1.0).value, rel=2e-3)


@pytest.mark.parametrize(
    ("workload", "expected"),
    [
        (PREFIXES, "prefix × 2-way marginals is not invariant under shifts of all values"),
        (
            lk.workloads.stack([lk.workloads.product([lk.workloads.prefix(2), lk.workloads.prefix(3)])]),
            "prefix × prefix is not invariant .*designed by the general method",
        ),
    ],
)
def test_advice_tells_why_the_general_method_was_used(workload: Workload, expected: str) -> None:
    assert re.search(expected, lk.optimize(workload, 1.0).advice)


@pytest.mark.parametrize("workload", [lk.workloads.prefix(4), PAIRS([2, 2], 1)])
def test_advice_says_nothing_of_it_otherwise(workload: Workload) -> None:
    assert "general method" not in lk.optimize(workload, 1.0).advice


TWO_ORDERED = lk.workloads.product([lk.workloads.prefix(300)] * 2)
BINARY = lk.workloads.product([lk.workloads.prefix(32), PAIRS([2] * 12, 2)])
WIDE = lk.workloads.product([lk.workloads.prefix(320), PAIRS([3] * 6, 3)])


@pytest.mark.parametrize(
    ("workload", "options", "message"),
    [
        (TWO_ORDERED, {}, "is 90,000 cells; expected at most 16,384. .*one attribute"),
        (BINARY, {"max_outputs": 10**6}, "Leave out max_outputs"),
        (WIDE, {}, "8,640 combinations; expected at most 4,096"),
    ],
)
def test_too_large_is_told_in_words(workload: Workload, options: dict[str, Any], message: str) -> None:
    with pytest.raises(TooLarge, match=message):
        lk.optimize(workload, 1.0, **options)


@pytest.mark.parametrize(
    ("sizes", "degree", "values", "slots"),
    [
        ([2] * 12, 2, 32, (2, 2, 2)),
        ([2] * 12, 1, 512, (2,)),
        ([3, 2, 3, 2], 2, 4, (3, 3, 2, 2)),
        ([2, 3, 5, 7], 1, 2, (2, 3, 5, 7)),
    ],
)
def test_slots_are_as_many_as_queries_need_and_more_where_cells_are_few(
    sizes: list[int], degree: int, values: int, slots: Sequence[int]
) -> None:
    workload = lk.workloads.product([lk.workloads.prefix(values), PAIRS(sizes, degree)])
    assert workload.ordered_interactions is not None
    assert sorted(layout_of(workload.ordered_interactions, 1.0).slot_sizes) == sorted(slots)
