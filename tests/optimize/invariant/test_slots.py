"""Slots: energies and shifts against their definitions."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from slow_invariant import HIGH, MIXED, TABLES, cells_of, energy, random_patterns, slots_of

import lowkey as lk
from lowkey.optimize.invariant import slots as module
from lowkey.optimize.invariant.slots import Slots

CASES = {
    "one pool": slots_of(TABLES["3-way, binary"], True, 0, 0, 0),
    "mixed": slots_of(MIXED, False, 0, 1, 1),
    "labels alike": slots_of(MIXED, True, 0, 0, 1),
    "one attribute": slots_of(lk.workloads.histogram(7), False, 0),
}
EACH = pytest.mark.parametrize("slots", CASES.values(), ids=CASES.keys())


@EACH
def test_energies_are_sums_over_the_orbits_characters(slots: Slots) -> None:
    patterns = random_patterns(slots, 3)
    found = slots.energies(patterns, HIGH)
    for pattern, row in zip(patterns, found, strict=True):
        sums = dict.fromkeys(slots.columns.tolist(), 0.0)
        for k in cells_of(slots.shape):
            number = int(slots.orbits.of(slots.classes, np.array([k]))[0])
            if number in sums:
                sums[number] += energy(pattern, slots.shape, k)
        np.testing.assert_allclose(row, list(sums.values()), atol=1e-14)


@EACH
def test_prices_are_those_of_the_orbits(slots: Slots) -> None:
    by_orbit = np.arange(1.0, slots.orbits.count + 1)
    for price, k in zip(slots.prices(by_orbit), cells_of(slots.shape), strict=True):
        number = int(slots.orbits.of(slots.classes, np.array([k]))[0])
        assert price == (0.0 if number < 0 else by_orbit[number])


@EACH
@pytest.mark.parametrize("limit", [0, 10**6])
def test_shifts_are_differences_of_cells(slots: Slots, limit: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TABLE_LIMIT", limit)
    kernel = np.random.default_rng(0).normal(size=slots.cells)
    table = kernel.reshape(slots.shape)
    rows = slots.shifted(kernel, np.arange(slots.cells))
    for u, v in itertools.product(range(slots.cells), repeat=2):
        places = zip(cells_of(slots.shape)[v], cells_of(slots.shape)[u], slots.shape, strict=True)
        assert rows[u, v] == table[tuple((b - a) % n for b, a, n in places)]


def test_reports_are_ordered_draws_of_attributes_and_a_shift() -> None:
    slots = slots_of(lk.workloads.k_way_marginals([2] * 4 + [3] * 2, 2), True, 0, 0, 1)
    assert slots.shape == (2, 2, 3)
    assert slots.outputs == 4 * 3 * 2 * 12
