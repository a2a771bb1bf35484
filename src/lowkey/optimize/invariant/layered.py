"""Layered patterns: those that depend on how many of the slots are not 0, and so on no order of the slots.

Over r slots of q values the transform of such a pattern at a character with j places that are not 0 is a sum of
Krawtchouk polynomials, Σ_w s_w K_w(j): r + 1 numbers instead of q^r. They serve any number of attributes, and their
reports name a set of attributes, not an order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lowkey.checks import Matrix, Vector
from lowkey.mechanisms.strategy_matrices import Patterns
from lowkey.optimize.invariant.orbits import UNWANTED
from lowkey.optimize.invariant.slots import Slots

EVERY_SET = 12  # slots up to which every set of layers is looked at; beyond, those from one to another and their rest


@dataclass(frozen=True, eq=False)
class Layered:
    """All layered patterns over slots of one class, with their energies."""

    slots: Slots
    high: float

    @property
    def _values(self) -> int:
        return self.slots.shape[0]

    @property
    def _count(self) -> int:
        return len(self.slots.shape)

    @cached_property
    def sets(self) -> Patterns:
        """The layers of each pattern: at place w, whether the cells with w places that are not 0 are in it."""
        top = self._count
        if top <= EVERY_SET:
            numbers = np.arange(1, 2 ** (top + 1) - 1)[:, None]
            return (numbers >> np.arange(top + 1) & 1).astype(np.bool_)
        layers = np.arange(top + 1)
        spans = [(layers >= first) & (layers <= last) for first in layers for last in layers[first:]]
        proper = np.array([span for span in spans if not span.all()])
        return np.vstack([proper, ~proper])

    @cached_property
    def energies(self) -> Matrix:
        """By pattern, and by number of places of a character that are not 0: 1, 2, …"""
        sums = np.array(list(self._polynomials()))
        spectra = (self.high - 1.0) * self.sets @ sums
        spectra[:, 0] += float(self.slots.cells)
        sizes = np.array([math.comb(self._count, j) * (self._values - 1.0) ** j for j in range(self._count + 1)])
        found: Matrix = ((spectra / spectra[:, :1]) ** 2 * sizes)[:, 1:]
        return found

    def _polynomials(self) -> Iterator[list[float]]:
        """K_w(j) for j = 0, 1, …: the coefficients of (1 + (q−1)z)^(r−j) (1−z)^j, w after w."""
        columns = []
        for j in range(self._count + 1):
            product = [1]
            for root in [-1] * j + [self._values - 1] * (self._count - j):
                product = [a + root * b for a, b in zip([*product, 0], [0, *product], strict=True)]
            columns.append(product)
        for w in range(self._count + 1):
            yield [float(column[w]) for column in columns]

    @cached_property
    def _orbits(self) -> npt.NDArray[np.intp]:
        """The orbit of the characters with 1, 2, … places that are not 0."""
        ones = np.tril(np.ones((self._count, self._count), dtype=np.int64))
        return self.slots.orbits.of(self.slots.classes, ones)

    def rows(self, numbers: npt.NDArray[np.intp]) -> Matrix:
        """The energies of these patterns in the columns of the slots."""
        wanted = self._orbits != UNWANTED
        found = np.zeros((len(numbers), len(self.slots.columns)))
        found[:, np.searchsorted(self.slots.columns, self._orbits[wanted])] = self.energies[numbers][:, wanted]
        return found

    def gains(self, by_orbit: Vector) -> Vector:
        """Σ prices·energies of every pattern."""
        wanted = self._orbits != UNWANTED
        found: Vector = self.energies[:, wanted] @ by_orbit[self._orbits[wanted]]
        return found

    def cells(self, numbers: npt.NDArray[np.intp]) -> Patterns:
        """These patterns cell by cell."""
        places = np.stack(np.unravel_index(np.arange(self.slots.cells), self.slots.shape))
        patterns: Patterns = self.sets[numbers][:, (places != 0).sum(axis=0)]
        return patterns
