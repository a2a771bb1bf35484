"""From the optimizer's floating-point strategy to one that satisfies ε and sums to one."""

from __future__ import annotations

import math

from lowkey.checks import Matrix


def seal(strategy: Matrix, epsilon: float) -> Matrix:
    """The strategy with columns that sum to 1 and no ratio above e^ε: rounding is paid with a little uniform noise.

    Dividing a column by its sum can lift a ratio above e^ε by some 1e-15. A row with entries up to a and down to b
    is within e^ε again once a constant t ≥ (a − e^ε b)/(e^ε − 1) is added: that is τ/m of a uniform answer.
    """
    ratio = math.exp(epsilon)
    strategy = strategy / strategy.sum(axis=0)
    excess = float((strategy.max(axis=1) - ratio * strategy.min(axis=1)).max())
    if excess <= 0:
        return strategy
    outputs = strategy.shape[0]
    share = outputs * 2 * excess / (ratio - 1)
    sealed: Matrix = (1 - share) * strategy + share / outputs
    return sealed
