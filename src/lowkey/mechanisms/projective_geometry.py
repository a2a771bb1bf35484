"""Projective geometry response (Feldman, Nelson, Nguyen and Talwar, ICML 2022)."""

from __future__ import annotations

import math

import numpy as np

from lowkey.checks import check_size
from lowkey.errors import InvalidInput
from lowkey.mechanisms.dense import DenseMechanism
from lowkey.mechanisms.finite_geometry import hyperplanes, is_prime, primes, space_size
from lowkey.mechanisms.sizes import refuse_too_large
from lowkey.mechanisms.strategy_matrices import two_level
from lowkey.mechanisms.support import histogram_variance
from lowkey.workloads.base import DENSE_LIMIT


def projective_geometry(n: int, epsilon: float, q: int | None = None) -> DenseMechanism:
    """Cells are points of a projective space over q elements; hyperplanes through the own one are favoured.

    The space is the smallest with at least n points, n of which are used. A hyperplane holds about one point
    in q, so q near e^ε + 1 is best in a full space.
    q: a prime; None takes the one with the least variance on a histogram.
    """
    if q is not None and not is_prime(check_size("q", q, 2)):
        raise InvalidInput("q", q, "a prime number")
    refuse_too_large("projective_geometry", n, n)
    order = _best_order(n, epsilon) if q is None else q
    t = _dimension(n, order)
    refuse_too_large("projective_geometry", space_size(order, t), n)
    return DenseMechanism(two_level(hyperplanes(order, t, n), epsilon), epsilon, "projective_geometry")


def _dimension(n: int, q: int) -> int:
    t = 2
    while space_size(q, t) < n:
        t += 1
    return t


def _best_order(n: int, epsilon: float) -> int:
    """Of the primes up to 2(e^ε + 1), and no further than where a line holds all n points."""
    orders = list(primes(min(math.ceil(2 * (math.exp(epsilon) + 1)), n - 1)))
    dimensions = [_dimension(n, q) for q in orders]
    spaces = np.array([space_size(q, t) for q, t in zip(orders, dimensions, strict=True)], dtype=np.float64)
    planes = np.array([space_size(q, t - 1) for q, t in zip(orders, dimensions, strict=True)], dtype=np.float64)
    variances = histogram_variance(n, spaces, planes, epsilon)
    variances[spaces * n > DENSE_LIMIT] = np.inf
    return orders[int(np.argmin(variances))]
