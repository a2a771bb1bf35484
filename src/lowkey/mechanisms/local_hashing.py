"""Optimized local hashing: randomized response on a random hash of the cell (Wang et al. 2017)."""

from __future__ import annotations

import math

import numpy as np

from lowkey.checks import Matrix, check_size
from lowkey.mechanisms.base import Mechanism
from lowkey.mechanisms.dense import DenseMechanism
from lowkey.mechanisms.strategy_matrices import two_level
from lowkey.mechanisms.support import IndependentSupport, all_subsets, lists_outputs


class LocalHashing(IndependentSupport):
    """A uniformly random function from cells to g values, and randomized response on the own cell's value.

    The report stands for the set of cells that hash to the reported value. That set is all it says, so it is
    the output here. Other cells fall into it independently with probability 1/g.
    """

    def __init__(self, n: int, epsilon: float, g: int) -> None:
        super().__init__(n, epsilon, 1 / (1 + (g - 1) * math.exp(-epsilon)), 1 / g, "optimized_local_hashing")
        self.g = g

    def _strategy_matrix(self) -> Matrix:
        patterns = all_subsets(self.domain_size)
        weights = np.power(1.0 / (self.g - 1), patterns.sum(axis=1))
        return two_level(patterns, self.epsilon, weights)


def optimized_local_hashing(n: int, epsilon: float, g: int | None = None, explicit: bool | None = None) -> Mechanism:
    """g = round(e^ε) + 1 hash values, or as many as asked for; the hash functions are fully random.

    explicit: list all 2^n sets of cells that can be reported (True), use the per-cell estimator for any n
    (False), or list them up to n = 12.
    """
    values = round(math.exp(epsilon)) + 1 if g is None else check_size("g", g, 2)
    mechanism = LocalHashing(n, epsilon, max(2, values))
    if not lists_outputs(explicit, mechanism.shape[0]):
        return mechanism
    return DenseMechanism(mechanism.to_dense(), epsilon, mechanism.name)
