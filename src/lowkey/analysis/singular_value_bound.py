"""The paper's bound on the variance per user, from the workload's singular values alone."""

from __future__ import annotations

import math

import numpy as np

from lowkey.analysis.rounding import EPS, root_sum, unit
from lowkey.checks import Matrix, Vector


def singular_value_value(gram: Matrix, epsilon: float, prior: Vector) -> float:
    """(Σ_i σ_i)² / e^ε − Σ_u π_u G_uu, σ_i the singular values of W Diag(√π), from below.

    With π uniform it is the paper's theorem and its corollary divided by N. The proof carries over to any prior:
    Σ_u π_u X_uu ≤ e^ε for the information matrix X, and tr[X⁻¹H] ≥ (tr H^½)² / tr X for H = DGD, D = Diag(√π).
    """
    scale = unit(gram)
    root = np.sqrt(prior)
    half = gram / scale * np.outer(root, root)
    trace = float(np.trace(half))
    error = (len(gram) + 8) * EPS * trace
    return scale * (root_sum(half, error) ** 2 * math.exp(-epsilon) * (1 - 16 * EPS) - trace - 2 * error)
