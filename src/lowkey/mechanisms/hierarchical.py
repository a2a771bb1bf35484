"""Hierarchies of groups of neighbouring cells: a person reports on one level, picked at random."""

from __future__ import annotations

import numpy as np

from lowkey.checks import Matrix, check_size
from lowkey.errors import InvalidInput, NotAvailable
from lowkey.mechanisms.dense import DenseMechanism
from lowkey.mechanisms.sizes import refuse_too_large
from lowkey.mechanisms.strategy_matrices import characters, level_weights, mixture, two_sided


def hierarchical(
    n: int, epsilon: float, branching: int = 4, oracle: str = "hadamard", weights: object = None
) -> DenseMechanism:
    """Level L asks for the group u // branching^L by the strategy `oracle` (Cormode, Wang et al. 2019).

    Levels L = 0, 1, … while branching^L < n. weights: their probabilities, finest first; uniform by default.
    """
    branching = check_size("branching", branching, 2)
    widths = [1]
    while widths[-1] * branching < n:
        widths.append(widths[-1] * branching)
    shares = level_weights(weights, len(widths))
    levels = [_grouped(n, epsilon, width, oracle) for width in widths]
    refuse_too_large("hierarchical", sum(len(level) for level in levels), n)
    return DenseMechanism(mixture(levels, shares), epsilon, "hierarchical")


def haar(n: int, epsilon: float, weights: object = None) -> DenseMechanism:
    """HaarHRR (Cormode, Kulkarni and Srivastava 2019): level l of a binary tree asks for a Haar coefficient.

    A person has a single one on each level: at the node u // 2^l, +1 or −1 for its left or right half. She
    reports that sign times a random Hadamard character of the node, by binary randomized response.
    weights: probabilities of the levels l = 1, 2, …, finest first; uniform by default.
    """
    depth = (n - 1).bit_length()
    if depth == 0:
        return DenseMechanism(np.ones((1, 1)), epsilon, "haar")
    shares = level_weights(weights, depth)
    refuse_too_large("haar", 2 * (2**depth - 1), n)
    levels = [_haar_level(n, epsilon, level, depth) for level in range(1, depth + 1)]
    return DenseMechanism(mixture(levels, shares), epsilon, "haar")


def _grouped(n: int, epsilon: float, width: int, oracle: str) -> Matrix:
    from lowkey.mechanisms.catalogue import create  # the catalogue lists this very module

    groups = np.arange(n) // width
    count = int(groups[-1]) + 1
    try:
        mechanism = create(oracle, count, epsilon)
    except NotAvailable as error:
        raise InvalidInput("oracle", oracle, f"a mechanism that exists for {count:,} groups", str(error)) from error
    if mechanism.has_closed_form:
        expected = f"a mechanism whose outputs can be listed for {count:,} groups"
        raise InvalidInput("oracle", oracle, expected, "hadamard and randomized_response are.")
    strategy = mechanism.to_dense()
    refuse_too_large("hierarchical", len(strategy), n)
    return strategy[:, groups]


def _haar_level(n: int, epsilon: float, level: int, depth: int) -> Matrix:
    cells = np.arange(n)
    right_half = (cells >> (level - 1)) % 2 == 1
    nodes = np.arange(2 ** (depth - level))
    return two_sided(characters(nodes, cells >> level) ^ right_half, epsilon)
