"""A lower bound on the variance without a strategy: a dual point that is good for the relaxed slices.

`dual_bound` proves F²/c − tr A for any K and μ, where c is bounded slice by slice with multipliers N and δ. Here all
four are chosen together. With K = A^{+½}T, T symmetric, F is at least tr T, and

    c(T, μ, N, δ) − 2 tr T

is convex (c is a largest eigenvalue of what is quadratic in T and linear in the others). At its minimum c = F, and
the bound is F − tr A. A smooth maximum over some of the slices and quasi-Newton steps find a point near the minimum;
whatever they find, `centred_bound` then proves what it is worth.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.linalg
import scipy.optimize

from lowkey.analysis.dual_bound import centred_bound
from lowkey.analysis.nuclear_norm_bound import prior_covariance
from lowkey.analysis.pattern_maximum import PatternFunction, attained, is_uniform, slice_of
from lowkey.analysis.rounding import unit
from lowkey.analysis.slice_relaxation import Multipliers, by_multipliers, smooth_maximum
from lowkey.checks import Matrix, Vector

SMOOTHING = (0.3, 0.03, 0.006)  # of the maximum, relative to the value of the nuclear norm bound
REPEATS = 3  # of the last one, where the prior is not uniform
STEPS = 100  # quasi-Newton steps at each
WORK = 2**32  # the steps times slices times n³: some seconds
LEAST_STEPS = 20  # with fewer it is not worth it
TOLERANCE = 1e-6  # relative change of a step at which a search ends
MEMORY = 10  # steps that L-BFGS remembers
RANK = 1e-10  # eigenvalues of A below this share of the largest are left out
MULTIPLIER_STEP, LINEAR_STEP = 3.0, 5.0  # natural sizes of the variables, found by trial
CERTIFICATE_SECONDS = 30.0  # a second is usual at n = 64


def relaxed_optimum_value(gram: Matrix, epsilon: float, prior: Vector) -> float:
    """The bound at one prior, from below; 0 where the domain is too large for the search."""
    whole = unit(gram)
    search = _Search.of(gram / whole, epsilon, prior)
    if search is None:
        return 0.0
    factor, linear = search.solve()
    factor, linear = factor * math.sqrt(search.scale), linear * search.scale
    return whole * centred_bound(gram / whole, epsilon, prior, factor, linear, CERTIFICATE_SECONDS)


def some_slices(n: int) -> tuple[int, ...]:
    """Numbers of ones in steps of a quarter: neighbouring slices have nearly the same bound."""
    chosen = [1]
    while (following := max(chosen[-1] + 1, round(1.25 * chosen[-1]))) < 0.75 * n:
        chosen.append(following)
    return tuple(chosen)


@dataclass(frozen=True)
class _Search:
    """Variables x: T (scaled, upper triangle), μ (scaled), then δ and N of each slice."""

    scale: float  # the nuclear norm bound on tr[Y⁺A]: the unit of everything here
    whitener: Matrix  # A^{+½} in A's eigenbasis, for the Gram matrix in these units
    start: Vector  # T is this diagonal matrix at the start, trace 1
    epsilon: float
    prior: Vector
    slices: tuple[int, ...]
    steps: int

    @classmethod
    def of(cls, gram: Matrix, epsilon: float, prior: Vector) -> _Search | None:
        """None where there is nothing to bound, or too much to do."""
        n = len(gram)
        slices = some_slices(n)
        steps = min(STEPS, WORK // (len(SMOOTHING) * len(slices) * n**3))
        if n == 1 or steps < LEAST_STEPS:
            return None
        values, vectors = scipy.linalg.eigh(prior_covariance(gram, prior))
        kept = values > max(RANK * float(values[-1]), 0.0)
        if not kept.any():
            return None
        roots = np.sqrt(values[kept])
        scale = float((roots.sum() / math.sinh(epsilon / 2)) ** 2)
        whitener = vectors[:, kept] / (roots / math.sqrt(scale))
        return cls(scale, whitener, roots / roots.sum(), epsilon, prior, slices, steps)

    def solve(self) -> tuple[Matrix, Vector]:
        """K and μ for the Gram matrix divided by `scale`."""
        n, rank = len(self.prior), len(self.start)
        point = np.zeros(rank * (rank + 1) // 2 + n + len(self.slices) * (n * (n + 1) // 2))
        point[: rank * (rank + 1) // 2] = np.eye(rank)[np.triu_indices(rank)]
        self._start_multipliers(point)
        low = np.full(len(point), -np.inf)
        for _, pairs in self._split(low)[2]:
            pairs[:] = 0.0
        guess = 1.0
        for smoothing in (*SMOOTHING, *(() if is_uniform(self.prior) else SMOOTHING[-1:] * REPEATS)):
            point = scipy.optimize.minimize(
                self.loss,
                point,
                args=(smoothing, guess),
                jac=True,
                method="L-BFGS-B",
                bounds=scipy.optimize.Bounds(low, np.inf),
                options={"maxiter": self.steps, "maxcor": MEMORY, "ftol": TOLERANCE},
            ).x
            if not is_uniform(self.prior):  # otherwise the guess does not matter
                guess = max(attained(self._function(point)), 0.0) or guess
        function = self._function(point)
        return function.factor, function.linear

    def _function(self, point: Vector) -> PatternFunction:
        middle, linear, _ = self._split(point)
        factor = self.whitener @ self._symmetric(middle)
        return PatternFunction(factor, LINEAR_STEP * self.prior * linear, self.prior, self.epsilon)

    def _start_multipliers(self, point: Vector) -> None:
        """δ that bounds ‖v‖² on each slice exactly where M is a multiple of P."""
        function = self._function(point)
        for ones, (delta, _) in zip(self.slices, self._split(point)[2], strict=True):
            delta[:] = slice_of(function, ones, 1.0).quadratic.diagonal() * ones / len(delta) / MULTIPLIER_STEP

    def loss(self, point: Vector, smoothing: float, guess: float) -> tuple[float, Vector]:
        """c − 2 tr T with a smooth maximum for c, and its derivative."""
        middle, _, multipliers = self._split(point)
        root, function = self._symmetric(middle), self._function(point)
        largest, by_form, by_slices = self._largest(function, multipliers, smoothing, guess)
        by_factor, by_linear = _chain(function, by_form)
        by_root = self.whitener.T @ by_factor
        by_root = (by_root + by_root.T) / 2 - 2 * np.eye(len(root))
        return largest - 2 * float(np.trace(root)), self._join(by_root, by_linear, by_slices)

    def _largest(
        self, function: PatternFunction, multipliers: Sequence[tuple[Vector, Vector]], smoothing: float, guess: float
    ) -> tuple[float, Matrix, list[Vector]]:
        """c, its derivative by Q (see `pattern_maximum`), and by the multipliers of each slice."""
        parts = [slice_of(function, ones, guess) for ones in self.slices]
        scaled = [Multipliers(MULTIPLIER_STEP * delta, MULTIPLIER_STEP * pairs) for delta, pairs in multipliers]
        found = [smooth_maximum(part, one, smoothing) for part, one in zip(parts, scaled, strict=True)]
        values = np.array([value for value, _ in found])
        shrink = np.where(values > 0, 1.0, np.array([part.shrink for part in parts]))
        values = values * shrink
        weights = np.exp((values - values.max()) / smoothing)
        total = float(weights.sum())
        weights *= shrink / total
        by_form = np.zeros((len(self.prior), len(self.prior)))
        for part, (_, moments), weight in zip(parts, found, weights, strict=True):
            by_form += weight / part.least**2 * _pattern_moments(moments, part.ones, function.spread)
        by_slices = [
            weight * MULTIPLIER_STEP * by_multipliers(part, moments)
            for part, (_, moments), weight in zip(parts, found, weights, strict=True)
        ]
        return guess + float(values.max()) + smoothing * math.log(total), by_form, by_slices

    def _split(self, point: Vector) -> tuple[Vector, Vector, list[tuple[Vector, Vector]]]:
        n, size = len(self.prior), len(self.start) * (len(self.start) + 1) // 2
        multipliers = point[size + n :].reshape(len(self.slices), n * (n + 1) // 2)
        return point[:size], point[size : size + n], [(row[:n], row[n:]) for row in multipliers]

    def _join(self, by_root: Matrix, by_linear: Vector, by_slices: list[Vector]) -> Vector:
        twice = by_root * np.sqrt(np.outer(self.start, self.start)) * (2 - np.eye(len(self.start)))
        by_middle = twice[np.triu_indices(len(self.start))]
        return np.concatenate([by_middle, LINEAR_STEP * self.prior * by_linear, *by_slices])

    def _symmetric(self, middle: Vector) -> Matrix:
        """T: `start` conjugated into the variables makes them all of one size."""
        half = np.zeros((len(self.start), len(self.start)))
        half[np.triu_indices(len(self.start))] = middle
        root: Matrix = (half + np.triu(half, 1).T) * np.sqrt(np.outer(self.start, self.start))
        return root


def _pattern_moments(moments: Matrix, ones: int, spread: float) -> npt.NDArray[np.float64]:
    """E[ssᵀ] for s = 1 + spread·b from E[bbᵀ] with Σb = `ones`; the mass is tr E[bbᵀ]/ones."""
    first = spread * moments.sum(axis=1) / ones
    second: Matrix = spread**2 * moments + first[:, None] + first[None, :] + float(np.trace(moments)) / ones
    return second


def _chain(function: PatternFunction, by_form: Matrix) -> tuple[Matrix, Vector]:
    """From the derivative by Q = BBᵀ − (πlᵀ + lπᵀ)/2 to those by K and by μ."""
    prior = function.prior
    by_matrix, by_vector = 2 * by_form @ function.matrix, -by_form @ prior
    by_factor: Matrix = np.sqrt(prior)[:, None] * (by_matrix - prior @ by_matrix)
    by_linear: Vector = by_vector - float(prior @ by_vector)
    return by_factor, by_linear
