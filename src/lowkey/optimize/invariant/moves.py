"""Moves: the patterns of a pool changed in place, a few flips at a time, so that a few of them do for all orbits.

For a pattern drawn with probability θ, the prices c/E² say which flips raise its energy where it is scarce; whether
Σ c/E has become less is computed, not assumed.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from lowkey.checks import Vector
from lowkey.optimize.budget import Budget
from lowkey.optimize.invariant.climb import climb
from lowkey.optimize.invariant.mixture import value_of
from lowkey.optimize.invariant.pool import Pool
from lowkey.optimize.projected_gradient import Status

Pattern = npt.NDArray[np.bool_]

SWAPS = 3  # cells of a pattern that are tried elsewhere
STRIDES = (16, 4, 1)  # flips tried at once, the more the better while it works
STEPS = 40  # of the weights after each sweep
MOST_SWEEPS, CONVERGED = 200, 1e-5  # sweeps that lower φ by less end it


def sweep(pool: Pool, budget: Budget, rng: np.random.Generator) -> float:
    """One visit to each pattern, then better weights; the share by which φ fell."""
    costs, total = pool.orbits.costs, pool.mixed()
    before = value_of(costs, total)
    for number in range(len(pool)):
        if budget.is_spent:
            break
        _improve(pool, number, total, rng)
    pool.settle(STEPS)
    return 1.0 - value_of(costs, pool.mixed()) / before


def _improve(pool: Pool, number: int, total: Vector, rng: np.random.Generator) -> None:
    """One pattern changed, and `total` with it, where that lowers φ."""
    slots, weight, row, costs = pool.slots[number], pool.weights[number], pool.rows[number], pool.orbits.costs
    here, cost = total[slots.columns], costs[slots.columns]
    prices = slots.prices(costs / total**2)
    now = value_of(cost, here)
    for begin, flips in _changes(pool.patterns[number], rng):
        found, _ = climb(slots, begin[None], prices, pool.high, flips)
        energies = slots.energies(found, pool.high)[0]
        after = here + weight * (energies - row)
        if (after > 0).all() and value_of(cost, after) < now:
            pool.patterns[number], pool.rows[number] = found[0], energies
            total[slots.columns] = after
            return


def _changes(pattern: Pattern, rng: np.random.Generator) -> Iterator[tuple[Pattern, int]]:
    """What to climb from, and how far: from the pattern itself, and from one with a cell less, which is then moved."""
    for flips in STRIDES:
        yield pattern, flips
    ones = np.flatnonzero(pattern)
    for cell in rng.permutation(ones)[: SWAPS if len(ones) > 1 else 0]:
        less = pattern.copy()
        less[cell] = False
        yield less, 1


def even_out(pool: Pool, budget: Budget, rng: np.random.Generator) -> Status:
    """Sweeps until they hardly lower φ any more."""
    try:
        pool.settle(STEPS)
        for number in range(MOST_SWEEPS):
            fell = sweep(pool, budget, rng)
            budget.report(number, pool.value(), "moves in place")
            if budget.is_spent:
                return Status.TIME_LIMIT
            if fell < CONVERGED:
                break
    except KeyboardInterrupt:
        return Status.INTERRUPTED
    return Status.CONVERGED
