"""The master problem by first-order steps: the best weights of given patterns, and the worst prior with them.

    min over w ≥ 0, Σ_s w_s s = 1   max over π   of   tr[X_π(w)⁻¹ G] − Σ_u π_u G_uu

A step multiplies each weight by a power of 1 + (g_s − νᵀs)/(c_s φ), which is 1 on the support of the optimum, and then
puts the sums Σ_s w_s s = 1 right again with the factors 1 + δᵀs/c_s, X δ = 1 − Σ_s w_s s. Nothing has the size K×K:
a step costs two products of a K×n and an n×n matrix.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from lowkey.optimize.arrays import Array
from lowkey.optimize.information import Point, Problem, evaluate

LEAST_FACTOR, MOST_FACTOR = 0.05, 20.0  # that one step may multiply a weight by, to the power
LEAST_CORRECTION, MOST_CORRECTION = 0.2, 5.0  # and that the correction of the sums may
LEAST_PRIOR = 1e-9  # times 1/n: what a type keeps at least
FASTEST, SLOWEST = 2.0, 0.25  # powers
CALMER, CALMEST = 0.7, 0.5  # factor for the fastest power and the prior's rate, and where the former ends
SETBACK = 1.005  # a value that grows by more than this share was a step too far


class Design(NamedTuple):
    """Patterns as levels (K×n), their weights (K,), and the prior (n,)."""

    levels: Array
    weights: Array
    prior: Array

    @property
    def outputs(self) -> int:
        return int(self.weights.shape[0])


@dataclass
class Pace:
    """How bold the steps are: the power for the weights, and the rate for the prior (0 where it is given)."""

    power: float = FASTEST
    prior_rate: float = 2.0
    fastest: float = FASTEST
    last_value: float = float("inf")

    def adapt(self, value: float) -> None:
        """A slower power after a setback, a faster one otherwise."""
        worse = value > SETBACK * self.last_value
        self.power = max(self.power / 2, SLOWEST) if worse else min(self.power * 1.1, self.fastest)
        self.last_value = value

    def calm(self) -> None:
        """Smaller steps for good: bold ones can go around in circles."""
        self.fastest = max(CALMER * self.fastest, CALMEST)
        self.prior_rate *= CALMER


def step(problem: Problem, design: Design, point: Point, pace: Pace) -> Design:
    """The design after one step of its weights (and of the prior) from its `point`."""
    xp = problem.xp
    factors = xp.clip(1.0 + point.surplus(design.levels, xp), LEAST_FACTOR, MOST_FACTOR)
    weights = balanced(problem, design.levels, design.weights * factors**pace.power, design.prior, point)
    prior = design.prior
    if pace.prior_rate > 0:
        prior = worse_prior(prior, point.variances, pace.prior_rate, xp)
    return Design(design.levels, weights, prior)


def balanced(problem: Problem, levels: Array, weights: Array, prior: Array, point: Point, times: int = 2) -> Array:
    """Weights whose columns sum to 1 (nearly: each time the error is about squared), close to the given ones."""
    xp = problem.xp
    for _ in range(times):
        missing = 1.0 - problem.even_vector(xp.matmul(weights, levels))
        answer = xp.matmul(point.inverse, missing) + prior * xp.sum(prior * missing)  # X⁻¹ times what is missing
        change = xp.matmul(levels, answer) / point.scale
        weights = weights * xp.clip(1.0 + change, LEAST_CORRECTION, MOST_CORRECTION)
    return weights


def settle(problem: Problem, design: Design, pace: Pace, steps: int) -> tuple[Design, Point]:
    """The design after several steps, with its point."""
    point = evaluate(problem, design.levels, design.weights, design.prior)
    for _ in range(steps):
        design = step(problem, design, point, pace)
        point = evaluate(problem, design.levels, design.weights, design.prior)
        pace.adapt(point.value)
    return design, point


def worse_prior(prior: Array, variances: Array, rate: float, xp: Any) -> Array:
    """The prior with more weight on the types that suffer more (exponentiated gradient)."""
    worst = xp.max(variances)
    moved = prior * xp.exp(rate * (variances / xp.where(worst > 0, worst, xp.ones_like(worst)) - 1.0))
    moved = moved / xp.sum(moved) + LEAST_PRIOR / prior.shape[0]
    return moved / xp.sum(moved)
