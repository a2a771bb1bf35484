"""The design problem solved: weights settle, better patterns are priced in, negligible ones drop out, and again.

Over two-level rows the problem is convex in the weights, with 2ⁿ candidate patterns; a design holds the few thousand
that matter. In each round some of its patterns, drawn by their share of the reports, are climbed to better ones, which
take over a part of their parents' weight.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from lowkey.optimize.arrays import Array
from lowkey.optimize.budget import Budget
from lowkey.optimize.information import Point, Problem
from lowkey.optimize.pricing import FLIPS, TANGENT_STEPS, climb
from lowkey.optimize.projected_gradient import Status
from lowkey.optimize.weights import Design, Pace, settle

FIRST_STEPS, STEPS = 10, 3  # of the weights, before the first pricing and in each round
PARENTS_PER_CELL = 3  # patterns that are climbed from in a round, times n
HANDOVER = 0.1  # share of a parent's weight that its child takes over
MOVED = 0.03  # share of the patterns that may move to better ones in a round, where the number of outputs is given
MOVE_TANGENTS, MOVE_FLIPS = 0, 1  # small steps then: nothing remains of where they came from
NEGLIGIBLE = 1e-3  # of the mean share of reports: rows below are dropped
STALL_WINDOW = 40  # rounds
PRIOR_RATE = 2.0
PATIENCE, SLOW = 10, 1e-5  # steps get smaller after so many rounds that lower the value by less than this share


@dataclass(frozen=True)
class Limits:
    """How many outputs a design may have while it grows, and when a run ends."""

    outputs: int
    rounds: int
    tolerance: float  # a run ends when 40 rounds lower the value by less than this share
    target: float = 0.0  # or when the value is no more than this
    moves: bool = False  # whether children take their parents' place, which keeps the number of outputs


@dataclass
class Run:
    """A design on its way: the best so far by its exact objective, and how it came there."""

    problem: Problem
    worst: bool
    budget: Budget
    rng: np.random.Generator
    stage: str = "patterns"
    parents_per_cell: int = PARENTS_PER_CELL
    best: Design | None = None
    value: float = float("inf")
    status: Status = Status.ITERATION_LIMIT
    values: list[float] = field(default_factory=list)

    @property
    def prior_rate(self) -> float:
        """How fast the prior moves: not at all where it is given."""
        return PRIOR_RATE if self.worst else 0.0

    def interrupted(self) -> None:
        """Ctrl-C: what was found stays."""
        self.status = Status.INTERRUPTED

    def forget(self) -> None:
        """Compare no more with what came before."""
        self.best, self.value, self.values = None, float("inf"), []

    def improve(self, design: Design, limits: Limits) -> None:
        """Rounds of weights and patterns until the limits, the time, or Ctrl-C."""
        pace = Pace(prior_rate=self.prior_rate)
        with np.errstate(all="ignore"):
            self._improve(design, limits, pace)

    def _improve(self, design: Design, limits: Limits, pace: Pace) -> None:
        try:
            design, point = settle(self.problem, design, pace, FIRST_STEPS)
            self.keep(design, point, 0)
            started = self.budget.seconds
            for number in range(1, limits.rounds + 1):
                started, last = self.budget.seconds, self.budget.seconds - started
                if self._has_ended(limits, last):
                    return
                design = self.with_better_patterns(design, point, limits.outputs, limits.moves)
                design, point = settle(self.problem, design, pace, STEPS)
                if not math.isfinite(point.value):  # beyond what doubles resolve: what was found stays
                    self.status = Status.CONVERGED
                    return
                self.keep(design, point, number)
                if number % PATIENCE == 0 and self._has_stalled(SLOW, PATIENCE):
                    pace.calm()
        except KeyboardInterrupt:
            self.interrupted()

    def with_better_patterns(self, design: Design, point: Point, most: int, moves: bool = False) -> Design:
        """The design with children of some of its patterns, without rows that hardly ever occur."""
        xp = self.problem.xp
        shares = design.weights * point.scale
        count = max(int(MOVED * design.outputs), 1) if moves else self.parents_per_cell * self.problem.cells
        parents = self._drawn(xp.ones_like(shares) if moves else shares, count)
        steps = (MOVE_TANGENTS, MOVE_FLIPS) if moves else (TANGENT_STEPS, FLIPS)
        children, surplus = self.climbed(design.levels[parents, :], design.prior, point, *steps)
        good = surplus > 0
        weights = xp.asarray(design.weights, copy=True)
        handed = (1.0 if moves else HANDOVER) * weights[parents] * xp.astype(good, weights.dtype)
        weights[parents] -= handed
        kept = (shares > NEGLIGIBLE * float(xp.mean(shares))) & (weights > 0)
        levels = xp.concat([design.levels[kept, :], children[good, :]])
        weights = xp.concat([weights[kept], handed[good]])
        levels, weights = merged(levels, weights, self.problem)
        return self.within(Design(levels, weights, design.prior), most)

    def climbed(self, levels: Array, prior: Array, point: Point, tangents: int, flips: int) -> tuple[Array, Array]:
        """Better patterns than the given ones, and their surplus relative to φ."""
        return climb(self.problem, levels, prior, point, tangents, flips)

    def within(self, design: Design, most: int) -> Design:
        """The `most` rows that occur most often."""
        if design.outputs <= most:
            return design
        xp = self.problem.xp
        shares = design.weights * xp.matmul(design.levels, design.prior)
        kept = xp.argsort(shares, descending=True)[:most]
        return Design(design.levels[kept, :], design.weights[kept], design.prior)

    def _drawn(self, shares: Array, count: int) -> Array:
        """Indices of `count` patterns, without repetition, drawn by their shares."""
        arrays = self.problem.arrays
        probabilities = np.maximum(arrays.fetch(shares), 0.0)
        keys = self.rng.exponential(size=len(probabilities)) / np.maximum(probabilities, 1e-300)
        count = min(count, len(keys))
        return arrays.put(np.sort(np.argpartition(keys, count - 1)[:count]))

    def keep(self, design: Design, point: Point, number: int) -> None:
        """Remember the design if it is the best so far, and tell whoever listens."""
        xp = self.problem.xp
        value = float(xp.max(point.variances)) if self.worst else float(xp.sum(design.prior * point.variances))
        off = float(xp.max(xp.abs(self.problem.even_vector(xp.matmul(design.weights, design.levels)) - 1.0)))
        if value < self.value and off < 1e-4:
            self.value, self.best = value, design
        self.values.append(self.value)
        if number > 0:
            self.budget.report(number, self.value, self.stage)

    def _has_ended(self, limits: Limits, last: float) -> bool:
        """Whether there is no time for what a round took last, or nothing more to gain."""
        if not self.budget.has(last):
            self.status = Status.TIME_LIMIT
        elif self.value <= limits.target or self._has_stalled(limits.tolerance, STALL_WINDOW):
            self.status = Status.CONVERGED
        else:
            return False
        return True

    def _has_stalled(self, tolerance: float, window: int) -> bool:
        values = self.values
        return len(values) > window and values[-1 - window] - values[-1] <= tolerance * values[-1]


def merged(levels: Array, weights: Array, problem: Problem) -> tuple[Array, Array]:
    """Every pattern once, with its copies' weights added up.

    Patterns are told apart by a random linear form of their bits. Should two different ones ever agree on it, one of
    them is lost, which costs accuracy and nothing else: sums are made exact later.
    """
    xp: Any = problem.xp
    form = problem.arrays.put(np.random.default_rng(0).standard_normal(problem.cells))
    keys = xp.matmul(levels, form)
    order = xp.argsort(keys)
    keys, sums = keys[order], xp.cumulative_sum(weights[order])
    gap = 1e-9 * (problem.high - 1.0)
    last = xp.concat([keys[1:] - keys[:-1] > gap, xp.ones_like(keys[:1]) > 0])
    ends = sums[last]
    totals = xp.concat([ends[:1], ends[1:] - ends[:-1]])
    return levels[order[last], :], totals
