"""Any strategy's rows as sums of two-level rows: nothing is lost, and weights can be chosen anew.

A row q with least entry a and largest at most e^ε a is a sum of rows λ_t·(1 + (e^ε − 1)·1[q ≥ t]), one for each level t
of q above a, with (e^ε − 1) λ_t the step up to t, and a rest of the constant row, a − Σ λ_t ≥ 0.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lowkey.checks import Matrix, Vector
from lowkey.mechanisms.base import Mechanism
from lowkey.mechanisms.strategy_matrices import Patterns
from lowkey.mechanisms.two_level import TwoLevelMechanism, high_level

SAME_LEVEL = 1e-9  # relative: entries closer than this are one level


def two_level_rows(mechanism: Mechanism) -> tuple[Patterns, Vector]:
    """Patterns and weights whose rows add up to the mechanism's: (K×n) booleans and (K,)."""
    if isinstance(mechanism, TwoLevelMechanism):
        return mechanism.patterns, mechanism.weights
    strategy = mechanism.to_dense()
    layers = [_layers(row, high_level(mechanism.epsilon) - 1) for row in strategy if row.max() > 0]
    return np.concatenate([bits for bits, _ in layers]), np.concatenate([weights for _, weights in layers])


def _layers(row: Vector, rise: float) -> tuple[Patterns, Vector]:
    levels = _distinct(np.sort(row))
    steps = np.diff(levels) / rise
    bits: npt.NDArray[np.bool_] = row[None, :] > (levels[:-1] + np.diff(levels) / 2)[:, None]
    rest = levels[0] - steps.sum()
    if len(steps) and rest <= SAME_LEVEL * levels[0]:
        return bits, steps
    return np.vstack([bits, np.zeros_like(row, dtype=np.bool_)]), np.append(steps, rest)


def _distinct(entries: Matrix) -> Vector:
    """Sorted entries without those that rounding alone sets apart from the one before."""
    new = np.concatenate([[True], np.diff(entries) > SAME_LEVEL * entries[-1]])
    values: Vector = entries[new]
    return values
