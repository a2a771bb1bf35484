"""From a design to a mechanism: sums made exact, on the computer's own numbers."""

from __future__ import annotations

import numpy as np
import scipy.linalg

from lowkey.checks import Matrix, Vector
from lowkey.mechanisms.strategy_matrices import Patterns
from lowkey.mechanisms.two_level import TwoLevelMechanism
from lowkey.optimize.candidates import is_even
from lowkey.optimize.information import Problem
from lowkey.optimize.weights import Design

ROUNDS = 10
RANK_TOLERANCE = 1e-13
EXACT = 1e-15  # a column's sum is as near to 1 as a sum of thousands of doubles is
STALLED = 0.9  # a round that leaves more than this share of what was missing is the last: the rest is rounding
NEGLIGIBLE = 1e-13  # of the largest weight
BLENDS = (0.0, 1e-7, 1e-5, 1e-3, 0.1)  # of randomized response: the first with which no query is lost


def mechanism_of(problem: Problem, design: Design, blend: float = 0.0, name: str = "optimized") -> TwoLevelMechanism:
    """The design as a mechanism, with a share `blend` of randomized response mixed in."""
    fetch = problem.arrays.fetch
    levels, weights, prior = fetch(design.levels), fetch(design.weights), fetch(design.prior)
    patterns: Patterns = levels > (1 + problem.high) / 2
    kept = weights > NEGLIGIBLE * weights.max()
    patterns, weights = patterns[kept], weights[kept]
    if blend > 0:
        patterns, weights = _blended(patterns, weights, blend, problem.high)
    weights = exact_weights(np.where(patterns, problem.high, 1.0), weights)
    return TwoLevelMechanism(patterns, weights, problem.epsilon, name, None if is_even(prior) else prior)


def exact_weights(levels: Matrix, weights: Vector) -> Vector:
    """Weights close to the given ones with Σ w_s s = 1 to machine precision.

    First by changes in proportion to the weights, w_s (δᵀs)/(1ᵀs) with δ from a linear system, which leave small
    weights small; then, for what rounding has left, by the least changes of all.
    """
    totals = levels.sum(axis=1)
    nearly = _corrected(levels, weights, weights / totals)
    return _corrected(levels, nearly, np.ones_like(totals))


def _corrected(levels: Matrix, weights: Vector, room: Vector) -> Vector:
    """Weights changed by room_s · (δᵀs) until the columns sum to 1, or rounding stops it."""
    scaled = levels * np.sqrt(room)[:, None]
    values, vectors = scipy.linalg.eigh(scaled.T @ scaled, driver="evd")
    inverse = np.where(values > RANK_TOLERANCE * values[-1], 1 / np.maximum(values, 1e-300), 0.0)
    off = np.inf
    for _ in range(ROUNDS):
        missing = 1.0 - weights @ levels
        if not EXACT < np.abs(missing).max() < STALLED * off:
            break
        off = np.abs(missing).max()
        answer = vectors @ (inverse * (vectors.T @ missing))
        weights = np.maximum(weights + room * (levels @ answer), 0.1 * weights)
    return weights


def _blended(patterns: Patterns, weights: Vector, blend: float, high: float) -> tuple[Patterns, Vector]:
    n = patterns.shape[1]
    one_each = np.full(n, blend / (high + n - 1))
    return np.vstack([patterns, np.eye(n, dtype=np.bool_)]), np.concatenate([(1 - blend) * weights, one_each])
