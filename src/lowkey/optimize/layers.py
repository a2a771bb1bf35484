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


def two_level_rows(mechanism: Mechanism, most: int | None = None) -> tuple[Patterns, Vector]:
    """Patterns and weights whose rows add up to the mechanism's: (K×n) booleans and (K,).

    Where that takes more than `most`, each row becomes the nearest of two levels instead.
    """
    if isinstance(mechanism, TwoLevelMechanism):
        return mechanism.patterns, mechanism.weights
    rows = [row for row in mechanism.to_dense() if row.max() > 0]
    split = _layers if most is None or sum(len(_distinct(np.sort(row))) for row in rows) <= most else _nearest
    layers = [split(row, high_level(mechanism.epsilon) - 1) for row in rows]
    return np.concatenate([bits for bits, _ in layers]), np.concatenate([weights for _, weights in layers])


def _nearest(row: Vector, rise: float) -> tuple[Patterns, Vector]:
    """Which cells lie in the row's upper half, with the row's weight."""
    bits: Patterns = row[None, :] > (row.min() + row.max()) / 2
    return bits, row.mean() / (1 + rise * bits.mean(axis=1))


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
