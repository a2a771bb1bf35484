"""Pricing row by row: for one value of the ordered attribute after the other, the best set of the slots' cells.

The surplus h(s) = sᵀMs/(πᵀs) − νᵀs of a pattern is known at once for some hundred choices of one row, the others fixed:
all there are, where the slots have few cells. A sweep over all rows costs a product of the patterns with M, and leads
on where single flips and tangents do not.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from lowkey.optimize.arrays import Array
from lowkey.optimize.information import Point, Problem

MOST_CELLS = 9  # of the slots, up to which all rows are tried
TRIED = 256  # rows otherwise
CHANGED = 0.5  # share of these that are a bit off from what they were drawn as


def candidate_rows(problem: Problem, levels: Array, cells: int, rng: np.random.Generator) -> Array:
    """Rows of levels over the slots (R, cells): every one, or some of the patterns' own, many with a bit flipped."""
    if cells <= MOST_CELLS:
        bits = (np.arange(2**cells)[:, None] >> np.arange(cells) & 1).astype(np.bool_)
    else:
        owned = problem.arrays.fetch(problem.xp.reshape(levels, (-1, cells))) > (1 + problem.high) / 2
        bits = owned[rng.integers(len(owned), size=TRIED)]
        changed = np.flatnonzero(rng.random(TRIED) < CHANGED)
        bits[changed, rng.integers(cells, size=len(changed))] ^= True
    return problem.levels(problem.arrays.put(bits))


@dataclass
class Sweep:
    """Patterns (K×n) on their way up: their rows change one value at a time."""

    problem: Problem
    levels: Array
    prior: Array
    point: Point
    rows: Array

    def __post_init__(self) -> None:
        xp = self.xp
        self.levels = xp.asarray(self.levels, copy=True)
        self.products = xp.matmul(self.levels, self.point.middle)
        self.squares = xp.sum(self.products * self.levels, axis=1)
        self.scale = xp.matmul(self.levels, self.prior)
        self.price = xp.matmul(self.levels, self.point.multipliers)

    @property
    def xp(self) -> Any:
        return self.problem.xp

    @property
    def surplus(self) -> Array:
        """Relative to φ, as `Point.surplus`."""
        return (self.squares / self.scale - self.price) / (self.scale * self.point.value)

    def row(self, value: int) -> None:
        """The best row for this value, in every pattern."""
        xp, cells = self.xp, self.rows.shape[1]
        mine = slice(value * cells, (value + 1) * cells)
        own, block = self.levels[:, mine], self.point.middle[mine, mine]
        beside = self.products[:, mine] - xp.matmul(own, block)
        without = self.squares - xp.sum((beside + self.products[:, mine]) * own, axis=1)
        squares = without[:, None] + 2.0 * xp.matmul(beside, self.rows.T) + self._quadratic(block)[None, :]
        scale = self._moved(self.scale, own, self.prior[mine])
        price = self._moved(self.price, own, self.point.multipliers[mine])
        after = squares / scale - price
        chosen = xp.argmax(after, axis=1)
        leads_up = xp.max(after, axis=1) > self.squares / self.scale - self.price
        row = xp.where(leads_up[:, None], xp.take(self.rows, chosen, axis=0), own)
        self.products = self.products + xp.matmul(row - own, self.point.middle[mine, :])
        self.levels[:, mine] = row
        every = xp.arange(chosen.shape[0], device=self.problem.arrays.device)
        self.squares = xp.where(leads_up, squares[every, chosen], self.squares)
        self.scale = xp.where(leads_up, scale[every, chosen], self.scale)
        self.price = xp.where(leads_up, price[every, chosen], self.price)

    def _quadratic(self, block: Array) -> Array:
        return self.xp.sum(self.xp.matmul(self.rows, block) * self.rows, axis=1)

    def _moved(self, totals: Array, own: Array, weights: Array) -> Array:
        """A linear form of the patterns, with each of the rows in place of their own: (K, rows)."""
        xp = self.xp
        return (totals - xp.matmul(own, weights))[:, None] + xp.matmul(self.rows, weights)[None, :]
