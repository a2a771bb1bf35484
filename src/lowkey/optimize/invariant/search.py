"""The search for a strategy that no shift changes: on attributes drawn at random or on all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lowkey.errors import TooLarge
from lowkey.mechanisms.group import GroupMechanism
from lowkey.mechanisms.junta import Junta, JuntaMechanism
from lowkey.mechanisms.two_level import TwoLevelMechanism, high_level
from lowkey.optimize.budget import Budget
from lowkey.optimize.invariant import starts
from lowkey.optimize.invariant.choices import choices_of
from lowkey.optimize.invariant.generation import OUTPUT_LIMIT, Generation
from lowkey.optimize.invariant.images import MOST_CELLS, listed_outputs
from lowkey.optimize.invariant.labels import told_apart
from lowkey.optimize.invariant.moves import even_out
from lowkey.optimize.invariant.orbits import Orbits
from lowkey.optimize.invariant.pool import Pool
from lowkey.optimize.invariant.slots import Slots
from lowkey.optimize.invariant.thinning import thin
from lowkey.optimize.projected_gradient import Status
from lowkey.workloads.interactions import Interactions, classes

SUBSETS_LIMIT = 20_000  # beyond so many interactions, attributes of one size are taken to be alike
COPIES = 12  # patterns with labels, a type of attribute set
MOST_COPIES = 1500
LISTED_TWICE = 8  # how many reports come to one output once listed, at most
DEARNESS = (1e-7, 1e-4, 1e-3, 1e-2, 0.1)  # share of the variance that fewer outputs may cost
SUBGROUPS = 200  # random ones of each few slots
SHARE_OF_TIME = 0.6  # for the patterns; the rest evens out their labels


@dataclass
class InvariantSearch:
    """One search for the interactions of a workload; `status` says how the last run ended."""

    interactions: Interactions
    epsilon: float
    budget: Budget
    seed: int
    target: float = 0.0
    status: Status = Status.CONVERGED

    def by_attributes(self) -> JuntaMechanism:
        """Juntas on attributes drawn at random."""
        rng = np.random.default_rng(self.seed)
        has_labels = max(self.interactions.sizes) > 2
        pool = self._generated(rng, self.budget.part_of_the_rest(SHARE_OF_TIME if has_labels else 1.0))
        thin(pool)
        if has_labels:
            pool = told_apart(pool, min(COPIES * len(pool.orbits.types), MOST_COPIES), rng)
            self._even_out(pool, rng)
        return junta_mechanism(pool, self.epsilon)

    def listed(self, most: int) -> TwoLevelMechanism | None:
        """The same for binary attributes with all outputs listed, at most so many; None where that takes more."""
        if max(self.interactions.sizes) > 2:
            return None
        rng = np.random.default_rng(self.seed)
        pool = self._generated(rng, self.budget, LISTED_TWICE * most)
        _add_subgroups(pool, rng)
        counts = np.array([listed_outputs(*pair) for pair in zip(pool.slots, pool.patterns, strict=True)])
        for dearness in DEARNESS:
            few = pool.copy()
            thin(few, dearness * counts / most)
            try:
                mechanism = junta_mechanism(few, self.epsilon).distinct()
            except TooLarge:
                continue
            if mechanism.shape[0] <= most:
                return mechanism
        return None

    def _generated(self, rng: np.random.Generator, budget: Budget, most_outputs: int = OUTPUT_LIMIT) -> Pool:
        orbits = Orbits(self.interactions, self._classes(), labels_alike=True)
        pool = Pool(orbits, high_level(self.epsilon))
        self.status = Generation(pool, choices_of(orbits, rng), rng, most_outputs).run(budget, self.target)
        return pool

    def by_whole_patterns(self, count: int) -> GroupMechanism:
        """So many base patterns over the whole domain, each used with all shifts."""
        rng = np.random.default_rng(self.seed)
        varying = [attribute for attribute, size in enumerate(self.interactions.sizes) if size > 1]
        orbits = Orbits(self.interactions, tuple((attribute,) for attribute in varying), labels_alike=False)
        slots, high = Slots(orbits, tuple(range(len(varying)))), high_level(self.epsilon)
        first = starts.gaussian(slots, count, high, starts.wanted_amplitudes(slots), rng)
        pool = Pool(orbits, high)
        pool.add(slots, first, share=1.0)
        if pool.is_blind:
            first[-1] = starts.one_cell(slots)
            pool = Pool(orbits, high)
            pool.add(slots, first, share=1.0)
        self._even_out(pool, rng)
        pool.drop_unused()
        return GroupMechanism(self.interactions.sizes, np.stack(pool.patterns), pool.weights, self.epsilon)

    def _even_out(self, pool: Pool, rng: np.random.Generator) -> None:
        if self.status is Status.INTERRUPTED:
            return
        status = even_out(pool, self.budget, rng)
        self.status = status if status is not Status.CONVERGED else self.status

    def _classes(self) -> tuple[tuple[int, ...], ...]:
        """Attributes that may change places; where there are too many sets of them, all of one size."""
        found = classes(self.interactions)
        if len(found) == 1 or len(self.interactions.weights) <= SUBSETS_LIMIT:
            return found
        sizes = self.interactions.sizes
        return tuple(
            tuple(sorted(attribute for members in found for attribute in members if sizes[attribute] == size))
            for size in sorted({sizes[members[0]] for members in found})
        )


def _add_subgroups(pool: Pool, rng: np.random.Generator) -> None:
    """Patterns with few images: what they lack in energy they may make up for in outputs saved."""
    for slots in choices_of(pool.orbits, rng):
        if slots.cells <= MOST_CELLS:
            pool.add(slots, starts.subgroups(slots, SUBGROUPS, rng))


def junta_mechanism(pool: Pool, epsilon: float) -> JuntaMechanism:
    """The mixture as a mechanism; each slot draws from the attributes of its class."""
    pool.drop_unused()
    members = pool.orbits.classes
    parts = zip(pool.slots, pool.patterns, pool.weights, strict=True)
    juntas = [
        Junta(pattern.reshape(slots.shape), [members[number] for number in slots.classes], float(weight))
        for slots, pattern, weight in parts
    ]
    return JuntaMechanism(pool.orbits.interactions.sizes, juntas, epsilon)
