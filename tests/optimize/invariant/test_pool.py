"""Pools: what is claimed of a mixture is what its mechanism does."""

from __future__ import annotations

import numpy as np
import pytest
from slow_invariant import HIGH, TABLES, random_patterns, random_pool, slots_of

import lowkey as lk
from lowkey.mechanisms.dense import DenseMechanism
from lowkey.mechanisms.group import GroupMechanism
from lowkey.optimize.invariant.orbits import Orbits
from lowkey.optimize.invariant.pool import Pool
from lowkey.optimize.invariant.search import junta_mechanism
from lowkey.optimize.invariant.slots import Slots

EACH = pytest.mark.parametrize("name", TABLES)
BINARY = [name for name in TABLES if max(TABLES[name].sizes) == 2]


@EACH
def test_its_value_is_the_variance_where_labels_are_drawn_evenly(name: str) -> None:
    """Labels told apart, or none: Σ c/E − constant, the analysis by interactions and the dense one agree."""
    workload = TABLES[name]
    pool = random_pool(workload, labels_alike=name in BINARY)
    mechanism = junta_mechanism(pool.copy(), 1.0)
    analysis = lk.analyze(workload, mechanism)
    assert analysis.worst_case == pytest.approx(pool.value(), rel=1e-9)
    dense = lk.analyze(workload, DenseMechanism(mechanism.to_dense(), 1.0))
    assert dense.worst_case == pytest.approx(pool.value(), rel=1e-7)
    assert dense.average == pytest.approx(pool.value(), rel=1e-7)


def test_labels_alike_promise_what_an_even_spread_would_give() -> None:
    """One cell of a single attribute has the same energy at all characters: nothing is lost."""
    workload = lk.workloads.histogram(5)
    slots = slots_of(workload, True, 0)
    pool = Pool(slots.orbits, HIGH)
    pool.add(slots, np.eye(5, dtype=np.bool_)[:1], share=1.0)
    assert pool.value() == pytest.approx(lk.analyze(workload, junta_mechanism(pool, 1.0)).worst_case)
    simple = lk.mechanisms.create("randomized_response", 5, 1.0)
    assert pool.value() == pytest.approx(lk.analyze(workload, simple).worst_case)


@EACH
def test_whole_patterns_have_the_value_of_their_group_mechanism(name: str) -> None:
    workload = TABLES[name]
    assert workload.interactions is not None
    alone = tuple((attribute,) for attribute in range(len(workload.sizes)))
    orbits = Orbits(workload.interactions, alone, labels_alike=False)
    slots = Slots(orbits, tuple(range(len(workload.sizes))))
    pool = Pool(orbits, HIGH)
    pool.add(slots, random_patterns(slots, 40), share=1.0)
    mechanism = GroupMechanism(workload.sizes, np.stack(pool.patterns), pool.weights, 1.0)
    assert lk.analyze(workload, mechanism).worst_case == pytest.approx(pool.value(), rel=1e-9)


def test_those_that_join_take_their_share_of_the_draws() -> None:
    pool = random_pool(TABLES["parities"])
    count, before = len(pool), pool.weights.copy()
    slots = pool.slots[-1]
    pool.add(slots, random_patterns(slots, 2), share=0.1)
    np.testing.assert_allclose(pool.weights, [*(0.9 * before), 0.05, 0.05])
    pool.keep(np.arange(len(pool)) < count)
    np.testing.assert_allclose(pool.weights, before)


def test_a_copy_changes_apart_and_a_pool_becomes_another() -> None:
    pool = random_pool(TABLES["parities"])
    copy = pool.copy()
    copy.settle(50)
    copy.keep(copy.weights > 0.01)
    assert copy.value() < pool.value()
    pool.become(copy)
    assert pool.value() == copy.value()
    assert len(pool) == len(pool.slots) == len(pool.rows) == len(pool.weights)


def test_by_slots_is_a_partition() -> None:
    pool = random_pool(TABLES["2-way, mixed"])
    found = dict(pool.by_slots())
    assert sorted(number for numbers in found.values() for number in numbers) == list(range(len(pool)))
    assert all(pool.slots[number] is slots for slots, numbers in found.items() for number in numbers)


def test_importance_is_the_largest_share_of_an_orbit() -> None:
    pool = random_pool(TABLES["2-way, mixed"])
    shares = pool.energies.toarray() * pool.weights[:, None] / pool.mixed()
    np.testing.assert_allclose(pool.importance(), shares.max(axis=1))
    assert pool.importance().max() <= 1


def test_patterns_that_are_never_drawn_are_left_out_of_the_mechanism() -> None:
    pool = random_pool(TABLES["parities"])
    value = pool.value()
    pool.add(pool.slots[0], random_patterns(pool.slots[0], 5))
    mechanism = junta_mechanism(pool, 1.0)
    assert (mechanism.probabilities > 0).all()
    assert lk.analyze(TABLES["parities"], mechanism).worst_case == pytest.approx(value)


def test_a_pool_that_tells_nothing_of_an_orbit_is_blind() -> None:
    slots = slots_of(lk.workloads.histogram(4), False, 0)
    pool = Pool(slots.orbits, HIGH)
    pool.add(slots, np.array([[True, False, True, False]]), share=1.0)
    assert pool.is_blind
    pool.add(slots, np.array([[True, True, False, False]]), share=0.5)
    assert not pool.is_blind
