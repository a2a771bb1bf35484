"""An upper bound on a quadratic function over the 0/1 vectors with k ones, by semidefinite relaxation.

For b ∈ {0,1}ⁿ with k ones, any δ ∈ ℝⁿ and any symmetric N ≥ 0 with zero diagonal,

    bᵀCb − gᵀb  ≤  bᵀSb  ≤  k λ_max(S),     S = C + N − Diag(δ) + (1(δ − g)ᵀ + (δ − g)1ᵀ)/(2k),

since bᵀNb ≥ 0, bᵀ Diag(δ) b = δᵀb and 1ᵀb = k = ‖b‖². The best δ and N give the relaxation by moment matrices B with
B ⪰ 0, B ≥ 0, tr B = k and row sums k·diag B. Any δ and N prove something, so they are searched for in floating point
(a smooth maximum instead of λ_max, quasi-Newton steps), and only the last line is evaluated with care.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
import scipy.linalg
import scipy.optimize

from lowkey.analysis.rounding import EPS, largest_eigenvalue_from_above
from lowkey.checks import Matrix, Vector

Indices = npt.NDArray[np.intp]

SMOOTHING = (0.1, 0.02, 0.004, 0.001)  # of the maximum, relative to `size`, coarse to fine
STEPS = 80  # quasi-Newton steps at each


@dataclass(frozen=True)
class Slice:
    """bᵀCb − gᵀb + constant on the 0/1 vectors b with `ones` ones."""

    quadratic: Matrix
    linear: Vector
    constant: float
    ones: int
    size: float  # what matters is relative to this
    error: float  # how far rounding may have put the function's values off
    least: float = 1.0  # the smallest πᵀs, by whose square all this was divided
    shrink: float = 1.0  # its square over that of the largest


@dataclass(frozen=True)
class Multipliers:
    """δ and the upper triangle of N."""

    diagonal: Vector
    pairs: Vector


@cache
def upper(n: int) -> tuple[Indices, ...]:
    """The places above the diagonal, in the order of `pairs`."""
    return np.triu_indices(n, 1)


def no_multipliers(n: int) -> Multipliers:
    return Multipliers(np.zeros(n), np.zeros(n * (n - 1) // 2))


def slice_value(part: Slice, multipliers: Multipliers) -> float:
    """The bound that these multipliers prove, rounding errors added."""
    size = np.linalg.norm(part.quadratic) + 2 * np.linalg.norm(multipliers.pairs) + np.linalg.norm(multipliers.diagonal)
    row = np.linalg.norm(part.linear) + np.linalg.norm(multipliers.diagonal)
    error = 8 * EPS * float(size + row * math.sqrt(len(part.linear)))
    most = part.ones * largest_eigenvalue_from_above(relaxed(part, multipliers), error) + part.constant
    return most + 8 * EPS * (abs(most) + abs(part.constant)) + part.error


def pairing_bound(part: Slice) -> float:
    """Each one is credited with its best k − 1 partners: weak, and cheap."""
    partners = part.quadratic.copy()
    np.fill_diagonal(partners, -np.inf)
    best = -np.partition(-partners, part.ones - 1, axis=1)[:, : part.ones - 1] if part.ones > 1 else partners[:, :0]
    credits = part.quadratic.diagonal() - part.linear + best.sum(axis=1)
    rounding = 2 * (len(partners) + 8) * EPS * float(np.abs(part.quadratic).sum() + np.abs(part.linear).sum())
    return float(np.sort(credits)[-part.ones :].sum()) + part.constant + part.error + rounding


def relaxed(part: Slice, multipliers: Multipliers) -> Matrix:
    """S."""
    n = len(part.linear)
    half = np.zeros((n, n))
    half[upper(n)] = multipliers.pairs
    row = (multipliers.diagonal - part.linear) / (2 * part.ones)
    matrix: Matrix = part.quadratic + (half + half.T) + (row[:, None] + row[None, :])
    matrix[np.diag_indices(n)] -= multipliers.diagonal
    return matrix


def tighten(
    part: Slice, start: Multipliers, enough: float, expired: Callable[[], bool] = lambda: False
) -> tuple[float, Multipliers]:
    """Multipliers that prove little more than what the slice attains, or just `enough`; their bound with them."""
    best = (slice_value(part, start), start)
    for smoothing in SMOOTHING:
        if best[0] <= enough or expired():
            break
        found = _descend(part, best[1], smoothing * part.size, enough, expired)
        best = min(best, (slice_value(part, found), found), key=lambda pair: pair[0])
    return best


def _descend(
    part: Slice, start: Multipliers, smoothing: float, enough: float, expired: Callable[[], bool]
) -> Multipliers:
    n = len(part.linear)

    def loss(point: Vector) -> tuple[float, Vector]:
        value, moments = smooth_maximum(part, Multipliers(point[:n], point[n:]), smoothing)
        return value / part.size, by_multipliers(part, moments) / part.size

    def stop(intermediate_result: scipy.optimize.OptimizeResult) -> None:
        if intermediate_result.fun * part.size + part.error < enough or expired():
            raise StopIteration

    point = np.concatenate([start.diagonal, start.pairs])
    low = np.concatenate([np.full(n, -np.inf), np.zeros(len(start.pairs))])
    found = scipy.optimize.minimize(
        loss,
        point,
        jac=True,
        method="L-BFGS-B",
        bounds=scipy.optimize.Bounds(low, np.inf),
        callback=stop,
        options={"maxiter": STEPS, "maxcor": 10},
    ).x
    return Multipliers(found[:n], np.maximum(found[n:], 0.0))


def smooth_maximum(part: Slice, multipliers: Multipliers, smoothing: float) -> tuple[float, Matrix]:
    """t log tr exp(kS/t) + constant ≥ k λ_max(S) + constant, and its derivative by S: a moment matrix."""
    values, vectors = _eigh(relaxed(part, multipliers) * part.ones)
    weights = np.exp((values - values[-1]) / smoothing)
    total = float(weights.sum())
    moments: Matrix = (vectors * (weights * (part.ones / total))) @ vectors.T
    return float(values[-1]) + smoothing * float(np.log(total)) + part.constant, moments


def _eigh(matrix: Matrix) -> tuple[Vector, Matrix]:
    """Eigenvalues and vectors: divide and conquer is the fastest by far, and now and then does not converge."""
    try:
        values, vectors = scipy.linalg.eigh(matrix, driver="evd")
    except np.linalg.LinAlgError:
        values, vectors = scipy.linalg.eigh(matrix, driver="ev")
    return values, vectors


def by_multipliers(part: Slice, moments: Matrix) -> Vector:
    """The derivative by δ and the pairs, one after the other."""
    by_delta = moments.sum(axis=1) / part.ones - moments.diagonal()
    return np.concatenate([by_delta, 2 * moments[upper(len(moments))]])
