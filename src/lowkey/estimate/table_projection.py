"""The non-negative family nearest to given coordinates ŷ: a projection, by its dual, with a proof of its quality.

    minimise ½‖y − ŷ‖²  over  u + B y ≥ 0;    its dual: maximise −½‖Bᵀλ‖² − λᵀ(u + B ŷ)  over  λ ≥ 0.

As BᵀB = I, the dual's gradient has Lipschitz constant 1, and accelerated ascent (Y. Nesterov 1983, with B. O'Donoghue
and E. Candès' restarts, Found. Comput. Math. 2015) settles easy cases in tens of steps. What it leaves, as when noise
outweighs the people, is for the method of multipliers with semismooth Newton steps (X. Li, D. Sun and K.-C. Toh,
SIAM J. Optim. 2018), whose systems I + σ BᵀDB, D telling which cells are at 0, conjugate gradients solve.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from lowkey.checks import Vector
from lowkey.errors import NotConverged
from lowkey.estimate.table_families import TableFamilies

TARGET = 1e-6  # certified relative distance at which to stop
ACCEPTED = 0.05  # the largest one that is handed out
ASCENT_STEPS = 500
LOOK = 20  # ascent steps between two looks at the distance
MOST_PRODUCTS = 2000  # with BᵀDB, in all: half a minute for all triples of 100 attributes
MOST_ROUNDS = 50  # of multipliers
FIRST_PENALTY = 1000.0
GROWTH = 2.0
LAST_PENALTY = 1e6
NEWTON_STEPS = 20
INNER_TOLERANCE = 0.01  # of the gradient, in each round of multipliers
LINEAR_TOLERANCE = 0.05  # of the residual, in each Newton step
LINEAR_STEPS = 400
SHORTEST = 1e-4  # step of the line search
ROUNDING = 1e-12  # of its values


@dataclass(frozen=True)
class Projection:
    """Coordinates of a non-negative family, and how far they can be from the nearest: ‖y − y*‖ ≤ distance × size."""

    y: Vector
    distance: float


class _Search:
    """What both methods share: the problem, multipliers λ, and the best proved family so far."""

    def __init__(self, families: TableFamilies, target: Vector, size: float) -> None:
        self.families = families
        self.target = target
        self.size = size
        self.multipliers = np.zeros(len(families.uniform))
        self.best = Projection(np.zeros_like(target), math.inf)
        self.products = 0

    @property
    def is_done(self) -> bool:
        return self.best.distance <= TARGET or self.products >= MOST_PRODUCTS

    def cells(self, y: Vector) -> Vector:
        return self.families.uniform + self.families.cells(y)

    def judge(self, y: Vector, pulled: Vector) -> None:
        """Make y feasible and keep it if it is the best; pulled: ŷ + Bᵀλ, where λ's Lagrangian is least.

        Mixing in as much of the uniform family as takes the last cell to 0 keeps the tables consistent. Then with
        y* optimal, ½‖y − y*‖² ≤ ½‖y − ŷ‖² − dual(λ) = ½‖y − pulled‖² + λᵀ(u + B y).
        """
        cells, uniform = self.cells(y), self.families.uniform
        below = cells < 0
        share = float((cells[below] / (cells[below] - uniform[below])).max(initial=0.0))
        mixed = (1 - share) * y
        slack = float(self.multipliers @ ((1 - share) * cells + share * uniform))
        gap = 0.5 * float(np.sum((mixed - pulled) ** 2)) + max(slack, 0.0)
        distance = math.sqrt(2 * gap) / self.size
        if distance < self.best.distance:
            self.best = Projection(mixed, distance)


def project(families: TableFamilies, target: Vector, size: float) -> Projection:
    """The non-negative family nearest to ŷ = target; distances are told in units of `size`."""
    search = _Search(families, target, size)
    _ascend(search)
    y, penalty = search.target + families.transposed(search.multipliers), FIRST_PENALTY
    for _ in range(MOST_ROUNDS):
        if search.is_done:
            break
        y = _round(search, y, penalty)
        penalty = min(GROWTH * penalty, LAST_PENALTY)
    if search.best.distance > ACCEPTED:
        raise NotConverged(
            f"the consistent tables are proved only to {search.best.distance:.1g} of the best ones' answers; "
            f"expected {ACCEPTED:g}. Use method='unbiased', or ask about fewer attributes together."
        )
    return search.best


def _ascend(search: _Search) -> None:
    """Accelerated ascent on the dual."""
    transposed = search.families.transposed
    ahead, momentum = search.multipliers, 1.0
    for step in range(ASCENT_STEPS):
        if step % LOOK == 0:
            pulled = search.target + transposed(search.multipliers)
            search.judge(pulled, pulled)
            if search.is_done:
                return
        found = np.maximum(ahead - search.cells(search.target + transposed(ahead)), 0.0)
        moved = found - search.multipliers
        if (ahead - found) @ moved > 0:
            momentum = 1.0
        following = (1 + math.sqrt(1 + 4 * momentum**2)) / 2
        ahead = found + (momentum - 1) / following * moved
        search.multipliers, momentum = found, following


def _round(search: _Search, y: Vector, penalty: float) -> Vector:
    """From y to the least y of the augmented Lagrangian, and the multipliers that it gives."""
    problem = _Augmented(search, penalty)
    pull = problem.pull(y)
    tolerance = INNER_TOLERANCE * float(np.linalg.norm(problem.gradient(y, pull)))
    for _ in range(NEWTON_STEPS):
        gradient = problem.gradient(y, pull)
        if np.linalg.norm(gradient) <= tolerance or search.products >= MOST_PRODUCTS:
            break
        y, pull = problem.step(y, pull, gradient)
    search.multipliers = pull
    search.judge(y, search.target + search.families.transposed(pull))
    return y


@dataclass(frozen=True)
class _Augmented:
    """½‖y − ŷ‖² + ‖pull(y)‖²/2σ with pull(y) = (λ − σ(u + B y))₊."""

    search: _Search
    penalty: float

    def pull(self, y: Vector) -> Vector:
        return np.maximum(self.search.multipliers - self.penalty * self.search.cells(y), 0.0)

    def value(self, y: Vector, pull: Vector) -> float:
        return 0.5 * float(np.sum((y - self.search.target) ** 2)) + 0.5 / self.penalty * float(pull @ pull)

    def gradient(self, y: Vector, pull: Vector) -> Vector:
        return y - self.search.target - self.search.families.transposed(pull)

    def step(self, y: Vector, pull: Vector, gradient: Vector) -> tuple[Vector, Vector]:
        """Newton's step, halved until the value falls."""
        families, active = self.search.families, pull > 0

        def curvature(direction: Vector) -> Vector:
            self.search.products += 1
            return direction + self.penalty * families.transposed(np.where(active, families.cells(direction), 0.0))

        direction = _conjugate_gradients(curvature, -gradient)
        value, slope, length = self.value(y, pull), float(gradient @ direction), 1.0
        while True:
            moved = y + length * direction
            found = self.pull(moved)
            if self.value(moved, found) <= value * (1 + ROUNDING) + 1e-4 * length * slope or length < SHORTEST:
                return moved, found
            length /= 2


def _conjugate_gradients(matrix: Callable[[Vector], Vector], right: Vector) -> Vector:
    solution, residual, direction = np.zeros_like(right), right, right
    square = float(right @ right)
    enough = LINEAR_TOLERANCE**2 * square
    for _ in range(LINEAR_STEPS):
        if square <= enough:
            break
        image = matrix(direction)
        length = square / float(direction @ image)
        solution, residual = solution + length * direction, residual - length * image
        square, before = float(residual @ residual), square
        direction = residual + square / before * direction
    return solution
