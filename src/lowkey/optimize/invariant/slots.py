"""Slots: the small domain that a base pattern lives on, each slot standing for an attribute of its class."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import scipy.fft

from lowkey.checks import Matrix, Vector
from lowkey.mechanisms.strategy_matrices import Patterns
from lowkey.optimize.invariant.orbits import UNWANTED, Orbits

Values = npt.NDArray[np.float64] | npt.NDArray[np.complex128]

TABLE_LIMIT = 512  # cells up to which all differences are kept in a table


@dataclass(frozen=True, eq=False)
class Slots:
    """The product of the slots' values, as a group; `classes` are the slots' classes, ascending."""

    orbits: Orbits
    classes: tuple[int, ...]

    @cached_property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.orbits.sizes[number] for number in self.classes)

    @cached_property
    def cells(self) -> int:
        return math.prod(self.shape)

    @property
    def outputs(self) -> int:
        """How many reports a pattern has that takes attributes in every order."""
        draws = (
            math.perm(len(self.orbits.classes[number]), self.classes.count(number)) for number in set(self.classes)
        )
        return math.prod(draws) * self.cells

    @cached_property
    def _orbit(self) -> npt.NDArray[np.intp]:
        """The orbit of each character of the slots."""
        places = np.unravel_index(np.arange(self.cells), self.shape)
        return self.orbits.of(self.classes, np.stack(places, axis=1).astype(np.int64))

    @cached_property
    def columns(self) -> npt.NDArray[np.intp]:
        """The orbits that a pattern here has energy in, ascending."""
        return np.unique(self._orbit[self._orbit != UNWANTED])

    @cached_property
    def _places(self) -> npt.NDArray[np.intp]:
        """For each character the place of its orbit among the columns; one beyond for those that are unwanted."""
        return np.where(self._orbit == UNWANTED, len(self.columns), np.searchsorted(self.columns, self._orbit))

    def prices(self, by_orbit: Vector) -> Vector:
        """A value for each orbit, spread over the slots' characters; 0 where unwanted."""
        return np.append(by_orbit[self.columns], 0.0)[self._places]

    def energies(self, patterns: Patterns, high: float) -> Matrix:
        """E of each pattern (row) in each of the columns: the sum of |ŝ(k)|²/ŝ(0)² over the orbit's characters."""
        found = np.zeros((len(patterns), len(self.columns) + 1))
        for row, pattern in zip(found, patterns, strict=True):
            spectrum = self.transform(np.where(pattern, high, 1.0))
            shares = (spectrum.real**2 + spectrum.imag**2) / spectrum[0].real ** 2
            row += np.bincount(self._places, weights=shares, minlength=len(row))
        return found[:, :-1]

    def transform(self, values: Values) -> npt.NDArray[np.complex128]:
        """Σ_v values(v) ω^(−k·v) along the last axis, for every character k."""
        shape = values.shape[:-1]
        table = values.reshape(*shape, *self.shape)
        axes = tuple(range(len(shape), table.ndim))
        found: npt.NDArray[np.complex128] = scipy.fft.fftn(table, axes=axes).reshape(*shape, self.cells)
        return found

    def kernel(self, prices: Vector) -> Vector:
        """Σ_k prices(k) ω^(k·v): real, since a price is the same at k and −k."""
        return self.transform(prices).real

    @cached_property
    def differences(self) -> npt.NDArray[np.int32]:
        """At [u, v] the cell v − u; for small domains."""
        return self._differences(np.arange(self.cells)).astype(np.int32)

    def shifted(self, kernel: Vector, cells: npt.NDArray[np.intp]) -> Matrix:
        """kernel(v − u) over all v, a row for each u of `cells`."""
        return kernel[self.differences[cells] if self.cells <= TABLE_LIMIT else self._differences(cells)]

    def _differences(self, cells: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """The cells v − u, a row for each u of `cells`, put together slot by slot."""
        found = np.zeros((len(cells), 1), dtype=np.intp)
        for size, place in zip(self.shape, np.unravel_index(cells, self.shape), strict=True):
            apart = (np.arange(size) - place[:, None]) % size
            found = (size * found[:, :, None] + apart[:, None, :]).reshape(len(cells), -1)
        return found
