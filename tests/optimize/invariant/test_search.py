"""The search: true optima on three binary attributes, its promises on seeds, limits and Ctrl-C."""

from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest
from slow_invariant import TABLES, interactions, optimum

import lowkey as lk
from lowkey.analysis.interaction_bounds import nuclear_norm_of
from lowkey.mechanisms.group import GroupMechanism
from lowkey.mechanisms.invariant import InvariantMechanism
from lowkey.optimize import Progress, Status
from lowkey.optimize.budget import Budget
from lowkey.optimize.invariant.search import InvariantSearch
from lowkey.workloads import Workload
from lowkey.workloads.interactions import Interactions

THREE = {
    "1-way": lk.workloads.k_way_marginals([2] * 3, 1),
    "2-way": lk.workloads.k_way_marginals([2] * 3, 2),
    "all": lk.workloads.all_marginals([2] * 3),
    "parities": lk.workloads.parity(3, 2),
}
EPSILONS = pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
EACH = pytest.mark.parametrize("name", THREE)


@cache
def best(name: str, epsilon: float) -> float:
    return optimum(THREE[name], epsilon)


def searching(workload: Workload, epsilon: float = 1.0, budget: Budget | None = None, seed: int = 0) -> InvariantSearch:
    return InvariantSearch(interactions(workload), epsilon, budget or Budget(), seed)


def variance(workload: Workload, mechanism: InvariantMechanism) -> float:
    return mechanism.variance(interactions(workload))


@EPSILONS
@EACH
def test_attributes_at_random_reach_the_optimum(name: str, epsilon: float) -> None:
    found = searching(THREE[name], epsilon).by_attributes()
    assert variance(THREE[name], found) == pytest.approx(best(name, epsilon), rel=1e-6)


@EPSILONS
@EACH
def test_lists_and_optimize_reach_the_optimum(name: str, epsilon: float) -> None:
    listed = searching(THREE[name], epsilon).listed(256)
    assert listed is not None
    assert lk.analyze(THREE[name], listed).worst_case == pytest.approx(best(name, epsilon), rel=1e-6)
    assert lk.optimize(THREE[name], epsilon).value == pytest.approx(best(name, epsilon), rel=1e-6)


@EPSILONS
@EACH
def test_many_whole_patterns_come_close_to_the_optimum_and_none_goes_below(name: str, epsilon: float) -> None:
    found = variance(THREE[name], searching(THREE[name], epsilon).by_whole_patterns(32))
    assert best(name, epsilon) * (1 - 1e-6) <= found <= best(name, epsilon) * 1.01


@pytest.mark.parametrize("count", [1, 2, 3])
@pytest.mark.parametrize("name", TABLES)
def test_few_whole_patterns_see_every_character(name: str, count: int) -> None:
    for seed in range(5):
        found = searching(TABLES[name], seed=seed).by_whole_patterns(count)
        assert isinstance(found, GroupMechanism)
        assert len(found.probabilities) <= count
        assert variance(TABLES[name], found) < 1e6


@pytest.mark.parametrize("name", TABLES)
def test_the_same_seed_gives_the_same_mechanism(name: str) -> None:
    one, same = (searching(TABLES[name], seed=3).by_attributes() for _ in range(2))
    np.testing.assert_array_equal(one.probabilities, same.probabilities)
    for mine, other in zip(one.juntas, same.juntas, strict=True):
        np.testing.assert_array_equal(mine.pattern, other.pattern)
        assert mine.pools == other.pools


@pytest.mark.parametrize("call", range(1, 7))
@pytest.mark.parametrize("name", TABLES)
def test_ctrl_c_keeps_the_best_so_far(name: str, call: int) -> None:
    seen: list[float] = []

    def impatient(moment: Progress) -> None:
        seen.append(moment.value)
        if len(seen) == call:
            raise KeyboardInterrupt

    search = searching(TABLES[name], budget=Budget(callback=impatient))
    mechanism = search.by_attributes()
    assert (search.status is Status.INTERRUPTED) == (len(seen) == call)
    assert (mechanism.probabilities > 0).all()
    assert mechanism.is_ldp(1.0)
    if max(TABLES[name].sizes) == 2:
        assert variance(TABLES[name], mechanism) <= min(seen) * (1 + 1e-6)


@pytest.mark.parametrize("name", TABLES)
def test_no_time_still_gives_a_mechanism(name: str) -> None:
    search = searching(TABLES[name], budget=Budget(1e-9))
    assert math.isfinite(variance(TABLES[name], search.by_attributes()))
    assert search.status is Status.TIME_LIMIT


def test_a_target_ends_it() -> None:
    patient, eager = (InvariantSearch(interactions(TABLES["parities"]), 1.0, Budget(), 0, t) for t in (0.0, 1e9))
    patient.by_attributes()
    eager.by_attributes()
    assert len(eager.budget.history) == 1 < len(patient.budget.history)


def test_lists_are_as_long_as_is_allowed_or_not_there() -> None:
    workload = lk.workloads.k_way_marginals([2] * 5, 3)
    free = variance(workload, searching(workload).by_attributes())
    for most in (1000, 300):
        found = searching(workload).listed(most)
        assert found is None or found.shape[0] <= most
        assert found is None or lk.analyze(workload, found).worst_case >= free * (1 - 1e-6)
    assert searching(workload).listed(64) is None


def test_labels_are_not_listed() -> None:
    assert searching(TABLES["2-way, mixed"]).listed(10**6) is None


def test_attributes_of_one_value_play_no_part() -> None:
    with_one, without = (lk.workloads.k_way_marginals(sizes, 2) for sizes in ([2, 1, 2, 2], [2, 2, 2]))
    weights = {tuple(range(len(subset))): g for subset, g in interactions(with_one).weights.items()}
    assert set(weights) == {(0,), (0, 1)}
    found = searching(with_one).by_attributes()
    assert found.sizes == (2, 1, 2, 2)
    assert all(1 not in pool for junta in found.juntas for pool in junta.pools)
    assert searching(without).by_whole_patterns(4).sizes == (2, 2, 2)
    assert searching(with_one).by_whole_patterns(4).sizes == (2, 1, 2, 2)


@pytest.mark.parametrize("scale", [1e-6, 1e6])
def test_weights_of_very_different_scale(scale: float) -> None:
    known = interactions(TABLES["2-way, mixed"])
    weights = {subset: g * scale ** len(subset) for subset, g in known.weights.items()}
    uneven = Interactions(known.sizes, weights)
    search = InvariantSearch(uneven, 1.0, Budget(), 0)
    value = search.by_attributes().variance(uneven)
    assert value == pytest.approx(search.by_whole_patterns(32).variance(uneven), rel=0.02)
    assert nuclear_norm_of(uneven, 1.0) <= value <= 1.2 * nuclear_norm_of(uneven, 1.0)


@pytest.mark.parametrize("epsilon", [1e-3, 10.0])
@pytest.mark.parametrize("name", ["3-way, binary", "parities", "all, categorical"])
def test_small_and_large_epsilon(name: str, epsilon: float) -> None:
    value = variance(TABLES[name], searching(TABLES[name], epsilon).by_attributes())
    assert lk.lower_bound(TABLES[name], epsilon).value <= value
    simple = lk.analyze(TABLES[name], lk.mechanisms.create("randomized_response", TABLES[name].shape[1], epsilon))
    assert value <= simple.worst_case * (1 + 1e-2)
