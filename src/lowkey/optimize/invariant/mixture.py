"""The master: how often each base pattern is drawn. minimise Σ c/(Aᵀθ) over the simplex, convex in θ.

A has a row of energies for each base pattern. Multiplicative steps θ ← θ·(g/φ)^p with g = A(c/E²) keep the sum;
p = ½ never raises φ (Titterington's algorithm for A-optimal designs), p = 1 goes faster wherever it does not.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse

from lowkey.checks import Vector

Energies = scipy.sparse.csr_array
SURE, FAST = 0.5, 1.0
CHECK = 20  # steps between looks at the certificate


def mixed(energies: Energies, weights: Vector) -> Vector:
    """E: the orbits' energies in the mixture."""
    found: Vector = energies.T @ weights
    return found


def value_of(costs: Vector, total: Vector) -> float:
    """φ = Σ c/E; infinite where an orbit has no energy."""
    with np.errstate(divide="ignore"):
        return float((costs / total).sum())


def settle(energies: Energies, costs: Vector, weights: Vector, steps: int, tolerance: float) -> Vector:
    """Better weights: after so many steps, or when no pattern here would lower φ by more than the tolerance."""
    rows = energies.toarray() if energies.shape[0] * energies.shape[1] <= 2**20 else energies
    theta, power = weights, FAST
    total = rows.T @ theta
    value = float((costs / total).sum())
    for step in range(steps):
        gains = rows @ (costs / total**2)
        if step % CHECK == 0 and gains.max() <= value * (1 + tolerance):
            break
        moved = theta * (gains / value) ** power
        moved /= moved.sum()
        moved_total = rows.T @ moved
        moved_value = float((costs / moved_total).sum())
        if moved_value <= value:
            theta, total, value, power = moved, moved_total, moved_value, FAST
        elif power == FAST:
            power = SURE
        else:
            break  # rounding has the last word
    return theta
