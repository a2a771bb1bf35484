"""Orbits: the characters that a workload needs, those that nothing tells apart taken together.

Attributes of one class may change places, a real pattern has the same energy at k and −k, and where labels are alike
all characters on the same attributes count as one. A strategy that draws its attributes at random has one eigenvalue
λ for all M characters of an orbit, and E = Mλ is the sum of its energies there. What is minimised reads

    Σ_orbits c/E,     c = M² g.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lowkey.checks import Vector
from lowkey.workloads.interactions import Interactions, Subset

Characters = npt.NDArray[np.int64]  # a row a character, a column an attribute (or a slot that stands for one)
Keys = npt.NDArray[np.bytes_]
Type = tuple[int, ...]  # how many attributes of each class
UNWANTED = -1


@dataclass(frozen=True)
class Orbits:
    """The wanted characters of `interactions` by orbit; `classes` are the attributes that may change places."""

    interactions: Interactions
    classes: tuple[Subset, ...]
    labels_alike: bool

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """How many values an attribute of each class has."""
        return tuple(self.interactions.sizes[members[0]] for members in self.classes)

    @cached_property
    def types(self) -> dict[Type, float]:
        """g of every type of attribute set that is wanted: the mean, where a class is no more than nearly alike."""
        class_of = {attribute: number for number, members in enumerate(self.classes) for attribute in members}
        totals: dict[Type, float] = {}
        for subset, weight in self.interactions.weights.items():
            counts = [0] * len(self.classes)
            for attribute in subset:
                counts[class_of[attribute]] += 1
            totals[tuple(counts)] = totals.get(tuple(counts), 0.0) + weight
        return {kind: total / self._subsets(kind) for kind, total in totals.items()}

    def _subsets(self, kind: Type) -> int:
        return math.prod(math.comb(len(members), count) for members, count in zip(self.classes, kind, strict=True))

    @cached_property
    def room(self) -> Type:
        """The most attributes of each class that a wanted set has."""
        return tuple(max(column) for column in zip(*self.types, strict=True))

    def slots_of(self, kind: Type) -> tuple[int, ...]:
        """The classes of the slots of one type, ascending."""
        return tuple(number for number, count in enumerate(kind) for _ in range(count))

    @cached_property
    def _wanted(self) -> tuple[Keys, Vector, Vector]:
        """The orbits' keys in order, how many characters each has, and g."""
        found: dict[bytes, tuple[float, float]] = {}
        for kind, weight in self.types.items():
            slots = self.slots_of(kind)
            keys, members = np.unique(self._keys(slots, self._full(slots)), return_counts=True)
            arrangements = self._arrangements(kind)
            for key, count in zip(keys.tolist(), members.tolist(), strict=True):
                found[key] = (arrangements * count, weight)
        order = np.array(sorted(found), dtype=f"S{self._width}")
        counts, weights = (np.array([found[key][part] for key in order.tolist()]) for part in (0, 1))
        return order, counts, weights

    def _full(self, slots: Sequence[int]) -> Characters:
        """The characters that no slot is constant in; one for all where labels are alike."""
        values = [np.arange(1, 2 if self.labels_alike else self.sizes[number]) for number in slots]
        return np.stack(np.meshgrid(*values, indexing="ij"), axis=-1).reshape(-1, len(slots))

    def _arrangements(self, kind: Type) -> float:
        """How many characters of the domain one of `_full` stands for."""
        labels = math.prod(self.sizes[number] - 1 for number in self.slots_of(kind)) if self.labels_alike else 1
        return float(self._subsets(kind) * labels)

    @property
    def _width(self) -> int:
        return 4 * sum(self.room)

    def _keys(self, slots: Sequence[int], characters: Characters) -> Keys:
        """One text for all characters of an orbit; those with too many attributes get one that nothing has."""
        sizes = np.array([self.sizes[number] for number in slots])
        ahead = self._texts(slots, characters)
        if self.labels_alike:
            return ahead
        back = self._texts(slots, (sizes - characters) % sizes)
        return np.where(ahead <= back, ahead, back)

    def _texts(self, slots: Sequence[int], characters: Characters) -> Keys:
        values = np.minimum(characters, 1) if self.labels_alike else characters
        classes = np.asarray(slots)
        parts = []
        for number, room in enumerate(self.room):
            mine = -np.sort(-values[:, classes == number], axis=1)
            over = (mine[:, room:] > 0).any(axis=1)
            padded = np.zeros((len(values), room), dtype=np.int64)
            padded[:, : mine.shape[1]] = mine[:, :room]
            padded[over] = 2**32 - 1
            parts.append(padded)
        rows = np.ascontiguousarray(np.hstack(parts).astype(">u4"))
        return rows.view(f"S{self._width}")[:, 0]

    def of(self, slots: Sequence[int], characters: Characters) -> npt.NDArray[np.intp]:
        """The orbit of each character over the slots, UNWANTED where no query needs it."""
        wanted, keys = self._wanted[0], self._keys(slots, characters)
        place = np.minimum(np.searchsorted(wanted, keys), len(wanted) - 1)
        return np.where(wanted[place] == keys, place, UNWANTED)

    @property
    def count(self) -> int:
        return len(self._wanted[0])

    @property
    def weights(self) -> Vector:
        """g of each orbit."""
        return self._wanted[2]

    @property
    def members(self) -> Vector:
        """M of each orbit."""
        return self._wanted[1]

    @cached_property
    def costs(self) -> Vector:
        """c = M² g of each orbit."""
        costs: Vector = self.members**2 * self.weights
        return costs

    @cached_property
    def constant(self) -> float:
        """Σ M g: what is subtracted from Σ c/E to give the variance per user."""
        return float(self.members @ self.weights)
