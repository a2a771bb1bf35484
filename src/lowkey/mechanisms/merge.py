"""Rows with one pattern as one row: their weights add up, and no information is lost."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from lowkey.checks import Vector
from lowkey.mechanisms.strategy_matrices import Patterns

Packed = npt.NDArray[np.uint8]


def merge_equal(blocks: Iterable[tuple[Packed, Vector]]) -> tuple[Packed, Vector]:
    """Distinct rows of patterns packed eight cells a byte, and the sum of each one's weights."""
    parts = [_merged(packed, weights) for packed, weights in blocks]
    if len(parts) == 1:
        return parts[0]
    return _merged(np.concatenate([packed for packed, _ in parts]), np.concatenate([weights for _, weights in parts]))


def unpacked(packed: Packed, cells: int) -> Patterns:
    return np.unpackbits(packed, axis=1, count=cells).view(np.bool_)


def _merged(packed: Packed, weights: Vector) -> tuple[Packed, Vector]:
    """Sorted by their bytes: as numbers where eight hold a row, which is faster."""
    _, first, inverse = np.unique(_keys(packed), return_index=True, return_inverse=True)
    sums: Vector = np.bincount(inverse, weights).astype(np.float64, copy=False)
    return packed[first], sums


def _keys(packed: Packed) -> npt.NDArray[Any]:
    width = packed.shape[1]
    if width > 8:
        return np.ascontiguousarray(packed).view(np.dtype((np.void, width)))[:, 0]
    rows = np.zeros((len(packed), 8), dtype=np.uint8)
    rows[:, :width] = packed
    return rows.view(np.uint64)[:, 0]
