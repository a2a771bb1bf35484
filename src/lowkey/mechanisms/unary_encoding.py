"""Unary encoding: one bit a cell, each flipped at random (RAPPOR; optimized by Wang et al. 2017)."""

from __future__ import annotations

import math

from lowkey.checks import Matrix
from lowkey.mechanisms.base import Mechanism
from lowkey.mechanisms.dense import DenseMechanism
from lowkey.mechanisms.strategy_matrices import two_level
from lowkey.mechanisms.support import IndependentSupport, all_subsets, lists_outputs


class UnaryEncoding(IndependentSupport):
    """The one-hot vector of the own cell, its 1 kept with probability p, each 0 raised with probability q."""

    def _strategy_matrix(self) -> Matrix:
        patterns = all_subsets(self.domain_size)
        ones = patterns.sum(axis=1)
        # Up to a constant factor: someone outside a set reports it with probability q^ones (1−q)^(n−ones),
        # and a member is e^ε = p(1−q)/(q(1−p)) times as likely to do so.
        weights = (self.q / (1 - self.q)) ** ones
        return two_level(patterns, self.epsilon, weights)


def rappor(n: int, epsilon: float, explicit: bool | None = None) -> Mechanism:
    """Symmetric unary encoding (Erlingsson et al. 2014, one time): p = 1 − q = e^(ε/2)/(1+e^(ε/2)).

    explicit: list all 2^n outputs (True), use the per-cell estimator for any n (False), or list them up to
    n = 12.
    """
    kept = 1 / (1 + math.exp(-epsilon / 2))
    return _create(n, epsilon, kept, 1 / (1 + math.exp(epsilon / 2)), "rappor", explicit)


def optimized_unary_encoding(n: int, epsilon: float, explicit: bool | None = None) -> Mechanism:
    """The own bit is 1 with probability 1/2, any other with probability 1/(e^ε+1) (Wang et al. 2017).

    explicit: list all 2^n outputs (True), use the per-cell estimator for any n (False), or list them up to
    n = 12.
    """
    return _create(n, epsilon, 0.5, 1 / (math.exp(epsilon) + 1), "optimized_unary_encoding", explicit)


def _create(n: int, epsilon: float, p: float, q: float, name: str, explicit: bool | None) -> Mechanism:
    mechanism = UnaryEncoding(n, epsilon, p, q, name)
    if not lists_outputs(explicit, mechanism.shape[0]):
        return mechanism
    return DenseMechanism(mechanism.to_dense(), epsilon, name)
