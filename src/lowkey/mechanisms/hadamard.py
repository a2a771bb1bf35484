"""Hadamard response for any privacy budget (Acharya, Sun and Zhang, AISTATS 2019)."""

from __future__ import annotations

import math

import numpy as np

from lowkey.mechanisms.dense import DenseMechanism
from lowkey.mechanisms.sizes import refuse_too_large
from lowkey.mechanisms.strategy_matrices import Patterns, characters, two_level


def hadamard(n: int, epsilon: float) -> DenseMechanism:
    """B blocks of b outputs: a cell favours half of its block, as a column of the Hadamard matrix says.

    B = 2^(⌈log₂ min(e^ε, 2n)⌉ − 1) grows with ε, from one block (every cell favours half of all outputs) to a
    block a cell; b is the smallest power of two with B(b−1) ≥ n.
    """
    blocks, order = _sizes(n, epsilon)
    refuse_too_large("hadamard", blocks * order, n)
    return DenseMechanism(two_level(_patterns(n, blocks, order), epsilon), epsilon, "hadamard")


def _sizes(n: int, epsilon: float) -> tuple[int, int]:
    blocks = 2 ** max(0, math.ceil(math.log2(min(math.exp(epsilon), 2 * n))) - 1)
    order = 2
    while blocks * (order - 1) < n:
        order *= 2
    return blocks, order


def _patterns(n: int, blocks: int, order: int) -> Patterns:
    """Columns 1…b−1 of H_b go to the cells of a block in turn; column 0 (all ones) is not used."""
    cells = np.arange(n)
    block, column = np.divmod(cells, order - 1)
    patterns = np.zeros((blocks * order, n), dtype=np.bool_)
    rows = np.arange(order)
    patterns[block * order + rows[:, None], cells] = characters(rows, column + 1)
    return patterns
