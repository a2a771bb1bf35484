"""Pricing: patterns that a design lacks, climbed to from those that it has.

At a point (M, ν, π) a pattern s ∈ {1, e^ε}ⁿ would lower the objective if its surplus

    h(s) = sᵀMs / (πᵀs) − νᵀs

is positive. h is convex (a square over a linear function), so maximising its tangent at s over the whole box never
leads down: one product of matrices moves any number of bits of thousands of patterns at once. Single best flips
follow, for where the tangent no longer leads anywhere but a flip does.
"""

from __future__ import annotations

from typing import NamedTuple

from lowkey.optimize.arrays import Array
from lowkey.optimize.information import Point, Problem

TANGENT_STEPS, FLIPS = 2, 1
LEAST_GAIN = 1e-9  # relative: what is less is rounding


class Climbers(NamedTuple):
    """Patterns on their way up, and what their surplus is made of."""

    levels: Array  # s (k×n)
    products: Array  # s M (k×n)
    squares: Array  # sᵀMs
    scale: Array  # πᵀs
    price: Array  # νᵀs

    @property
    def surplus(self) -> Array:
        return self.squares / self.scale - self.price


def climb(
    problem: Problem, levels: Array, prior: Array, point: Point, tangents: int = TANGENT_STEPS, flips: int = FLIPS
) -> tuple[Array, Array]:
    """Better patterns than the given ones, and their surplus relative to φ (as `Point.surplus`)."""
    now = _climbers(problem, levels, prior, point)
    for _ in range(tangents):
        now = _climbers(problem, _top_of_tangent(problem, now, prior, point), prior, point)
    for _ in range(flips):
        now = _flipped(problem, now, prior, point)
    return now.levels, now.surplus / (now.scale * point.value)


def _climbers(problem: Problem, levels: Array, prior: Array, point: Point) -> Climbers:
    xp = problem.xp
    products = xp.matmul(levels, point.middle)
    squares = xp.sum(products * levels, axis=1)
    return Climbers(levels, products, squares, xp.matmul(levels, prior), xp.matmul(levels, point.multipliers))


def _top_of_tangent(problem: Problem, now: Climbers, prior: Array, point: Point) -> Array:
    """The pattern where the tangent of h at s is largest: the cells with a positive partial derivative."""
    slope = (now.squares / now.scale**2)[:, None] * prior[None, :] + point.multipliers[None, :]
    return problem.levels(2.0 * now.products / now.scale[:, None] > slope)


def _flipped(problem: Problem, now: Climbers, prior: Array, point: Point) -> Climbers:
    """Each pattern with its best bit flipped, where that leads up."""
    xp = problem.xp
    rise = problem.high - 1.0
    curvature = xp.linalg.diagonal(point.middle)
    moves = (1.0 + problem.high) - 2.0 * now.levels  # from each level to the other
    squares = now.squares[:, None] + 2.0 * moves * now.products + rise**2 * curvature[None, :]
    after = squares / (now.scale[:, None] + moves * prior) - now.price[:, None] - moves * point.multipliers
    chosen = xp.argmax(after, axis=1)
    here = now.surplus
    leads_up = xp.max(after, axis=1) > here + LEAST_GAIN * xp.abs(now.price)
    cells = xp.arange(problem.cells, device=problem.arrays.device)
    flip = (cells[None, :] == chosen[:, None]) & leads_up[:, None]
    return _climbers(problem, xp.where(flip, now.levels + moves, now.levels), prior, point)
