"""What strategy matrices are built from: two-level rows, characters, mixtures."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lowkey.checks import Matrix, Vector, check_data_vector
from lowkey.errors import InvalidInput

Patterns = npt.NDArray[np.bool_]


def check_bits(what: str, value: object, axes: int, expected: str) -> Patterns:
    """A copy of an array of booleans with at least so many axes, read-only."""
    bits = np.array(value)
    if bits.ndim < axes or bits.size < 1 or bits.dtype != np.bool_:
        raise InvalidInput(what, f"an array of shape {bits.shape} and type {bits.dtype}", expected)
    bits.flags.writeable = False
    return bits


def two_level(patterns: Patterns, epsilon: float, weights: Vector | None = None) -> Matrix:
    """The strategy with rows w_o·(e^ε where the pattern holds, 1 elsewhere), whose columns must have one sum.

    All columns are divided by the same number, so that the entries of a row have the ratio e^ε to the last bit.
    """
    levels = np.where(patterns, math.exp(epsilon), 1.0)
    if weights is not None:
        levels *= weights[:, None]
    levels /= math.fsum(levels[:, 0])
    return levels


def characters(indices: npt.NDArray[np.integer], cells: npt.NDArray[np.integer]) -> Patterns:
    """Where the character χ_s(u) = (−1)^popcount(s & u) is +1: one row an index s, one column a cell u."""
    even: Patterns = np.bitwise_count(indices[:, None] & cells) % 2 == 0
    return even


def two_sided(patterns: Patterns, epsilon: float) -> Matrix:
    """Pick a row of `patterns` uniformly; report it with its ±1 for the own cell by a biased coin."""
    return two_level(np.vstack([patterns, ~patterns]), epsilon)


def mixture(strategies: Sequence[Matrix], weights: Vector) -> Matrix:
    """Each person uses strategy i with probability weights[i] and reports i along with its output."""
    return np.vstack([weight * strategy for strategy, weight in zip(strategies, weights, strict=True) if weight > 0])


def level_weights(weights: object, levels: int) -> Vector:
    """Probabilities of the levels, finest first, from weights proportional to them; None is uniform."""
    if weights is None:
        return np.full(levels, 1.0 / levels)
    array = check_data_vector(weights, levels, "weights")
    if array.sum() <= 0:
        raise InvalidInput("weights", "all zeros", f"{levels} weights, finest level first, at least one positive")
    shares: Vector = array / array.sum()
    return shares
