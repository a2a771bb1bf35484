"""What weighted patterns tell: the information in a two-level strategy, and all that follows from it.

A strategy has rows w_s·s, s ∈ {1, e^ε}ⁿ, whose columns sum to 1: Σ_s w_s s = 1. For a prior π of the types let
c_s = πᵀs. The information matrix is X = Σ_s w_s s sᵀ/c_s = 11ᵀ + Y, where 11ᵀ counts the people and

    Y = Σ_s (w_s/c_s) t_s t_sᵀ,      t_s = s − c_s 1,      Y π = 0

holds what reports tell beyond that. With Y⁻ its inverse on that space (Y⁻ 1 = 0, so X⁻¹ = ππᵀ + Y⁻) and M = Y⁻ G Y⁻,

    φ = tr[Y⁻ G],      g_s = sᵀMs/c_s   (φ falls by g_s for each unit of w_s),
    z_u = Σ_s w_s s_u g_s/c_s − (e_u − π)ᵀ G (e_u − π)

is the variance of type u under the decoder that is best for π, and πᵀz is φ less its mean second term. Working with
Y rather than X keeps all digits at small ε, where X is nearly 11ᵀ.

The multipliers ν of Σ_s w_s s = 1 satisfy νᵀs = g_s wherever w_s > 0 at the optimum. Multiplied by w_s s_u/c_s and
summed, that is X ν = Σ_s w_s s g_s/c_s: they cost one product. At any other point this ν is the best fit of the gains
by νᵀs with weights w_s/c_s.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from lowkey.checks import Matrix
from lowkey.mechanisms.two_level import high_level
from lowkey.optimize.arrays import Array, Arrays
from lowkey.optimize.symmetry import Symmetry

RANK_TOLERANCE = 1e-11  # of the largest eigenvalue of G: below, a direction is in no query
TRACES = (1e-3, 1e-6, 1e-9)  # of information in directions that no query has a part in: one after the other
REPAIR = 1e-9  # the same in all directions, where too few patterns leave Y singular


@dataclass(frozen=True, eq=False)
class Problem:
    """One workload (its Gram matrix on a device) at one ε."""

    gram: Array
    epsilon: float
    arrays: Arrays
    blind: Array | None  # the projector to the cells' directions that no query sees; None where there are none
    trace: float  # of information that is put in there, as a share of the mean diagonal of Y
    symmetry: Symmetry | None = None  # the images of a pattern that are used as often as itself
    squares: Array | None = None  # what stands for the diagonal of G where G stands for a larger workload

    @property
    def xp(self) -> Any:
        return self.arrays.xp

    @property
    def cells(self) -> int:
        return int(self.gram.shape[0])

    @property
    def high(self) -> float:
        """The larger level, e^ε."""
        return high_level(self.epsilon)

    @property
    def diagonal(self) -> Array:
        return self.xp.linalg.diagonal(self.gram) if self.squares is None else self.squares

    def even(self, matrix: Array) -> Array:
        """The mean over the images of all cells at once."""
        return matrix if self.symmetry is None else self.symmetry.matrix(matrix)

    def even_vector(self, vector: Array) -> Array:
        return vector if self.symmetry is None else self.symmetry.vector(vector)

    def levels(self, bits: Array) -> Array:
        """Patterns (K×n booleans) as vectors s ∈ {1, e^ε}ⁿ."""
        return 1.0 + (self.high - 1.0) * self.xp.astype(bits, self.gram.dtype)

    def bits(self, levels: Array) -> Array:
        """The patterns of such vectors."""
        return levels > (1.0 + self.high) / 2


class Point(NamedTuple):
    """Everything that the method needs to know at one choice of patterns, weights and prior."""

    value: float  # φ
    inverse: Array  # Y⁻ (n×n)
    middle: Array  # M (n×n)
    products: Array  # s M for every pattern (K×n)
    scale: Array  # c (K,)
    gains: Array  # g (K,)
    variances: Array  # z (n,)
    multipliers: Array  # ν (n,)

    def surplus(self, levels: Array, xp: Any) -> Array:
        """By how much each pattern's gain exceeds its price, relative to φ: 0 on the support at the optimum."""
        return (self.gains - xp.matmul(levels, self.multipliers)) / (self.scale * self.value)


def problem_on(gram: Matrix, epsilon: float, arrays: Arrays) -> Problem:
    """The problem with its Gram matrix on a device."""
    values, vectors = arrays.eigh(gram)
    unseen = vectors[:, values <= RANK_TOLERANCE * values[-1]]
    blind = arrays.put(unseen @ unseen.T) if unseen.shape[1] else None
    return Problem(arrays.put(np.ascontiguousarray(gram)), epsilon, arrays, blind, TRACES[0])


def evaluate(problem: Problem, levels: Array, weights: Array, prior: Array) -> Point:
    """All of the above for rows weights[s]·levels[s]."""
    xp = problem.xp
    scale = xp.matmul(levels, prior)
    deviations = levels - scale[:, None]
    deviations *= xp.sqrt(weights / scale)[:, None]
    inverse = _inverse(problem, problem.even(xp.matmul(deviations.T, deviations)), prior)
    answered = xp.matmul(problem.gram, inverse)
    middle = xp.matmul(inverse, answered)
    middle = 0.5 * (middle + middle.T)
    products = xp.matmul(levels, middle)
    gains = xp.sum(products * levels, axis=1) / scale
    loads = problem.even_vector(xp.matmul(weights * gains / scale, levels))
    multipliers = xp.matmul(inverse, loads) + prior * xp.sum(prior * loads)
    value = float(xp.linalg.trace(answered))
    return Point(value, inverse, middle, products, scale, gains, loads - spread(problem, prior), multipliers)


def spread(problem: Problem, prior: Array) -> Array:
    """(e_u − π)ᵀ G (e_u − π) for each type u: what the variance would have without any noise taken off."""
    xp = problem.xp
    mean = xp.matmul(problem.gram, prior)
    return problem.diagonal - 2.0 * mean + xp.sum(prior * mean)


def _inverse(problem: Problem, information: Array, prior: Array) -> Array:
    """Y⁻ = (Y + τ 11ᵀ)⁻¹ − ππᵀ/τ.

    Where queries leave directions unseen the best Y loses rank there: a trace of information is put in. With symmetric
    workloads it changes nothing that a query asks for, and a large one settles at once what patterns hold there; with
    others it flatters, so it is made smaller until the mechanism, whose worth is computed without it, confirms φ.
    """
    xp = problem.xp
    mean = float(xp.linalg.trace(information)) / problem.cells
    if problem.blind is not None:
        information = information + problem.trace * mean * _beside_prior(problem.blind, prior, xp)
    inverse = _inverted(information + mean, xp)
    if inverse is None:  # too few patterns as yet
        everything = problem.arrays.put(np.eye(problem.cells))
        inverse = _inverted(information + REPAIR * mean * _beside_prior(everything, prior, xp) + mean, xp)
    if inverse is None:  # weights that are no numbers any more: neither is their value
        inverse = xp.full_like(information, xp.nan)
    return 0.5 * (inverse + inverse.T) - prior[:, None] * prior[None, :] / mean


def _inverted(matrix: Array, xp: Any) -> Array | None:
    """The inverse, None where there is none; NumPy and PyTorch raise different errors then."""
    try:
        return xp.linalg.inv(matrix)
    except (np.linalg.LinAlgError, RuntimeError):
        return None


def _beside_prior(matrix: Array, prior: Array, xp: Any) -> Array:
    """(I − 1πᵀ) A (I − π1ᵀ): what is left of A where π counts for nothing."""
    row = xp.matmul(matrix, prior)
    return matrix - row[:, None] - row[None, :] + xp.sum(prior * row)
