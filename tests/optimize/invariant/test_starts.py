"""Starts: what they are, and that neither the empty nor the full pattern is among them."""

from __future__ import annotations

import math

import numpy as np
import pytest
from slow_invariant import HIGH, MIXED, cells_of, energy, slots_of

import lowkey as lk
from lowkey.optimize.invariant import starts

SLOTS = slots_of(MIXED, True, 0, 1, 1)


def test_one_cell_sees_every_character() -> None:
    (pattern,) = starts.one_cell(SLOTS)
    assert pattern.sum() == 1
    assert all(energy(pattern, SLOTS.shape, k) > 1e-3 for k in cells_of(SLOTS.shape))


def test_subgroups_are_closed_under_sums() -> None:
    found = starts.subgroups(SLOTS, 30, np.random.default_rng(0))
    assert len(found) > 0
    for pattern in found:
        members = [cell for cell, bit in zip(cells_of(SLOTS.shape), pattern, strict=True) if bit]
        sums = {tuple((a + b) % n for a, b, n in zip(u, v, SLOTS.shape, strict=True)) for u in members for v in members}
        assert sums == set(members)
        assert len(members) < SLOTS.cells


@pytest.mark.parametrize("epsilon", [0.01, 1.0, 5.0])
@pytest.mark.parametrize("cells", [2, 3, 16, 512])
def test_the_best_count_is_the_best(cells: int, epsilon: float) -> None:
    high = math.exp(epsilon)

    def energies(ones: int) -> float:
        return (high - 1) ** 2 * ones * (cells - ones) / (cells + (high - 1) * ones) ** 2

    best = starts.best_count(cells, high)
    assert 1 <= best < cells
    assert energies(best) == pytest.approx(max(energies(ones) for ones in range(1, cells)))


@pytest.mark.parametrize("high", [1.001, HIGH, 1e4])
@pytest.mark.parametrize("sizes", [[2], [7], [3, 2], [2] * 6])
def test_random_patterns_are_neither_empty_nor_full(sizes: list[int], high: float) -> None:
    workload = lk.workloads.k_way_marginals(sizes, 1)
    slots = slots_of(workload, False, *([0] * len(sizes) if len(set(sizes)) == 1 else [0, 1]))
    rng = np.random.default_rng(0)
    found = starts.various(slots, 20, high, starts.wanted_amplitudes(slots), rng)
    assert (found.sum(axis=1) > 0).all()
    assert (found.sum(axis=1) < slots.cells).all()


def test_a_field_of_one_character_is_a_half_space() -> None:
    """All amplitude on the last slot's character: the cells with one of its values come first."""
    slots = slots_of(lk.workloads.k_way_marginals([2] * 3, 2), True, 0, 0, 0)
    amplitudes = np.zeros(8)
    amplitudes[1] = 1.0
    for pattern in starts.gaussian(slots, 5, 1.001, amplitudes, np.random.default_rng(0)):
        assert pattern.reshape(2, 2, 2).sum(axis=(0, 1)).tolist() in ([4, 0], [0, 4])
