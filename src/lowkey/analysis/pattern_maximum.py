"""The largest value of a dual function over all patterns s ∈ {1, e^ε}ⁿ, from above.

The function is h(s) = ‖KᵀDv‖² − μᵀv with v = s/(πᵀs) − 1 and D = Diag(√π). For n ≤ 20 all patterns are tried. Otherwise
those with k ones (entries e^ε) are bounded for each k: with B = (I − π1ᵀ)DK, l = μ − (μᵀ1)π and any guess c₀

    (πᵀs)² (h(s) − c₀) = sᵀQs,     Q = BBᵀ − (πlᵀ + lπᵀ)/2 − c₀ππᵀ,

is a quadratic function of the pattern, which `slice_relaxation` bounds by some r_k. Let πᵀs be within [m, m′] for these
patterns; then h(s) ≤ c₀ + r_k/m² there, or c₀ + r_k/m′² if r_k is negative. For a uniform prior m = m′.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lowkey.analysis.rounding import EPS
from lowkey.analysis.slice_relaxation import Multipliers, Slice, no_multipliers, pairing_bound, tighten
from lowkey.checks import Matrix, Vector

ENUMERATED = 20  # cells up to which all patterns are tried
FLIPS = 2**18  # patterns times cells that one round of flips may evaluate
BLOCK = 2**13  # patterns evaluated at once


@dataclass(frozen=True)
class PatternFunction:
    """h, by K (n×r), μ, π and ε."""

    factor: Matrix
    linear: Vector
    prior: Vector
    epsilon: float

    @cached_property
    def matrix(self) -> Matrix:
        """B."""
        scaled = np.sqrt(self.prior)[:, None] * self.factor
        centred: Matrix = scaled - np.outer(self.prior, scaled.sum(axis=0))
        return centred

    @cached_property
    def vector(self) -> Vector:
        """l."""
        centred: Vector = self.linear - self.prior * self.linear.sum()
        return centred

    @cached_property
    def form(self) -> Matrix:
        """Q without c₀."""
        half = np.outer(self.prior, self.vector) / 2
        symmetric: Matrix = self.matrix @ self.matrix.T - half - half.T
        return symmetric

    @property
    def spread(self) -> float:
        """e^ε − 1: a pattern is 1 + (e^ε − 1)b with b ∈ {0, 1}ⁿ."""
        return math.expm1(self.epsilon)

    @cached_property
    def ascending(self) -> Vector:
        """The prior, smallest weight first."""
        return np.sort(self.prior)

    @cached_property
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
        return max(by_enumeration(function), 0.0)
    deadline = time.monotonic() + time_limit
    if not is_uniform(function.prior):
        guess = max(attained(function), 0.0) or guess
    return max(by_slices(function, guess, deadline), 0.0)


def is_uniform(prior: Vector) -> bool:
    """Whether πᵀs is the same for all patterns with k ones, so that no guess of the maximum is needed."""
    return bool(np.ptp(prior) <= 1e-6 * prior.max())


def attained(function: PatternFunction) -> float:
    """A value that h takes, large where flipping one bit after another finds such: the guess that costs nothing."""
    n = len(function.prior)
    patterns = np.eye(n)[: max(1, FLIPS // n**2)]
    values = function.values(patterns)
    for _ in range(n):
        flipped = function.values(np.abs(patterns[:, None, :] - np.eye(n)).reshape(-1, n)).reshape(-1, n)
        places, best = flipped.argmax(axis=1), flipped.max(axis=1)
        better = np.flatnonzero(best > values)
        if not len(better):
            break
        patterns[better, places[better]] = 1 - patterns[better, places[better]]
        values[better] = best[better]
    return float(values.max())


def by_enumeration(function: PatternFunction) -> float:
    n = len(function.prior)
    largest = -math.inf
    for start in range(0, 2**n, BLOCK):
        codes = np.arange(start, min(start + BLOCK, 2**n))
        patterns = (codes[:, None] >> np.arange(n) & 1).astype(np.float64)
        largest = max(largest, float(function.values(patterns).max()))
    return largest + function.error


def by_slices(function: PatternFunction, guess: float, deadline: float) -> float:
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
    prior, spread, (least, most) = function.prior, function.spread, _ends(function, ones)
    form = (function.form - guess * np.outer(prior, prior)) / least**2
    sums, absolute = form.sum(axis=0), np.abs(form)
    sizes = ones * spread**2 * np.linalg.norm(form) + 2 * spread * math.sqrt(ones) * np.linalg.norm(
        absolute.sum(axis=0)
    )
    error = (most / least) ** 2 * (function.error + 16 * EPS * abs(guess))
    error += (len(prior) + 16) * EPS * (float(sizes) + float(absolute.sum()))
    return Slice(
        spread**2 * form, -2 * spread * sums, float(sums.sum()), ones, guess, error, least, (least / most) ** 2
    )


def _ends(function: PatternFunction, ones: int) -> tuple[float, float]:
    """m and m′: the least and the largest πᵀs with so many ones, each a little further out than computed."""
    ascending, slack = function.ascending, 2 * (len(function.prior) + 4) * EPS
    least, most = 1 + function.spread * ascending[:ones].sum(), 1 + function.spread * ascending[-ones:].sum()
    return float(least) * (1 - slack), float(most) * (1 + slack)


def _unscaled(function: PatternFunction, ones: int, bound: float) -> float:
    """h − c₀ from a bound on (πᵀs)²(h − c₀)/m²."""
    least, most = _ends(function, ones)
    return bound * (1 + 4 * EPS) if bound >= 0 else bound * (1 - 8 * EPS) * (least / most) ** 2
