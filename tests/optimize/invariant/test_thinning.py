"""Thinning: at most as many patterns as orbits, and nothing lost."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.optimize
from slow_invariant import TABLES, random_pool

from lowkey.optimize.invariant import thinning
from lowkey.optimize.invariant.thinning import thin


@pytest.mark.parametrize("name", TABLES)
def test_as_few_patterns_as_orbits_with_at_least_the_energy(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(thinning, "POLISHING", 0)
    pool = random_pool(TABLES[name], each=30)
    before = pool.mixed()
    assert len(pool) > pool.orbits.count
    thin(pool)
    assert 1 <= len(pool) <= pool.orbits.count
    assert (pool.mixed() >= before * (1 - 1e-6)).all()
    assert pool.weights.sum() == pytest.approx(1)


@pytest.mark.parametrize("name", TABLES)
def test_the_value_does_not_rise(name: str) -> None:
    pool = random_pool(TABLES[name], each=30)
    before = pool.value()
    thin(pool)
    assert pool.value() <= before * (1 + 1e-6)


def test_few_patterns_stay_as_they_are() -> None:
    pool = random_pool(TABLES["2-way, mixed"], each=1)
    before = pool.weights.copy()
    thin(pool)
    np.testing.assert_array_equal(pool.weights, before)


def test_of_two_patterns_that_do_the_same_the_cheaper_stays() -> None:
    pool = random_pool(TABLES["2-way, mixed"], each=10)
    twins = pool.copy()
    for slots, pattern in zip(pool.slots, pool.patterns, strict=True):
        twins.add(slots, pattern.copy()[None], share=1e-3)
    cheap = [id(pattern) for pattern in twins.patterns[len(pool) :]]
    before = twins.value()
    thin(twins, np.repeat([0.1, 0.0], len(pool)))
    assert len(twins) <= twins.orbits.count
    assert {id(pattern) for pattern in twins.patterns} <= set(cheap)
    assert twins.value() <= before * (1 + 1e-6)


def test_where_the_program_is_not_solved_all_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = random_pool(TABLES["parities"], each=30)
    monkeypatch.setattr(scipy.optimize, "linprog", lambda *_, **__: SimpleNamespace(x=None, success=False))
    thin(pool)
    assert len(pool) == 60
