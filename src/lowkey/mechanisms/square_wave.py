"""Square wave: a report near the truth on an ordered domain (Li et al., SIGMOD 2020)."""

from __future__ import annotations

import math

import numpy as np

from lowkey.checks import check_size
from lowkey.mechanisms.dense import DenseMechanism
from lowkey.mechanisms.sizes import refuse_too_large
from lowkey.mechanisms.strategy_matrices import two_level


def square_wave(n: int, epsilon: float, bandwidth: int | None = None) -> DenseMechanism:
    """Cell u favours the outputs u … u+2b of n+2b: those within the bandwidth b of its own place u+b.

    bandwidth: b in cells; None takes the paper's ⌊b n⌋, which maximises the mutual information. Any b
    determines all cells (output o = u is the first that cell u favours), but a wide one badly: the mechanism
    is meant for data known to be smooth.
    """
    width = _best_bandwidth(n, epsilon) if bandwidth is None else check_size("bandwidth", bandwidth, 0)
    refuse_too_large("square_wave", n + 2 * width, n)
    offset = np.arange(n + 2 * width)[:, None] - np.arange(n)
    return DenseMechanism(two_level((offset >= 0) & (offset <= 2 * width), epsilon), epsilon, "square_wave")


def _best_bandwidth(n: int, epsilon: float) -> int:
    """b = (ε e^ε − e^ε + 1)/(2 e^ε (e^ε − 1 − ε)) as a share of the domain: 1/2 at ε → 0, 0 at ε → ∞."""
    if epsilon < 1e-4:
        return math.floor((0.5 - epsilon / 3) * n)  # its expansion, where the formula cancels
    share = (epsilon * math.exp(epsilon) - math.expm1(epsilon)) / (
        2 * math.exp(epsilon) * (math.expm1(epsilon) - epsilon)
    )
    return math.floor(share * n)
