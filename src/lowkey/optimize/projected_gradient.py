"""The paper's Algorithm 2: projected gradient descent on the strategy Q and its floor z.

    z ← clip(z − α ∇_z L),   Q ← Π_{z,ε}(Q − β ∇_Q L)

with three departures. Entries that stand on a bound travel with z before the gradient step: without that the z step
is not a descent direction and the run stalls. And both step sizes are searched at every iteration instead of once:
a step that does not lower L is tried again, first with a smaller α, then with a smaller β; a success lets both grow.
And a random start that ends above a known strategy is given up for that one: for large ε it may be the optimum.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from lowkey.optimize.arrays import Array
from lowkey.optimize.budget import Budget
from lowkey.optimize.objective import Objective, Point
from lowkey.optimize.projection import Projection, feasible_floor, floor_gradient, project, travel_with_floor
from lowkey.optimize.start import Start

VANISHING = 1e-10  # a row whose floor is below this is dropped (as in the authors' code)
GROW_STEP, SHRINK_STEP = 1.5, 0.5  # β
GROW_FLOOR_SHARE, SHRINK_FLOOR_SHARE = 1.05, 0.25  # α/β
MAX_TRIALS = 60
STALL_WINDOW = 25  # iterations
IsEnough = Callable[[Point], bool]


class Status(StrEnum):
    """How a run ended."""

    CONVERGED = "converged"
    GAP_REACHED = "gap reached"
    ITERATION_LIMIT = "iteration limit"
    TIME_LIMIT = "time limit"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Stopping:
    """A run ends after `iterations`, or when 25 of them lower L by less than `tolerance` of itself."""

    iterations: int = 3000
    tolerance: float = 1e-4


class Result(NamedTuple):
    """The last (and best) strategy of a run, on the device; `reached` can be the start of another run."""

    reached: Start
    value: float  # average variance per user under the prior
    status: Status
    iterations: int

    @property
    def was_cut_short(self) -> bool:
        return self.status in (Status.INTERRUPTED, Status.TIME_LIMIT, Status.GAP_REACHED)


class State(NamedTuple):
    """A feasible strategy with its value and derivatives."""

    point: Point
    projection: Projection
    floor: Array
    gradient: Array
    floor_gradient: Array


@dataclass
class Steps:
    """β, and α as a share of β; the share starts at a tenth of the paper's 1/(n e^ε)."""

    strategy: float
    floor_share: float

    def shrink(self, trial: int) -> None:
        if trial % 2 == 0:
            self.floor_share *= SHRINK_FLOOR_SHARE
        else:
            self.strategy *= SHRINK_STEP

    def grow(self) -> None:
        self.strategy *= GROW_STEP
        self.floor_share *= GROW_FLOOR_SHARE


def projected_gradient(
    objective: Objective,
    epsilon: float,
    start: Start,
    stopping: Stopping,
    budget: Budget,
    stage: str,
    is_enough: IsEnough = lambda point: False,
) -> Result:
    """Lower L from `start` until it stalls, the budget is spent, or the person presses Ctrl-C (the best is kept).

    `is_enough` tells whether a strategy is as good as was asked for. Where the run stalls is a local minimum. A rival
    of the start that lies below it takes its place.
    """
    result = _descend(objective, epsilon, start, stopping, budget, stage, is_enough)
    try:
        has_stalled = result.status is Status.CONVERGED
        rival = _lowest(objective, start, result.value + objective.constant) if has_stalled else None
        if rival is None or budget.is_spent:
            return result
        stage, value, better = rival
        budget.report(0, value - objective.constant, stage)
    except KeyboardInterrupt:
        return result._replace(status=Status.INTERRUPTED)
    return _descend(objective, epsilon, better, stopping, budget, stage, is_enough)


def _lowest(objective: Objective, start: Start, value: float) -> tuple[str, float, Start] | None:
    """The rival with the least L and this L, if it is below `value`."""
    best: tuple[str, float, Start] | None = None
    for name, rival in start.rivals():
        reached = objective.at(rival.projection.strategy).value
        if reached < value:
            best, value = (f"from {name}", reached, rival), reached
    return best


def _descend(
    objective: Objective,
    epsilon: float,
    start: Start,
    stopping: Stopping,
    budget: Budget,
    stage: str,
    is_enough: IsEnough,
) -> Result:
    run = Descent(objective, math.exp(epsilon))
    state = run.state(start.projection, start.floor)
    steps = run.first_steps(state)
    values = [state.point.value]
    status = Status.ITERATION_LIMIT
    try:
        for iteration in range(1, stopping.iterations + 1):
            following = run.step(state, steps)
            if following is None:
                status = Status.CONVERGED
                break
            state = run.without_vanishing_rows(following)
            values.append(state.point.value)
            budget.report(iteration, state.point.value - objective.constant, stage)
            if is_enough(state.point):
                status = Status.GAP_REACHED
                break
            if _has_stalled(values, stopping.tolerance):
                status = Status.CONVERGED
                break
            if budget.is_spent:
                status = Status.TIME_LIMIT
                break
    except KeyboardInterrupt:
        status = Status.INTERRUPTED
    reached = Start(state.projection, state.floor)
    return Result(reached, state.point.value - objective.constant, status, len(values) - 1)


def _has_stalled(values: list[float], tolerance: float) -> bool:
    return len(values) > STALL_WINDOW and values[-1 - STALL_WINDOW] - values[-1] <= tolerance * values[-1]


class Descent:
    """One run's problem: everything that does not change from iteration to iteration."""

    def __init__(self, objective: Objective, ratio: float) -> None:
        self.objective = objective
        self.ratio = ratio
        self.xp: Any = objective.xp

    def state(self, projection: Projection, floor: Array, point: Point | None = None) -> State:
        point = point or self.objective.at(projection.strategy)
        gradient = self.objective.gradient(point)
        return State(point, projection, floor, gradient, floor_gradient(gradient, projection, self.ratio, self.xp))

    def first_steps(self, state: State) -> Steps:
        """β such that no entry moves by more than the mean of a column; the search corrects it at once."""
        outputs, cells = state.gradient.shape
        largest = float(self.xp.max(self.xp.abs(state.gradient)))
        return Steps(1.0 / max(outputs * largest, 1e-300), 0.1 / (cells * self.ratio))

    def step(self, state: State, steps: Steps) -> State | None:
        """The next state that lowers L, or None where even tiny steps do not."""
        for trial in range(MAX_TRIALS):
            projection, floor = self.move(state, steps)
            point = self.objective.at(projection.strategy)
            if point.value < state.point.value:
                steps.grow()
                return self.state(projection, floor, point)
            steps.shrink(trial)
        return None

    def move(self, state: State, steps: Steps) -> tuple[Projection, Array]:
        xp = self.xp
        alpha = steps.strategy * steps.floor_share
        floor = feasible_floor(state.floor - alpha * state.floor_gradient, self.ratio, xp)
        travel = travel_with_floor(state.projection, floor - state.floor, self.ratio, xp)
        target = state.projection.strategy + travel - steps.strategy * state.gradient
        return project(target, floor, self.ratio, xp), floor

    def without_vanishing_rows(self, state: State) -> State:
        """The state without outputs that (almost) never occur; the rest is projected again."""
        kept = state.floor > VANISHING
        if bool(self.xp.all(kept)) or not bool(self.xp.any(kept)):
            return state
        floor = feasible_floor(state.floor[kept], self.ratio, self.xp)
        return self.state(project(state.projection.strategy[kept, :], floor, self.ratio, self.xp), floor)
