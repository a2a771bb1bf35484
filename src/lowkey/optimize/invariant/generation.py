"""Column generation: base patterns over all choices of slots join the pool while they lower the variance."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from lowkey.checks import Vector
from lowkey.mechanisms.strategy_matrices import Patterns
from lowkey.optimize.budget import Budget
from lowkey.optimize.invariant import starts
from lowkey.optimize.invariant.climb import climb
from lowkey.optimize.invariant.layered import Layered
from lowkey.optimize.invariant.mixture import value_of
from lowkey.optimize.invariant.pool import Pool
from lowkey.optimize.invariant.slots import Slots
from lowkey.optimize.invariant.thinning import thin
from lowkey.optimize.projected_gradient import Status

WORK = 2**24  # flips times cells of one climb
NEW_PATTERNS = 8  # of each slots and round that join the pool
STEPS = 400  # of the weights in a round
DROPPED = 1e-7
ROUNDS, STARTS = 500, 64
CONVERGED, PATIENCE = 1e-6, 6  # a surplus that counts as none; rounds that lower the variance by less end the run
CROWDED = 3  # patterns an orbit beyond which the pool is thinned
SUBGROUPS = 40  # random ones of each slots to begin with
NEWCOMERS = 1e-4  # share of the draws that new patterns begin with
LEAST_GAIN = 1e-9

OUTPUT_LIMIT = 2**52  # reports of a base pattern: a thousand patterns stay below 2^62

Pattern = npt.NDArray[np.bool_]


@dataclass
class Generation:
    """One run; `surplus` is how far the best pattern of the last round was above φ, as a share.

    most_outputs: where patterns would have more reports than this, only those that no order of slots changes serve.
    """

    pool: Pool
    choices: Sequence[Slots]
    rng: np.random.Generator
    most_outputs: int = OUTPUT_LIMIT
    surplus: float = math.inf
    layered: list[Layered] = field(init=False)

    def __post_init__(self) -> None:
        alike = [slots for slots in self.choices if len(set(slots.classes)) == 1]
        self.layered = [Layered(slots, self.pool.high) for slots in alike]

    def run(self, budget: Budget, target: float) -> Status:
        """Rounds until they hardly lower the variance any more, or it is at most `target`."""
        self.begin()
        values, kept = [], self.pool.copy()
        try:
            self.widen(budget)
            for number in range(ROUNDS):
                values.append(self.pool.value())
                kept = self.pool.copy()
                budget.report(number, values[-1], "base patterns")
                if budget.is_spent:
                    return Status.TIME_LIMIT
                if values[-1] <= target or self.surplus < CONVERGED or _is_stalled(values):
                    return Status.CONVERGED
                self.round(STARTS, budget)
        except KeyboardInterrupt:
            self.pool.become(kept)
            return Status.INTERRUPTED
        return Status.ITERATION_LIMIT

    def begin(self) -> None:
        """A cell alone, with which every orbit has energy, and what is likely to be good, over all slots."""
        for slots in self.choices:
            self.pool.add(slots, starts.one_cell(slots))
            if self._takes_any(slots):
                amplitudes = starts.wanted_amplitudes(slots)
                self.pool.add(slots, starts.gaussian(slots, 2, self.pool.high, amplitudes, self.rng))
        self.pool.even()

    def widen(self, budget: Budget) -> None:
        """Random subgroups join, and the weights settle."""
        for slots in self.choices:
            if slots.cells <= starts.MOST_CELLS and not budget.is_spent:
                self.pool.add(slots, starts.subgroups(slots, SUBGROUPS, self.rng))
        self.pool.even()
        self.pool.settle(STEPS)
        self._drop()

    def round(self, count: int, budget: Budget) -> None:
        """Price over all slots, from `count` starts each, then settle the weights."""
        energies = self.pool.mixed()
        by_orbit = self.pool.orbits.costs / energies**2
        value = value_of(self.pool.orbits.costs, energies)
        best = max(value, self._layers(by_orbit, value))
        known = {id(slots): [self.pool.patterns[n] for n in numbers] for slots, numbers in self.pool.by_slots()}
        for slots in filter(self._takes_any, self.choices):
            if budget.is_spent:
                break
            prices = slots.prices(by_orbit)
            found, gains = self._climbed(slots, known.get(id(slots), []), prices, count)
            best = max(best, float(gains.max()))
            self.pool.add(slots, found[_best(gains, value)], share=NEWCOMERS)
        self.surplus = best / value - 1
        self.pool.settle(STEPS)
        self._drop()
        if len(self.pool) > CROWDED * self.pool.orbits.count:
            thin(self.pool)

    def _layers(self, by_orbit: Vector, value: float) -> float:
        """The best layered patterns join; what the very best would bring."""
        best = 0.0
        for layered in self.layered:
            gains = layered.gains(by_orbit)
            best = max(best, float(gains.max()))
            chosen = _best(gains, value)
            self.pool.add(layered.slots, layered.cells(chosen), layered.rows(chosen), NEWCOMERS)
        return best

    def _takes_any(self, slots: Slots) -> bool:
        return slots.outputs <= self.most_outputs

    def _climbed(self, slots: Slots, known: Sequence[Pattern], prices: Vector, count: int) -> tuple[Patterns, Vector]:
        high = self.pool.high
        many = max(2, min(count, WORK // slots.cells**2))
        fresh = starts.various(slots, many, high, prices, self.rng)
        begin = np.vstack([fresh, *(pattern[None] for pattern in known[:many])])
        flips = max(4, min(2 * slots.cells, WORK // (slots.cells * len(begin))))
        return climb(slots, begin, prices, high, flips)

    def _drop(self) -> None:
        self.pool.keep(self.pool.importance() > DROPPED)


def _is_stalled(values: Sequence[float]) -> bool:
    return len(values) > PATIENCE and values[-1] > values[-1 - PATIENCE] * (1 - CONVERGED)


def _best(gains: Vector, value: float) -> npt.NDArray[np.intp]:
    """The best few patterns, those that would lower the variance at all."""
    chosen = np.argsort(-gains)[:NEW_PATTERNS]
    return chosen[gains[chosen] > value * (1 + LEAST_GAIN)]
