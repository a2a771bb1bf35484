"""Sums over eigenvalues that rounding never makes larger: what a proved bound needs.

LAPACK's symmetric eigenvalues are those of a matrix within a few n·eps·‖A‖ of A (Weyl: each is off by at most that).
Callers add the error with which A itself was formed.
"""

from __future__ import annotations

import numpy as np
import scipy.linalg

from lowkey.checks import Matrix, Vector

EPS = float(np.finfo(np.float64).eps)


def unit(matrix: Matrix) -> float:
    """A power of two near the largest entry: dividing by it is exact and keeps squares from overflowing."""
    largest = float(np.abs(matrix).max(initial=0.0))
    return float(2.0 ** np.floor(np.log2(largest))) if largest > 0 else 1.0


def eigenvalue_error(matrix: Matrix) -> float:
    """How far a computed eigenvalue of a symmetric matrix may be off, with room to spare."""
    return 4 * (len(matrix) + 4) * EPS * float(np.linalg.norm(matrix))


def eigenvalues_from_below(matrix: Matrix, error: float = 0.0) -> Vector:
    """Numbers that the eigenvalues of every matrix within `error` (spectral norm) of a symmetric one reach at least."""
    below: Vector = np.asarray(scipy.linalg.eigvalsh(matrix), np.float64) - (eigenvalue_error(matrix) + error)
    return below


def largest_eigenvalue_from_above(matrix: Matrix, error: float = 0.0) -> float:
    """What no eigenvalue of any matrix within `error` of a symmetric one exceeds."""
    last = len(matrix) - 1
    return float(scipy.linalg.eigvalsh(matrix, subset_by_index=(last, last))[0]) + eigenvalue_error(matrix) + error


def root_sum(matrix: Matrix, error: float = 0.0) -> float:
    """Σ√λ_i over the eigenvalues of a positive semidefinite matrix, from below."""
    roots = np.sqrt(np.maximum(eigenvalues_from_below(matrix, error), 0.0))
    return float(roots.sum()) * (1 - 2 * (len(matrix) + 4) * EPS)
