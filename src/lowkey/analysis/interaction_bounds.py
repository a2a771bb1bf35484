"""The bounds from singular values, where these are known by attribute set: no matrix, and domains of any size.

A workload of marginals and parities has the eigenvalues n·g_S of WᵀW, each for ∏_{i∈S} (n_i − 1) characters. Under
the uniform prior Σ_π then has the eigenvalues g_S. As W is invariant under shifts of each attribute, the best mechanism
may be taken so too, and then every type has the same variance: the bound on the average is the one on the worst case.
The weights g_S are taken as exact data; what is computed from them is rounded down.
"""

from __future__ import annotations

import math

import numpy as np

from lowkey.analysis.rounding import EPS, unit
from lowkey.workloads.interactions import Interactions


def nuclear_norm_of(interactions: Interactions, epsilon: float) -> float:
    """4e^ε/(e^ε − 1)² (Σ_S dim_S √g_S)² − Σ_S dim_S g_S, from below."""
    scale, nuclear, trace = _sums(interactions)
    return scale * _below(nuclear, trace, 1 / math.sinh(epsilon / 2) ** 2)


def singular_values_of(interactions: Interactions, epsilon: float) -> float:
    """The paper's (Σ_i σ_i)²/e^ε − ‖W‖² over n, the number of people counted among the singular values; from below."""
    scale, nuclear, trace = _sums(interactions)
    total = interactions.total / scale
    return scale * _below(nuclear + math.sqrt(total), trace + total, math.exp(-epsilon))


def _sums(interactions: Interactions) -> tuple[float, float, float]:
    """A scale, and in its units Σ dim_S √g_S and Σ dim_S g_S, each within 4 eps."""
    weights = np.fromiter(interactions.weights.values(), dtype=np.float64)
    scale = unit(weights)
    dimensions = np.fromiter(map(interactions.dimension, interactions.weights), dtype=np.float64)
    return scale, math.fsum(dimensions * np.sqrt(weights / scale)), math.fsum(dimensions * (weights / scale))


def _below(nuclear: float, trace: float, rate: float) -> float:
    return rate * nuclear**2 * (1 - 24 * EPS) - trace * (1 + 8 * EPS)
