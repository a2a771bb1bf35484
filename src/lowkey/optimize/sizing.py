"""Fewer outputs: a design cut down to a size, its weights and patterns adapted on the way."""

from __future__ import annotations

from lowkey.optimize.column_generation import Limits, Run
from lowkey.optimize.weights import Pace, settle
from lowkey.workloads.base import DENSE_LIMIT

OUTPUTS_PER_CELL = 32  # of the default size
SHRINK = 0.7  # share of the rows that stay in one cut
TOLERANCE = 1e-5  # of these: 40 that lower it by less end them
SETTLING, HURRIED = 6, 2  # steps of the weights after a cut; where time is over just enough for the sums
ADAPTING = 1000  # rounds at the final size, at most: until they hardly lower the value any more


def default_outputs(cells: int) -> int:
    """32 a cell, or what a strategy matrix may hold: up to 61 cells an optimum needs no more, n(n+1)/2 + n."""
    return min(OUTPUTS_PER_CELL * cells, DENSE_LIMIT // cells)


def cut_down(run: Run, most: int, rounds: int = ADAPTING, target: float = 0.0) -> None:
    """The run's best design with at most `most` outputs: those that occur least go first, a part at a time.

    It stays as it is where the smaller one has no weights with which every column sums to 1.
    """
    design, value = run.best, run.value
    if design is None or design.outputs <= most:
        return
    whole = design
    run.forget()
    pace = Pace(prior_rate=run.prior_rate)
    try:
        while design.outputs > most:
            in_time = not run.budget.is_spent
            design = run.within(design, max(most, int(SHRINK * design.outputs)) if in_time else most)
            design, point = settle(run.problem, design, pace, SETTLING if in_time else HURRIED)
        run.keep(design, point, 0)
        if run.best is None or not run.budget.is_spent:
            run.improve(design, Limits(most, rounds, TOLERANCE, target, moves=True))
    except KeyboardInterrupt:
        run.interrupted()
    if run.best is None:
        run.best, run.value = whole, value
