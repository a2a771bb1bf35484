"""Projective spaces over prime fields."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from lowkey.mechanisms.strategy_matrices import Patterns


def is_prime(number: int) -> bool:
    """By trial division: for domain sizes and e^ε, not for cryptography."""
    return number >= 2 and all(number % factor for factor in range(2, math.isqrt(number) + 1))


def primes(limit: int) -> Iterator[int]:
    """The primes up to and including the first one that is at least `limit`."""
    number = 2
    while True:
        if is_prime(number):
            yield number
            if number >= limit:
                return
        number += 1


def space_size(q: int, t: int) -> int:
    """Points of the projective space of t coordinates over the field of q elements: (q^t − 1)/(q − 1)."""
    return sum(q**power for power in range(t))


def points(q: int, t: int) -> npt.NDArray[np.float64]:
    """One row a point: its coordinates with the first that is not zero scaled to 1."""
    rows = []
    for leading in range(t):
        free = t - 1 - leading
        block = np.zeros((q**free, t))
        block[:, leading] = 1
        if free:
            block[:, leading + 1 :] = np.indices((q,) * free).reshape(free, -1).T
        rows.append(block)
    return np.vstack(rows)


def hyperplanes(q: int, t: int, columns: int | None = None) -> Patterns:
    """Which hyperplanes (rows) hold which points; the first `columns` points alone where that is given."""
    space = points(q, t)
    incident: Patterns = space @ space[:columns].T % q == 0
    return incident
