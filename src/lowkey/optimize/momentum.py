"""Projected gradient descent with momentum: a third to a half of the iterations for the same value."""

from __future__ import annotations

from typing import Any

from lowkey.checks import Vector
from lowkey.optimize.objective import Objective
from lowkey.optimize.projected_gradient import Descent, State, Steps

LAG = 3  # the k-th step of a streak goes on by k/(k + 3) of the one before (Nesterov)


class MomentumDescent(Descent):
    """Steps that go on in the direction of the last one; where that does not lower L, a plain step begins anew."""

    def __init__(self, objective: Objective, ratio: float) -> None:
        super().__init__(objective, ratio)
        self._before: State | None = None
        self._streak = 0

    def for_prior(self, prior: Vector, state: State) -> State:
        """Go on with other weights of the types: the state of the same strategy then."""
        self.objective = self.objective.for_prior(prior)
        return self.state(state.projection, state.floor)

    def step(self, state: State, steps: Steps) -> State | None:
        following = self._leap(state, steps)
        if following is None:
            self._streak = 0
            following = super().step(state, steps)
        else:
            steps.grow()
        self._before, self._streak = state, self._streak + 1
        return following

    def _leap(self, state: State, steps: Steps) -> State | None:
        """A step from where the last one leads on to, if that lowers L."""
        before = self._before
        if before is None or self._streak == 0 or before.floor.shape != state.floor.shape:
            return None
        projection, floor = self.move(self._ahead(state, before), steps)
        point = self.objective.at(projection.strategy)
        return self.state(projection, floor, point) if point.value < state.point.value else None

    def _ahead(self, state: State, before: State) -> State:
        share = self._streak / (self._streak + LAG)
        here: Any = state.projection.strategy
        strategy = here + share * (here - before.projection.strategy)
        floor = state.floor + share * (state.floor - before.floor)
        return state._replace(projection=state.projection._replace(strategy=strategy), floor=floor)
