"""The function that the paper's optimizer lowers: L(Q) = tr[(Qᵀ D⁻¹ Q)⁻¹ G] with D = Diag(Qπ), and its gradient.

For a prior π the average variance per user is L(Q) − Σ_u π_u G_uu (the paper's theorem "Objective function for Q",
there with π uniform and both sides times n).
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from lowkey.checks import Matrix, Vector
from lowkey.optimize.arrays import Array, Arrays

# Relative to the mean diagonal of the information matrix. A workload of low rank lets X lose rank outside the row
# space of W, where G is zero: the ridge keeps X invertible there and changes L by less than 1e-8 relative.
RIDGE = 1e-13
TINY = 1e-300  # an output whose floor has reached 0 never occurs: 0/TINY keeps it out of the sums


class Point(NamedTuple):
    """L at a strategy, with what its gradient needs."""

    value: float
    strategy: Array
    scale: Array  # Qπ
    inverse: Array  # X⁻¹


class Objective:
    """L for one Gram matrix and prior, on one device."""

    def __init__(self, gram: Matrix, prior: Vector, arrays: Arrays) -> None:
        self.xp: Any = arrays.xp
        self._prior = arrays.put(prior)
        self._gram = arrays.put(gram)
        self._identity = arrays.put(np.eye(len(prior)))
        self.constant = float(prior @ gram.diagonal())

    def at(self, strategy: Array) -> Point:
        """Evaluate L; infinite where the outputs do not determine the cells."""
        xp = self.xp
        scale = xp.clip(xp.matmul(strategy, self._prior), TINY, None)
        scaled = strategy / xp.sqrt(scale)[:, None]
        information = xp.matmul(scaled.T, scaled)
        ridge = RIDGE * float(xp.linalg.trace(information)) / information.shape[0]
        inverse = xp.linalg.inv(information + ridge * self._identity)
        value = float(xp.sum(inverse * self._gram))
        return Point(value if value > 0 else float("inf"), strategy, scale, inverse)

    def gradient(self, point: Point) -> Array:
        """∇_Q L = −2 D⁻¹ Q M + diag(Q M Qᵀ) D⁻² 1 πᵀ with M = X⁻¹ G X⁻¹."""
        xp = self.xp
        middle = xp.matmul(xp.matmul(point.inverse, self._gram), point.inverse)
        product = xp.matmul(point.strategy, middle)
        along_prior = xp.sum(product * point.strategy, axis=1) / point.scale**2
        return along_prior[:, None] * self._prior[None, :] - 2.0 * product / point.scale[:, None]
