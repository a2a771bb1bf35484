"""Pool: the base patterns in the running, how often each is drawn, and the energies of the mixture."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import scipy.sparse

from lowkey.checks import Matrix, Vector
from lowkey.mechanisms.strategy_matrices import Patterns
from lowkey.optimize.invariant.mixture import Energies, mixed, settle, value_of
from lowkey.optimize.invariant.orbits import Orbits
from lowkey.optimize.invariant.slots import Slots

NO_ENERGY = 1e-20  # of a character: no real one has so little, and rounding leaves less where there is none
UNUSED = 1e-12  # of an orbit's energy


@dataclass
class Pool:
    """Base patterns over various slots; `weights` are their probabilities."""

    orbits: Orbits
    high: float
    slots: list[Slots] = field(default_factory=list)
    patterns: list[npt.NDArray[np.bool_]] = field(default_factory=list)
    rows: list[Vector] = field(default_factory=list)  # energies in the columns of the slots
    weights: Vector = field(default_factory=lambda: np.zeros(0))

    def __len__(self) -> int:
        return len(self.patterns)

    def add(self, slots: Slots, patterns: Patterns, energies: Matrix | None = None, share: float = 0.0) -> None:
        """More patterns, which together get a share of the draws."""
        if len(patterns) == 0:
            return
        found = slots.energies(patterns, self.high) if energies is None else energies
        self.slots.extend([slots] * len(patterns))
        self.patterns.extend(patterns)
        self.rows.extend(found)
        each = np.full(len(patterns), share / len(patterns))
        self.weights = np.append((1 - share) * self.weights, each)

    def copy(self) -> Pool:
        """The same patterns, to be changed apart."""
        slots, patterns, rows = list(self.slots), list(self.patterns), list(self.rows)
        return Pool(self.orbits, self.high, slots, patterns, rows, self.weights.copy())

    def become(self, other: Pool) -> None:
        """The patterns of another pool."""
        self.slots, self.patterns, self.rows, self.weights = other.slots, other.patterns, other.rows, other.weights

    def keep(self, chosen: npt.NDArray[np.bool_]) -> None:
        """Only these patterns, drawn as often relative to each other."""
        numbers = np.flatnonzero(chosen)
        self.slots = [self.slots[number] for number in numbers]
        self.patterns = [self.patterns[number] for number in numbers]
        self.rows = [self.rows[number] for number in numbers]
        self.weights = self.weights[chosen] / self.weights[chosen].sum()

    @property
    def energies(self) -> Energies:
        """A row a pattern, a column an orbit."""
        ends = np.cumsum([0, *(len(row) for row in self.rows)])
        columns = np.concatenate([slots.columns for slots in self.slots])
        shape = (len(self), self.orbits.count)
        return scipy.sparse.csr_array((np.concatenate(self.rows), columns, ends), shape=shape)

    def mixed(self) -> Vector:
        """E of the mixture."""
        return mixed(self.energies, self.weights)

    @property
    def is_blind(self) -> bool:
        """Whether some orbit has no energy but for rounding."""
        return bool((self.mixed() <= NO_ENERGY * self.orbits.members).any())

    def value(self, energies: Vector | None = None) -> float:
        """Variance per user."""
        found = self.mixed() if energies is None else energies
        return value_of(self.orbits.costs, found) - self.orbits.constant

    def importance(self) -> Vector:
        """The largest share that each pattern has of an orbit's energy."""
        total = self.mixed()
        shares = zip(self.weights, self.rows, self.slots, strict=True)
        return np.array([float((weight * row / total[slots.columns]).max()) for weight, row, slots in shares])

    def even(self) -> None:
        """All patterns equally likely."""
        self.weights = np.full(len(self), 1 / len(self))

    def drop_unused(self) -> None:
        """Without patterns that are hardly ever drawn, and matter nowhere."""
        self.keep(self.importance() > UNUSED)

    def settle(self, steps: int, tolerance: float = 1e-9) -> None:
        """Better weights."""
        self.weights = settle(self.energies, self.orbits.costs, self.weights, steps, tolerance)

    def by_slots(self) -> Iterator[tuple[Slots, list[int]]]:
        """The patterns' numbers by the slots that they live on."""
        order = sorted(range(len(self)), key=lambda number: id(self.slots[number]))
        cuts = [0, *(i for i in range(1, len(order)) if self.slots[order[i]] is not self.slots[order[i - 1]])]
        for start, stop in pairwise([*cuts, len(order)]):
            yield self.slots[order[start]], order[start:stop]
