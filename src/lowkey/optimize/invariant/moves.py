"""Moves: the patterns of a pool changed in place, a few flips at a time, so that a few of them do for all orbits.

For a pattern drawn with probability θ, the prices c/E² say which flips raise its energy where it is scarce; whether
Σ c/E has become less is computed, not assumed.
"""

from __future__ import annotations

from lowkey.checks import Vector
from lowkey.optimize.budget import Budget
from lowkey.optimize.invariant.climb import climb
from lowkey.optimize.invariant.pool import Pool
from lowkey.optimize.projected_gradient import Status

STRIDES = (16, 4, 1)  # flips tried at once, the more the better while it works
STEPS = 40  # of the weights after each sweep
MOST_SWEEPS, CONVERGED = 200, 1e-5  # sweeps that lower φ by less end it


def sweep(pool: Pool, budget: Budget) -> float:
    """One visit to each pattern, then better weights; the share by which φ fell."""
    costs, total = pool.orbits.costs, pool.mixed()
    before = float((costs / total).sum())
    for number in range(len(pool)):
        if budget.is_spent:
            break
        _improve(pool, number, costs, total)
    pool.settle(STEPS)
    return 1.0 - float((costs / pool.mixed()).sum()) / before


def _improve(pool: Pool, number: int, costs: Vector, total: Vector) -> None:
    """One pattern changed, and `total` with it, where that lowers φ."""
    slots, weight, row = pool.slots[number], pool.weights[number], pool.rows[number]
    here, cost = total[slots.columns], costs[slots.columns]
    prices = slots.prices(costs / total**2)
    now = float((cost / here).sum())
    for flips in STRIDES:
        found, _ = climb(slots, pool.patterns[number][None], prices, pool.high, flips)
        energies = slots.energies(found, pool.high)[0]
        after = here + weight * (energies - row)
        if (after > 0).all() and float((cost / after).sum()) < now:
            pool.patterns[number], pool.rows[number] = found[0], energies
            total[slots.columns] = after
            return


def even_out(pool: Pool, budget: Budget) -> Status:
    """Sweeps until they hardly lower φ any more."""
    try:
        pool.settle(STEPS)
        for number in range(MOST_SWEEPS):
            fell = sweep(pool, budget)
            budget.report(number, pool.value(), "moves in place")
            if budget.is_spent:
                return Status.TIME_LIMIT
            if fell < CONVERGED:
                break
    except KeyboardInterrupt:
        return Status.INTERRUPTED
    return Status.CONVERGED
