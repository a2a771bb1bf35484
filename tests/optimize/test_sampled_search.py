"""The parts of the search with drawn attributes: images of patterns, rows that climb, the workload over the slots."""

from __future__ import annotations

import itertools
from dataclasses import replace
from typing import Any

import array_api_strict
import numpy as np
import pytest

import lowkey as lk
from lowkey.analysis.nuclear_norm_bound import nuclear_norm_value
from lowkey.analysis.ordered_bound import ordered_bound
from lowkey.checks import Matrix
from lowkey.mechanisms.draws import Draws, slots_of
from lowkey.mechanisms.pools import Pool
from lowkey.optimize.arrays import ON_CPU, Arrays
from lowkey.optimize.information import Problem, evaluate, problem_on
from lowkey.optimize.pricing import climb
from lowkey.optimize.sampled.layout import layout_of
from lowkey.optimize.sampled.rows import Sweep, candidate_rows
from lowkey.optimize.symmetry import symmetry_of

STRICT = Arrays(array_api_strict)
LAYOUTS: list[tuple[tuple[int, ...], list[tuple[int, ...]]]] = [
    ((2, 2), [(0, 1, 2)] * 2),
    ((3, 2, 3), [(1, 3), (5, 6, 7), (1, 3)]),
]
RANGES = lk.workloads.product([lk.workloads.prefix(4), lk.workloads.k_way_marginals([2] * 5, 2)])


def draws_from(pools: list[tuple[int, ...]]) -> Draws:
    return Draws(tuple(Pool(pool, slots, True) for pool, slots in slots_of(pools).items()))


def images(slot_sizes: tuple[int, ...], draws: Draws) -> list[list[int]]:
    """Where all shifts after all orders of the slots of each pool take the slots' cells."""
    found = []
    for orders in itertools.product(*(itertools.permutations(group.slots) for group in draws.groups)):
        swap = list(range(len(slot_sizes)))
        for group, order in zip(draws.groups, orders, strict=True):
            for slot, other in zip(group.slots, order, strict=True):
                swap[slot] = other
        for shift in np.ndindex(slot_sizes):
            cells = np.array(list(np.ndindex(slot_sizes)))
            moved = (cells[:, swap] + np.array(shift)) % np.array(slot_sizes)
            found.append(np.ravel_multi_index(tuple(moved.T), slot_sizes).tolist())
    return found


@pytest.mark.parametrize("arrays", [ON_CPU, STRICT], ids=["numpy", "strict"])
@pytest.mark.parametrize(("slot_sizes", "pools"), LAYOUTS)
def test_the_mean_over_the_images_is_that_over_every_one(slot_sizes: Any, pools: Any, arrays: Arrays) -> None:
    draws = draws_from(pools)
    symmetry = symmetry_of(3, slot_sizes, draws, arrays)
    cells = int(np.prod(slot_sizes))
    matrix = np.random.default_rng(0).random((3 * cells, 3 * cells))
    expected = np.zeros_like(matrix)
    group = images(slot_sizes, draws)
    for image in group:
        moved = [u * cells + v for u in range(3) for v in image]
        expected += matrix[np.ix_(moved, moved)] / len(group)
    np.testing.assert_allclose(np.asarray(symmetry.matrix(arrays.put(matrix))), expected, rtol=1e-12)
    means = np.repeat(matrix[0].reshape(3, cells).mean(axis=1), cells)
    np.testing.assert_allclose(np.asarray(symmetry.vector(arrays.put(matrix[0].copy()))), means, rtol=1e-12)


def problem(arrays: Arrays) -> tuple[Problem, Any, Any]:
    """A problem with its symmetry, patterns and their point."""
    assert RANGES.ordered_interactions is not None
    layout = layout_of(RANGES.ordered_interactions, 1.0)
    plain = problem_on(layout.gram, 1.0, arrays)
    symmetry = symmetry_of(layout.values, layout.slot_sizes, layout.draws, arrays)
    whole = replace(plain, symmetry=symmetry, squares=arrays.put(layout.squares))
    bits = np.random.default_rng(0).random((60, layout.cells)) < 0.3
    levels = whole.levels(arrays.put(bits))
    prior = arrays.put(np.full(layout.cells, 1 / layout.cells))
    return whole, levels, evaluate(whole, levels, arrays.put(np.full(60, 1 / 90)), prior)


@pytest.mark.parametrize("arrays", [ON_CPU, STRICT], ids=["numpy", "strict"])
def test_a_row_becomes_the_best_of_all(arrays: Arrays) -> None:
    whole, levels, point = problem(arrays)
    prior = arrays.put(np.full(whole.cells, 1 / whole.cells))
    rows = candidate_rows(whole, levels, 8, np.random.default_rng(1))
    sweep = Sweep(whole, levels, prior, point, rows)
    before = np.asarray(levels).copy()
    sweep.row(2)
    after = np.asarray(sweep.levels)

    def surplus(pattern: Matrix) -> float:
        middle, multipliers = np.asarray(point.middle), np.asarray(point.multipliers)
        return float(pattern @ middle @ pattern / pattern.mean() - multipliers @ pattern)

    for old, new in zip(before[:5], after[:5], strict=True):
        tried = []
        for row in np.asarray(rows):
            pattern = old.copy()
            pattern[16:24] = row
            tried.append(surplus(pattern))
        assert len(tried) == 256
        assert surplus(new) == pytest.approx(max(tried), rel=1e-9)
    unchanged = np.delete(np.arange(whole.cells), np.arange(16, 24))
    np.testing.assert_array_equal(after[:, unchanged], before[:, unchanged])


def test_a_sweep_knows_the_surplus_of_where_it_is() -> None:
    whole, levels, point = problem(ON_CPU)
    prior = np.full(whole.cells, 1 / whole.cells)
    sweep = Sweep(whole, levels, prior, point, candidate_rows(whole, levels, 8, np.random.default_rng(1)))
    for value in range(4):
        sweep.row(value)
    _, expected = climb(whole, sweep.levels, prior, point, 0, 0)
    np.testing.assert_allclose(sweep.surplus, expected, rtol=1e-8, atol=1e-10)


def test_where_rows_are_many_some_of_the_patterns_own_are_tried() -> None:
    whole, levels, _ = problem(ON_CPU)
    rows = candidate_rows(whole, levels, 16, np.random.default_rng(0))
    assert rows.shape == (256, 16)
    assert set(np.unique(rows)) == {1.0, whole.high}


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_the_workload_over_the_slots_has_the_nuclear_norm_of_the_whole(epsilon: float) -> None:
    """Only the trace is another."""
    ordered = RANGES.ordered_interactions
    assert ordered is not None
    layout = layout_of(ordered, epsilon)
    uniform = np.full(layout.cells, 1 / layout.cells)
    prior = np.full(4, 1 / 4)
    small = [nuclear_norm_value(layout.gram, e, uniform) for e in (0.1, 0.2)]
    whole = [ordered_bound(ordered, e, prior) for e in (0.1, 0.2)]
    assert small[0] - small[1] == pytest.approx(whole[0] - whole[1], rel=1e-9)
