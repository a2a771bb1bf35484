"""The function that the paper's optimizer lowers: L(Q) = tr[(Qᵀ D⁻¹ Q)⁻¹ G] with D = Diag(Qπ), and its gradient.

For a prior π the average variance per user is L(Q) − Σ_u π_u G_uu (the paper's theorem "Objective function for Q",
there with π uniform and both sides times n).
"""

from __future__ import annotations

import math
from copy import copy
from typing import Any, NamedTuple

import numpy as np

from lowkey.checks import Matrix, Vector
from lowkey.optimize.arrays import Array, Arrays

TINY = 1e-300  # an output whose floor has reached 0 never occurs: 0/TINY keeps it out of the sums
LOWEST_CONDITION = 1e-11  # below, the information matrix counts as rank-deficient
RIDGE = 1e-9  # of its mean diagonal, then: large enough for rounding, small enough to change L by some 1e-6
LARGEST_LOSS = 1e-12  # share of the queries' squared norm that a strategy may leave unanswered


class Point(NamedTuple):
    """L at a strategy, with what its gradient needs."""

    value: float
    strategy: Array
    scale: Array  # Qπ
    inverse: Array  # X⁺


class Objective:
    """L for one Gram matrix and prior, on one device."""

    def __init__(self, gram: Matrix, prior: Vector, arrays: Arrays) -> None:
        self.xp: Any = arrays.xp
        self._arrays = arrays
        self._gram = arrays.put(gram)
        self._diagonal = gram.diagonal()
        self._identity = arrays.put(np.eye(len(prior)))
        self._weigh(prior)

    def _weigh(self, prior: Vector) -> None:
        self.prior = prior
        self._prior = self._arrays.put(prior)
        self.constant = float(prior @ self._diagonal)

    def for_prior(self, prior: Vector) -> Objective:
        """The same for other weights of the types."""
        other = copy(self)
        other._weigh(prior)
        return other

    def at(self, strategy: Array) -> Point:
        """Evaluate L; infinite where the outputs do not determine the cells."""
        xp = self.xp
        scale = xp.clip(xp.matmul(strategy, self._prior), TINY, None)
        scaled = strategy / xp.sqrt(scale)[:, None]
        information = xp.matmul(scaled.T, scaled)
        inverse = self._inverse(information)
        if inverse is None:
            return Point(math.inf, strategy, scale, information)
        value = float(xp.sum(inverse * self._gram))
        return Point(value if value > 0 else math.inf, strategy, scale, inverse)

    def _inverse(self, information: Array) -> Array | None:
        """X⁻¹, with a small ridge where X has lost rank (a low-rank workload lets it); None if that loses a query."""
        xp = self.xp
        try:
            inverse = xp.linalg.inv(information)
        except (np.linalg.LinAlgError, RuntimeError):  # what NumPy and PyTorch raise when it is exactly singular
            return self._ridge_inverse(information)
        condition = 1 / float(xp.linalg.matrix_norm(information) * xp.linalg.matrix_norm(inverse))
        return inverse if condition > LOWEST_CONDITION else self._ridge_inverse(information)

    def _ridge_inverse(self, information: Array) -> Array | None:
        xp = self.xp
        ridge = RIDGE * float(xp.linalg.trace(information)) / information.shape[0]
        inverse = xp.linalg.inv(information + ridge * self._identity)
        # A direction v that X does not see has (X + rI)⁻¹ v = v/r, so this is the queries' squared norm out of sight.
        unseen = ridge**2 * float(xp.sum(xp.matmul(inverse, self._gram) * inverse))
        return inverse if unseen <= LARGEST_LOSS * float(xp.linalg.trace(self._gram)) else None

    def gradient(self, point: Point) -> Array:
        """∇_Q L = −2 D⁻¹ Q M + diag(Q M Qᵀ) D⁻² 1 πᵀ with M = X⁻¹ G X⁻¹."""
        product, costs = self._costs(point)
        return costs[:, None] * self._prior[None, :] - 2.0 * product / point.scale[:, None]

    def variances(self, point: Point) -> Vector:
        """z_u = Σ_o Q_ou r_o − G_uu with r = diag(Q M Qᵀ) D⁻²: each type's variance under the decoder for the prior."""
        _, costs = self._costs(point)
        return self._arrays.fetch(self.xp.matmul(costs, point.strategy)) - self._diagonal

    def _costs(self, point: Point) -> tuple[Array, Array]:
        """Q M and, for every output, the squared norm of what the decoder makes of it."""
        xp = self.xp
        middle = xp.matmul(xp.matmul(point.inverse, self._gram), point.inverse)
        product = xp.matmul(point.strategy, middle)
        return product, xp.sum(product * point.strategy, axis=1) / point.scale / point.scale
