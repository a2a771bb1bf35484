"""GeneratedMechanism: base patterns that generate a strategy with too many outputs to list."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np

from lowkey.mechanisms.base import Mechanism, Responses
from lowkey.mechanisms.group_sampling import one_by_one
from lowkey.mechanisms.outputs import tallied
from lowkey.mechanisms.places import Numbers, places_of


class GeneratedMechanism(Mechanism):
    """`sizes`: how many values each attribute has; their product is the number of cells, which may be huge."""

    sizes: tuple[int, ...]

    @abstractmethod
    def report(self, places: object, rng: np.random.Generator) -> Numbers:
        """An output (its number) for each person, given by the places (N, d) of her cell."""

    def simulate(self, x: object, rng: np.random.Generator) -> Responses:
        """One draw a person."""
        population = self._check_population(x)
        groups = (self.report(places_of(cells, self.sizes), rng) for cells in one_by_one(population))
        outputs, counts = tallied(groups, self.shape[0])
        return Responses(counts.astype(np.float64), int(population.sum()), outputs)
