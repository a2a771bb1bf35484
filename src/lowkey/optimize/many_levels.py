"""Rows of many levels, for when outputs are few.

With all the rows that it wants an optimal strategy needs two levels only. With a few rows a cell those between the two
do better: the whole matrix is then lowered as by Algorithm 2, with momentum, and for the worst case the prior moves
along as it does over patterns.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from lowkey.checks import Vector
from lowkey.errors import LowkeyError
from lowkey.mechanisms.dense import DenseMechanism
from lowkey.optimize.arrays import Array, Arrays
from lowkey.optimize.budget import Budget
from lowkey.optimize.candidates import Candidate, Question, is_even
from lowkey.optimize.momentum import MomentumDescent
from lowkey.optimize.objective import Objective
from lowkey.optimize.projected_gradient import State, Status, Steps, Stopping
from lowkey.optimize.seal import seal
from lowkey.optimize.start import Start
from lowkey.optimize.weights import worse_prior

BOUT = 5  # steps between two moves of the prior
WINDOW = 5  # bouts
PRIOR_RATE, CALMER, CALMEST = 1.0, 0.6, 0.1  # how fast the prior moves: slower after each stall, in the end not at all


@dataclass
class Walk:
    """A strategy on its way down: the best so far by the objective asked for, and how it came there."""

    question: Question
    arrays: Arrays
    budget: Budget
    stopping: Stopping
    target: float
    stage: str
    value: float = math.inf
    strategy: Array | None = None
    prior: Vector = field(default_factory=lambda: np.empty(0))  # that the best one is for
    status: Status = Status.ITERATION_LIMIT
    values: list[float] = field(default_factory=list)

    def go(self, start: Start, prior: Vector) -> None:
        """Bouts of steps until the value stalls, the budget is spent, or Ctrl-C."""
        try:
            self._go(start, prior)
        except KeyboardInterrupt:
            self.status = Status.INTERRUPTED

    def _go(self, start: Start, prior: Vector) -> None:
        objective = Objective(self.question.workload.gram(), prior, self.arrays)
        descent = MomentumDescent(objective, math.exp(self.question.epsilon))
        state = descent.state(start.projection, start.floor)
        steps = descent.first_steps(state)
        rate = PRIOR_RATE if self.question.worst else 0.0
        self._keep(state.projection.strategy, prior, objective.variances(state.point))
        for number in range(1, self.stopping.iterations // BOUT + 1):
            state, is_stuck = self._bout(descent, state, steps)
            variances = descent.objective.variances(state.point)
            self._keep(state.projection.strategy, descent.objective.prior, variances)
            self.budget.report(number * BOUT, self.value, self.stage)
            if self._has_ended():
                return
            if is_stuck or self._has_stalled():
                rate *= CALMER
                if rate < CALMEST * PRIOR_RATE:
                    self.status = Status.CONVERGED
                    return
                self.values.clear()
            if self.question.worst:
                state = descent.for_prior(worse_prior(descent.objective.prior, variances, rate, np), state)

    def _bout(self, descent: MomentumDescent, state: State, steps: Steps) -> tuple[State, bool]:
        """The state some steps on, and whether even tiny steps lead nowhere."""
        for _ in range(BOUT):
            if self.budget.is_spent:
                break
            following = descent.step(state, steps)
            if following is None:
                return state, True
            state = descent.without_vanishing_rows(following)
        return state, False

    def _keep(self, strategy: Array, prior: Vector, variances: Vector) -> None:
        value = float(variances.max() if self.question.worst else prior @ variances)
        if value < self.value:
            self.value, self.strategy, self.prior = value, strategy, prior
        self.values.append(self.value)

    def _has_ended(self) -> bool:
        if self.budget.is_spent:
            self.status = Status.TIME_LIMIT
        elif self.value <= self.target:
            self.status = Status.CONVERGED
        else:
            return False
        return True

    def _has_stalled(self) -> bool:
        values = self.values
        return len(values) > WINDOW and values[-1 - WINDOW] - values[-1] <= self.stopping.tolerance * values[-1]

    def candidate(self, origin: str) -> Candidate | None:
        """The best strategy as a mechanism; None where rounding loses a query."""
        if self.strategy is None:
            return None
        sealed = seal(self.arrays.fetch(self.strategy), self.question.epsilon)
        mechanism = DenseMechanism(sealed, self.question.epsilon, name="optimized")
        mechanism.design_prior = None if is_even(self.prior) else self.prior
        try:
            return self.question.candidate(mechanism, origin, self.status)
        except LowkeyError:
            return None
