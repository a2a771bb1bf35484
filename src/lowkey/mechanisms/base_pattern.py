"""A base pattern: what a shift-invariant mechanism draws from and shifts by the person's own cell."""

from __future__ import annotations

from functools import cached_property

import numpy as np
import numpy.typing as npt
import scipy.fft

from lowkey.errors import InvalidInput
from lowkey.mechanisms.merge import Packed, unpacked
from lowkey.mechanisms.places import Numbers
from lowkey.mechanisms.strategy_matrices import Patterns

Transform = npt.NDArray[np.complex128]
ROUNDING = 1e-12  # a sum over the pattern's cells that is smaller, relative to their number, is 0


class BasePattern:
    """p = s/Σs over the cells of a group ∏ℤ_{n_i}, with s = `high` on the pattern and 1 elsewhere.

    `bits` has one axis an attribute. So p is uniform over all cells with probability 1 − `extra`, and uniform over
    the pattern with probability `extra`.
    """

    def __init__(self, bits: Patterns, high: float) -> None:
        self.bits = bits
        self.rise = high - 1
        self.favoured = np.flatnonzero(bits)
        self.total = bits.size + self.rise * len(self.favoured)
        self.extra = self.rise * len(self.favoured) / self.total

    @property
    def is_telling(self) -> bool:
        """Whether both levels occur."""
        return 0 < len(self.favoured) < self.bits.size

    @cached_property
    def transform(self) -> Transform:
        """p̂(k) = Σ_v p(v) ω^{−k·v}, an array like `bits`; exactly 0 where it is."""
        sums: Transform = scipy.fft.fftn(self.bits.astype(np.float64))
        sums[np.abs(sums) <= ROUNDING * self.bits.size] = 0
        sums *= self.rise / self.total
        sums.flat[0] = 1
        return sums

    def draw(self, people: int, rng: np.random.Generator) -> Numbers:
        """A cell (its number) from p for each person."""
        cells = rng.integers(self.bits.size, size=people)
        extra = np.flatnonzero(rng.random(people) < self.extra)
        if len(extra):
            cells[extra] = self.favoured[rng.integers(len(self.favoured), size=len(extra))]
        return cells


def check_patterns(patterns: object, cells: int) -> Packed:
    """Base patterns over this many cells, packed eight cells a byte."""
    array = np.asarray(patterns)
    width = (cells + 7) // 8
    if array.ndim == 2 and len(array) and array.dtype == np.bool_ and array.shape[1] == cells:
        return np.packbits(array, axis=1)
    if array.ndim == 2 and len(array) and array.dtype == np.uint8 and array.shape[1] == width:
        return np.packbits(unpacked(array, cells), axis=1)
    arrived = f"an array of shape {array.shape} and type {array.dtype}"
    expected = f"booleans with {cells} columns, one row a base pattern, or bytes of packed bits with {width}"
    raise InvalidInput("the patterns", arrived, expected)
