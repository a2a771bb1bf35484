"""Randomized response: the truth, or any other cell (Warner 1965; Kairouz et al. 2016)."""

from __future__ import annotations

import numpy as np

from lowkey.mechanisms.dense import DenseMechanism
from lowkey.mechanisms.sizes import refuse_too_large
from lowkey.mechanisms.strategy_matrices import two_level


def randomized_response(n: int, epsilon: float) -> DenseMechanism:
    """The true cell with probability e^ε/(e^ε+n−1), each other one with probability 1/(e^ε+n−1)."""
    refuse_too_large("randomized_response", n, n)
    return DenseMechanism(two_level(np.eye(n, dtype=np.bool_), epsilon), epsilon, "randomized_response")
