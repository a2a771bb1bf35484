"""Layered patterns: their sums of polynomials are the energies that a transform gives."""

from __future__ import annotations

import math

import numpy as np
import pytest
from slow_invariant import HIGH, cells_of, slots_of

import lowkey as lk
from lowkey.optimize.invariant import layered as module
from lowkey.optimize.invariant.layered import Layered
from lowkey.optimize.invariant.slots import Slots

CASES = {
    "binary": slots_of(lk.workloads.k_way_marginals([2] * 5, 3), True, *[0] * 5),
    "binary, parities of two": slots_of(lk.workloads.parity(4, 2), True, *[0] * 3),
    "categorical": slots_of(lk.workloads.k_way_marginals([4] * 3, 2), True, *[0] * 3),
    "one attribute": slots_of(lk.workloads.histogram(6), True, 0),
}
EACH = pytest.mark.parametrize("slots", CASES.values(), ids=CASES.keys())


@EACH
def test_energies_equal_those_of_the_transform(slots: Slots) -> None:
    found = Layered(slots, HIGH)
    numbers = np.arange(len(found.sets))
    expected = slots.energies(found.cells(numbers), HIGH)
    np.testing.assert_allclose(found.rows(numbers), expected, atol=1e-14)
    by_orbit = np.random.default_rng(0).random(slots.orbits.count)
    np.testing.assert_allclose(found.gains(by_orbit), expected @ by_orbit[slots.columns], atol=1e-14)


@EACH
def test_cells_with_as_many_zeros_are_in_together(slots: Slots) -> None:
    found = Layered(slots, HIGH)
    weight = np.array([sum(place != 0 for place in cell) for cell in cells_of(slots.shape)])
    for layers, pattern in zip(found.sets, found.cells(np.arange(len(found.sets))), strict=True):
        np.testing.assert_array_equal(pattern, layers[weight])
        assert 0 < pattern.sum() < slots.cells


def test_every_set_of_layers_is_there_once() -> None:
    sets = Layered(CASES["binary"], HIGH).sets
    assert len(sets) == len(np.unique(sets, axis=0)) == 2**6 - 2


def test_of_many_slots_the_sets_of_neighbouring_layers_and_their_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "EVERY_SET", 3)
    sets = Layered(CASES["binary"], HIGH).sets
    assert len(sets) == 2 * (math.comb(7, 2) - 1)
    assert (np.abs(np.diff(sets.astype(int), axis=1)).sum(axis=1) <= 2).all()
    assert not sets.all(axis=1).any()
    assert sets.any(axis=1).all()
