"""Labels told apart, and moves that even out what is left."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from slow_invariant import HIGH, MIXED, TABLES, random_pool, slots_of

import lowkey as lk
from lowkey.optimize.budget import Budget
from lowkey.optimize.invariant.labels import told_apart
from lowkey.optimize.invariant.moves import even_out, sweep
from lowkey.optimize.invariant.pool import Pool
from lowkey.optimize.invariant.search import junta_mechanism
from lowkey.optimize.projected_gradient import Status


def test_every_pattern_keeps_its_probability_and_its_energies() -> None:
    """Copies by share, one at least; labels in another order change no energy of a whole interaction."""
    pool = random_pool(MIXED)
    found = told_apart(pool, 40, np.random.default_rng(0))
    counts = [max(1, round(40 * w)) if max(s.shape) > 2 else 1 for w, s in zip(pool.weights, pool.slots, strict=True)]
    assert len(found) == sum(counts)
    ends = np.cumsum([0, *counts])
    for number, (start, stop) in enumerate(itertools.pairwise(ends)):
        assert found.weights[start:stop].sum() == pytest.approx(pool.weights[number])
        for copy in range(start, stop):
            assert found.patterns[copy].sum() == pool.patterns[number].sum()
            again = pool.slots[number].energies(found.patterns[copy][None], HIGH)[0]
            np.testing.assert_allclose(again, pool.rows[number], atol=1e-14)


def test_what_is_promised_with_labels_alike_is_no_more_than_an_even_spread_gives() -> None:
    pool = random_pool(MIXED)
    few, many = (told_apart(pool, count, np.random.default_rng(1)).value() for count in (10, 5000))
    assert pool.value() <= min(few, many)
    assert many == pytest.approx(pool.value(), rel=1e-3)


def test_labels_that_would_go_unseen_are_covered() -> None:
    """Two of four values: at some characters there is nothing, whatever the order of the labels."""
    slots = slots_of(lk.workloads.histogram(4), True, 0)
    pool = Pool(slots.orbits, HIGH)
    pool.add(slots, np.array([[True, True, False, False]]), share=1.0)
    for seed in range(5):
        found = told_apart(pool, 1, np.random.default_rng(seed))
        assert not found.is_blind
        assert np.isfinite(lk.analyze(lk.workloads.histogram(4), junta_mechanism(found, 1.0)).worst_case)


@pytest.mark.parametrize("name", TABLES)
def test_a_sweep_lowers_the_value_by_what_it_says_and_energies_stay_true(name: str) -> None:
    pool = random_pool(TABLES[name], labels_alike=False)
    before = pool.value() + pool.orbits.constant
    fell = sweep(pool, Budget(), np.random.default_rng(0))
    assert fell > 0
    assert (pool.value() + pool.orbits.constant) / before == pytest.approx(1 - fell)
    for slots, pattern, row in zip(pool.slots, pool.patterns, pool.rows, strict=True):
        np.testing.assert_allclose(slots.energies(pattern[None], HIGH)[0], row, atol=1e-14)


def test_evening_out_ends_and_its_history_falls() -> None:
    pool, budget = random_pool(MIXED, labels_alike=False), Budget()
    assert even_out(pool, budget, np.random.default_rng(0)) is Status.CONVERGED
    values = [moment.value for moment in budget.history]
    assert (np.diff(values) <= 1e-9 * values[0]).all()
    assert values[-1] == pytest.approx(pool.value())
    assert lk.analyze(MIXED, junta_mechanism(pool, 1.0)).worst_case == pytest.approx(values[-1])


def test_no_time_and_ctrl_c_leave_the_pool_in_order() -> None:
    def impatient(moment: object) -> None:
        raise KeyboardInterrupt

    for budget, status in ((Budget(1e-9), Status.TIME_LIMIT), (Budget(callback=impatient), Status.INTERRUPTED)):
        pool = random_pool(MIXED, labels_alike=False)
        before = pool.value()
        assert even_out(pool, budget, np.random.default_rng(0)) is status
        assert pool.value() <= before
