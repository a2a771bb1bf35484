"""JuntaMechanism: base patterns over a few attributes at a time, for any number of attributes."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from lowkey.checks import Matrix
from lowkey.errors import InvalidInput
from lowkey.mechanisms.base import Responses
from lowkey.mechanisms.base_pattern import BasePattern
from lowkey.mechanisms.group_sampling import one_by_one
from lowkey.mechanisms.invariant import InvariantMechanism, check_shares, not_answerable, refuse_many_rows
from lowkey.mechanisms.junta_rows import junta_rows, rows_at_most, strategy_rows
from lowkey.mechanisms.merge import merge_equal, unpacked
from lowkey.mechanisms.outputs import Outputs, Reports, tallied
from lowkey.mechanisms.places import Numbers, cells_of, check_places, places_of
from lowkey.mechanisms.pools import Pool
from lowkey.mechanisms.sizes import refuse_too_large
from lowkey.mechanisms.slots import Junta, on_slots
from lowkey.mechanisms.two_level import TwoLevelMechanism
from lowkey.workloads.base import DENSE_LIMIT
from lowkey.workloads.interactions import Interactions, Subset

__all__ = ["Junta", "JuntaMechanism"]


class JuntaMechanism(InvariantMechanism):
    """A person draws a junta b and attributes a for its slots without looking at her record, then v from p_b.

    She reports b, a and the shift t = u_a − v, as one number (see `outputs`). For a set S of attributes, j_c of them
    among the D_c of pool c, averaged over the draws,

        λ_k = Σ_b θ_b ∏_c (D_c − j_c)!/D_c! Σ_σ |p̂_b(k∘σ⁻¹)|²,   σ: the ways for S to stand for slots.

    >>> import numpy as np
    >>> agree = Junta(np.eye(2, dtype=bool), [range(100)] * 2, 1.0)
    >>> M = JuntaMechanism((2,) * 100, [agree], epsilon=1.0)
    >>> M.shape == (4950 * 4, 2**100), M.interaction((3, 7)).round(8).tolist()
    (True, [[4.314e-05]])
    """

    def __init__(self, sizes: object, juntas: Sequence[Junta], epsilon: float, name: str = "junta") -> None:
        super().__init__(sizes, epsilon, name)
        self.juntas = _check_juntas(juntas, self.sizes)
        self.probabilities = check_shares([junta.probability for junta in self.juntas], len(self.juntas))
        self.bases = tuple(BasePattern(junta.pattern, self.high) for junta in self.juntas)
        self.outputs = Outputs(self.juntas)
        self.shape = (self.outputs.total, math.prod(self.sizes))
        self._interactions: dict[tuple[int, ...], Matrix] = {}

    @property
    def is_telling(self) -> bool:
        return any(base.is_telling for base in self.bases)

    @cached_property
    def most_slots(self) -> int:
        """Of a junta: no larger set of attributes is ever reported on."""
        return max(junta.pattern.ndim for junta in self.juntas)

    @cached_property
    def classes(self) -> tuple[int, ...]:
        """For each attribute a number, the same for those that have one size and the same pools in every junta."""
        where = [{a: number for number, pool in enumerate(j.groups) for a in pool.attributes} for j in self.juntas]
        kinds: dict[tuple[int, ...], int] = {}
        keys = ((size, *(pools.get(a, -1) for pools in where)) for a, size in enumerate(self.sizes))
        return tuple(kinds.setdefault(key, len(kinds)) for key in keys)

    def interaction(self, subset: Sequence[int]) -> Matrix:
        key = self.type_of(subset)
        if key not in self._interactions:
            self._interactions[key] = self._interaction(subset)
        return self._interactions[key]

    def type_of(self, subset: Sequence[int]) -> tuple[int, ...]:
        """What λ on a set of attributes depends on: their classes."""
        return tuple(self.classes[attribute] for attribute in subset)

    def variance(self, interactions: Interactions) -> float:
        self.check_same_domain(interactions.sizes)
        weights: defaultdict[tuple[int, ...], float] = defaultdict(float)
        examples: dict[tuple[int, ...], Subset] = {}
        for subset, weight in interactions.weights.items():
            if weight > 0:
                key = tuple(sorted(self.type_of(subset)))
                weights[key] += weight
                examples.setdefault(key, subset)
        return sum(weight * self._excess(examples[key]) for key, weight in weights.items())

    def to_dense(self) -> Matrix:
        refuse_too_large(self.name, *self.shape)
        everything = np.arange(self.shape[0])
        blocks = self.outputs.decode(everything, np.ones(len(everything)))
        return np.concatenate([self._levels(reports) for reports in blocks])

    def distinct(self, limit: int = DENSE_LIMIT) -> TwoLevelMechanism:
        cells = self.domain_size
        refuse_many_rows(self.name, sum(map(rows_at_most, self.juntas)), cells, 8 * limit)
        scales = [share / base.total for share, base in zip(self.probabilities, self.bases, strict=True)]
        parts = (junta_rows(junta, self.sizes, scale) for junta, scale in zip(self.juntas, scales, strict=True))
        packed, weights = merge_equal(parts)
        refuse_many_rows(self.name, len(packed), cells, limit)
        return TwoLevelMechanism(unpacked(packed, cells), weights, self.epsilon, self.name)

    def report(self, places: object, rng: np.random.Generator) -> Numbers:
        people = check_places(places, self.sizes)
        chosen = rng.choice(len(self.juntas), size=len(people), p=self.probabilities)
        outputs = np.empty(len(people), dtype=np.int64)
        for number in range(len(self.juntas)):
            rows = np.flatnonzero(chosen == number)
            outputs[rows] = self._reported(number, people, rows, rng)
        return outputs

    def simulate(self, x: object, rng: np.random.Generator) -> Responses:
        """One draw a person."""
        population = self._check_population(x)
        groups = (self.report(places_of(cells, self.sizes), rng) for cells in one_by_one(population))
        outputs, counts = tallied(groups, self.shape[0])
        return Responses(counts.astype(np.float64), int(population.sum()), outputs)

    def _interaction(self, subset: Sequence[int]) -> Matrix:
        total = np.zeros([self.sizes[attribute] - 1 for attribute in subset])
        for junta, energies in self._energies:
            members = junta.members(subset)
            if members is None:
                continue
            placements = list(junta.placements(members))
            chance = junta.chance(members)
            for slots in placements:
                total += chance / len(placements) * on_slots(energies, slots)[(slice(1, None),) * len(subset)]
        total.flags.writeable = False
        return total

    @cached_property
    def _energies(self) -> list[tuple[Junta, Matrix]]:
        """Σ θ_b |p̂_b|² over those juntas that draw in the same way, and one of them."""
        alike: dict[tuple[Pool, ...], tuple[Junta, Matrix]] = {}
        for share, junta, base in zip(self.probabilities, self.juntas, self.bases, strict=True):
            _, energies = alike.setdefault(junta.groups, (junta, np.zeros(junta.pattern.shape)))
            energies += share * np.abs(base.transform) ** 2
        return list(alike.values())

    def _excess(self, subset: Subset) -> float:
        values = self.interaction(subset)
        if not values.all():
            raise not_answerable(subset)
        return float((1 / values - 1).sum())

    def _levels(self, reports: Reports) -> Matrix:
        junta, base = self.juntas[reports.junta], self.bases[reports.junta]
        weight = self.probabilities[reports.junta] / (junta.draws * base.total)
        blocks: Iterator[Matrix] = (
            np.where(rows, self.high, 1.0) * weight for rows in strategy_rows(junta, reports, self.sizes)
        )
        return np.concatenate(list(blocks))

    def _reported(self, number: int, people: Numbers, rows: Numbers, rng: np.random.Generator) -> Numbers:
        junta, base = self.juntas[number], self.bases[number]
        draws = rng.integers(junta.draws, size=len(rows))
        own = people[rows[:, None], junta.attributes(draws)]
        drawn = places_of(base.draw(len(rows), rng), junta.pattern.shape)
        shifts = cells_of((own - drawn) % np.array(junta.pattern.shape), junta.pattern.shape)
        return self.outputs.numbers(number, draws, shifts)


def _check_juntas(juntas: object, sizes: tuple[int, ...]) -> tuple[Junta, ...]:
    if not isinstance(juntas, Sequence) or not juntas or not all(isinstance(junta, Junta) for junta in juntas):
        raise InvalidInput("the juntas", juntas, "a list of Junta, at least one")
    for number, junta in enumerate(juntas):
        for slot, pool in enumerate(junta.pools):
            beyond = [attribute for attribute in pool if attribute >= len(sizes)]
            other = [a for a in pool if a < len(sizes) and sizes[a] != junta.pattern.shape[slot]]
            if beyond or other:
                raise InvalidInput(
                    f"the pool of slot {slot} of junta {number}",
                    f"with attribute {(beyond or other)[0]}",
                    f"attributes of {junta.pattern.shape[slot]} values among the {len(sizes)} there are",
                )
    return tuple(juntas)
