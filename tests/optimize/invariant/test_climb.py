"""Climbing: h is what it says, every flip is the best one, and none makes it worse."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pytest
from slow_invariant import HIGH, MIXED, TABLES, cells_of, energy, random_patterns, slots_of

from lowkey.checks import Vector
from lowkey.optimize.invariant.climb import climb
from lowkey.optimize.invariant.slots import Slots

CASES = {
    "binary": slots_of(TABLES["3-way, binary"], True, 0, 0, 0),
    "mixed": slots_of(MIXED, False, 0, 1, 1),
}
EACH = pytest.mark.parametrize("slots", CASES.values(), ids=CASES.keys())


def prices_of(slots: Slots, seed: int = 1) -> Vector:
    return slots.prices(np.random.default_rng(seed).random(slots.orbits.count))


def h(slots: Slots, pattern: npt.NDArray[np.bool_], prices: Vector) -> float:
    characters = zip(prices, cells_of(slots.shape), strict=True)
    return sum(float(price) * energy(pattern, slots.shape, k) for price, k in characters if price)


@EACH
@pytest.mark.parametrize("flips", [0, 1, 3, 50])
def test_its_h_is_true(slots: Slots, flips: int) -> None:
    prices = prices_of(slots)
    found, values = climb(slots, random_patterns(slots, 4), prices, HIGH, flips)
    np.testing.assert_allclose(values, [h(slots, pattern, prices) for pattern in found])


@EACH
def test_each_flip_is_the_best_there_is(slots: Slots) -> None:
    prices = prices_of(slots)
    for begun in random_patterns(slots, 3):
        pattern = begun
        for _ in range(2 * slots.cells):
            (after,), _ = climb(slots, pattern[None], prices, HIGH, 1)
            neighbours = pattern ^ np.eye(slots.cells, dtype=np.bool_)
            best = max(h(slots, neighbour, prices) for neighbour in neighbours)
            if (after == pattern).all():
                assert best <= h(slots, pattern, prices) * (1 + 1e-9)
                break
            assert (after != pattern).sum() == 1
            assert h(slots, after, prices) == pytest.approx(best)
            assert best > h(slots, pattern, prices)
            pattern = after
        else:
            pytest.fail("it has no end")


def test_all_flips_at_once_are_those_one_by_one() -> None:
    """But for ties: then other patterns of the same h."""
    slots = CASES["mixed"]
    prices, begun = prices_of(slots), random_patterns(slots, 5)
    stepwise = begun
    for _ in range(4):
        stepwise, values = climb(slots, stepwise, prices, HIGH, 1)
    np.testing.assert_allclose(climb(slots, begun, prices, HIGH, 4)[1], values)
    np.testing.assert_array_equal(begun, random_patterns(slots, 5))


def test_prices_of_any_scale_lead_to_the_same_patterns() -> None:
    slots = CASES["binary"]
    prices, begun = prices_of(slots), random_patterns(slots, 5)
    for scale in (1e-12, 1e12):
        np.testing.assert_array_equal(
            climb(slots, begun, scale * prices, HIGH, 9)[0], climb(slots, begun, prices, HIGH, 9)[0]
        )
