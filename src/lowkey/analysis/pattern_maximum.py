"""The largest value of a dual function over all patterns s ∈ {1, e^ε}ⁿ, from above.

The function is h(s) = ‖KᵀDv‖² − μᵀv with v = s/(πᵀs) − 1 and D = Diag(√π). For n ≤ 16 all patterns are tried. Otherwise
those with k ones (entries e^ε) are bounded for each k: with B = (I − π1ᵀ)DK, l = μ − (μᵀ1)π and any guess c₀

    (πᵀs)² (h(s) − c₀) = sᵀQs,     Q = BBᵀ − (πlᵀ + lπᵀ)/2 − c₀ππᵀ,

is a quadratic function of the pattern, which `slice_relaxation` bounds by some r_k. Let πᵀs be within [m, m′] for these
patterns; then h(s) ≤ c₀ + r_k/m² there, or c₀ + r_k/m′² if r_k is negative. For a uniform prior m = m′.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass, field

import numpy as np

from lowkey.analysis.rounding import EPS
from lowkey.analysis.slice_relaxation import Multipliers, Slice, no_multipliers, pairing_bound, tighten
from lowkey.checks import Matrix, Vector

ENUMERATED = 16  # cells up to which all patterns are tried
BLOCK = 2**13  # patterns evaluated at once


@dataclass(frozen=True)
class PatternFunction:
    """h, by K (n×r), μ, π and ε."""

    factor: Matrix
    linear: Vector
    prior: Vector
    epsilon: float
    matrix: Matrix = field(init=False)  # B
    vector: Vector = field(init=False)  # l

    def __post_init__(self) -> None:
        scaled = np.sqrt(self.prior)[:, None] * self.factor
        object.__setattr__(self, "matrix", scaled - np.outer(self.prior, scaled.sum(axis=0)))
        object.__setattr__(self, "vector", self.linear - self.prior * self.linear.sum())

    @property
    def spread(self) -> float:
        """e^ε − 1: a pattern is 1 + (e^ε − 1)b with b ∈ {0, 1}ⁿ."""
        return math.expm1(self.epsilon)

    @property
    def error(self) -> float:
        """How far rounding may put a value of h off.

        For u = s/(πᵀs) the second moment Σ π_u u_u² is at most κ = (1 + e^ε)²/(4e^ε) = cosh²(ε/2). So Σ_u u_u |B_u|
        is at most 2√κ ‖K‖_F and Σ_u u_u |l_u| at most 2 max |μ_u|/π_u; products of n terms are good to n·eps of these.
        """
        second_moment = math.cosh(self.epsilon / 2) ** 2
        terms = second_moment * float(np.linalg.norm(self.factor)) ** 2 + float(np.abs(self.linear / self.prior).max())
        return 64 * (len(self.prior) + 8) * EPS * terms

    def values(self, patterns: Matrix) -> Vector:
        """h of 0/1 patterns, one a row."""
        rows = 1 + self.spread * patterns
        rows /= (rows @ self.prior)[:, None]
        found: Vector = ((rows @ self.matrix) ** 2).sum(axis=1) - rows @ self.vector
        return found


def largest_value(function: PatternFunction, guess: float, time_limit: float) -> float:
    """A number that h reaches nowhere above, at least 0 = h(1); `guess` is what it is expected to be."""
    if len(function.prior) <= ENUMERATED:
        return max(_enumerated(function), 0.0)
    return max(_by_slices(function, guess, time.monotonic() + time_limit), 0.0)


def _enumerated(function: PatternFunction) -> float:
    n = len(function.prior)
    largest = -math.inf
    for start in range(0, 2**n, BLOCK):
        codes = np.arange(start, min(start + BLOCK, 2**n))
        patterns = (codes[:, None] >> np.arange(n) & 1).astype(np.float64)
        largest = max(largest, float(function.values(patterns).max()))
    return largest + function.error


def _by_slices(function: PatternFunction, guess: float, deadline: float) -> float:
    """The slices from the one that looks worst to the one that cannot matter, each started where the nearest ended."""
    n = len(function.prior)
    parts = {k: slice_of(function, k, guess) for k in range(1, n)}
    quick = {k: _unscaled(function, k, pairing_bound(part)) for k, part in parts.items()}
    found: dict[int, Multipliers] = {}
    largest = -math.inf
    for k in sorted(quick, key=lambda k: -quick[k]):
        if quick[k] <= largest or time.monotonic() > deadline:
            return guess + max(largest, quick[k]) * (1 + EPS) + 4 * EPS * guess
        nearest = min(found, key=lambda done: abs(done - k), default=None)
        start = no_multipliers(n) if nearest is None else found[nearest]
        value, found[k] = tighten(parts[k], start, largest, lambda: time.monotonic() > deadline)
        largest = max(largest, min(quick[k], _unscaled(function, k, value)))
    return guess + largest * (1 + EPS) + 4 * EPS * guess


def slice_of(function: PatternFunction, ones: int, guess: float) -> Slice:
    """sᵀQs/m² as a function of b, s = 1 + (e^ε − 1)b."""
    prior, spread, least = function.prior, function.spread, _ends(function, ones)[0]
    half = np.outer(prior, function.vector) / 2
    form = (function.matrix @ function.matrix.T - half - half.T - guess * np.outer(prior, prior)) / least**2
    quadratic, linear, constant = spread**2 * form, -2 * spread * form.sum(axis=0), float(form.sum())
    absolute = np.abs(form)
    rounding = ones * spread**2 * np.linalg.norm(absolute) + 2 * spread * math.sqrt(ones) * np.linalg.norm(
        absolute.sum(axis=0)
    )
    stretch = (_ends(function, ones)[1] / least) ** 2
    error = stretch * (function.error + 16 * EPS * abs(guess))
    error += (len(prior) + 16) * EPS * (float(rounding) + float(absolute.sum()))
    return Slice(quadratic, linear, constant, ones, guess, error)


def _ends(function: PatternFunction, ones: int) -> tuple[float, float]:
    """m and m′: the least and the largest πᵀs with so many ones, each a little further out than computed."""
    ascending, slack = np.sort(function.prior), 2 * (len(function.prior) + 4) * EPS
    least, most = 1 + function.spread * ascending[:ones].sum(), 1 + function.spread * ascending[-ones:].sum()
    return float(least) * (1 - slack), float(most) * (1 + slack)


def _unscaled(function: PatternFunction, ones: int, bound: float) -> float:
    """h − c₀ from a bound on (πᵀs)²(h − c₀)/m²."""
    least, most = _ends(function, ones)
    return bound * (1 + 4 * EPS) if bound >= 0 else bound * (1 - 8 * EPS) * (least / most) ** 2
