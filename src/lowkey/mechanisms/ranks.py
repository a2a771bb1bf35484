"""Ranks: subsets and tuples of distinct numbers below D, each set numbered without gaps.

A subset a_0 < … < a_{q−1} has the rank Σ_i (a_i choose i + 1), the combinatorial number system, whatever D is.
A tuple has the mixed radix rank of its digits: digit i, below D − i, says which of those left comes next.
"""

from __future__ import annotations

import math

import numpy as np

from lowkey.mechanisms.places import Numbers

MOST_RANKS = 2**62  # beyond, a rank is no longer a 64-bit number


def subset_ranks(subsets: Numbers) -> Numbers:
    """(N, q) with ascending rows → (N,).

    >>> subset_ranks(np.array([[0, 1], [0, 2], [1, 2], [0, 3]])).tolist()
    [0, 1, 2, 3]
    """
    ranks = np.zeros(len(subsets), dtype=np.int64)
    numbers = int(subsets.max(initial=0)) + 1
    for place in range(subsets.shape[1]):
        ranks += _choices(numbers, place + 1)[subsets[:, place]]
    return ranks


def subsets_of(ranks: Numbers, length: int, numbers: int) -> Numbers:
    """(N,) → (N, length), ascending rows of numbers below `numbers`."""
    subsets = np.empty((len(ranks), length), dtype=np.int64)
    rest = ranks.copy()
    for place in reversed(range(length)):
        choices = _choices(numbers, place + 1)
        subsets[:, place] = np.searchsorted(choices, rest, side="right") - 1
        rest -= choices[subsets[:, place]]
    return subsets


def tuples_of(ranks: Numbers, length: int, numbers: int) -> Numbers:
    """(N,) → (N, length), rows of distinct numbers below `numbers`.

    >>> tuples_of(np.arange(6), 2, 3).tolist()
    [[0, 1], [0, 2], [1, 0], [1, 2], [2, 0], [2, 1]]
    """
    tuples = np.empty((len(ranks), length), dtype=np.int64)
    rest = ranks
    for place in reversed(range(length)):
        rest, tuples[:, place] = np.divmod(rest, numbers - place)
    for place in range(1, length):
        for earlier in np.sort(tuples[:, :place], axis=1).T:
            tuples[:, place] += tuples[:, place] >= earlier
    return tuples


def _choices(numbers: int, length: int) -> Numbers:
    """(a choose length) for a < numbers."""
    return np.array([min(math.comb(number, length), MOST_RANKS) for number in range(numbers)], dtype=np.int64)
