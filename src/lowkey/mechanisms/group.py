"""GroupMechanism: base patterns over the whole domain, each used with all shifts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np

from lowkey.checks import Matrix, Vector
from lowkey.errors import TooLarge
from lowkey.mechanisms.base import Responses
from lowkey.mechanisms.base_pattern import BasePattern, check_patterns
from lowkey.mechanisms.group_sampling import shift_counts
from lowkey.mechanisms.invariant import InvariantMechanism, check_shares, not_answerable, refuse_many_rows
from lowkey.mechanisms.merge import Packed, merge_equal, unpacked
from lowkey.mechanisms.places import Numbers, cells_of, check_places, subtract
from lowkey.mechanisms.sizes import refuse_too_large
from lowkey.mechanisms.strategy_matrices import Patterns
from lowkey.mechanisms.two_level import TwoLevelMechanism
from lowkey.workloads.base import DENSE_LIMIT
from lowkey.workloads.interactions import Interactions

LISTED_RESPONSES = 2**24  # outputs up to which responses count every one of them
BLOCK_ENTRIES = 2**22


class GroupMechanism(InvariantMechanism):
    """A person of type u draws a pattern b, a cell v from p_b, and reports b and the shift t = u − v.

        Q[(b,t), u] = θ_b p_b(u − t),   p_b = s_b/Σs_b,   output b·n + t;     λ_k = Σ_b θ_b |p̂_b(k)|²

    patterns: booleans (B, n), one row a base pattern over the cells of `sizes` (row-major), or the same packed by
    numpy.packbits; probabilities: θ.

    >>> import numpy as np
    >>> M = GroupMechanism((2, 2), np.array([[True, True, False, False], [True, False, False, True]]), [0.5, 0.5], 1.0)
    >>> M.shape, M.spectrum.round(3).tolist()
    ((8, 4), [[1.0, 0.0], [0.107, 0.107]])
    """

    def __init__(
        self, sizes: object, patterns: object, probabilities: object, epsilon: float, name: str = "group"
    ) -> None:
        super().__init__(sizes, epsilon, name)
        cells = 1
        for size in self.sizes:
            cells *= size
        _refuse_large_domain(cells)
        self._packed = check_patterns(patterns, cells)
        self.probabilities = check_shares(probabilities, len(self._packed))
        self.shape = (len(self._packed) * cells, cells)

    @property
    def patterns(self) -> Patterns:
        """The base patterns (B×n booleans)."""
        return unpacked(self._packed, self.domain_size)

    @cached_property
    def spectrum(self) -> Matrix:
        """λ_k for all characters, an array of shape `sizes`."""
        total = np.zeros(self.sizes)
        for share, base in self.bases():
            total += share * np.abs(base.transform) ** 2
        total.flat[0] = 1
        total.flags.writeable = False
        return total

    @property
    def is_telling(self) -> bool:
        return any(base.is_telling for _, base in self.bases())

    def bases(self) -> Iterator[tuple[float, BasePattern]]:
        """Each base pattern and its probability."""
        for share, packed in zip(self.probabilities, self._packed, strict=True):
            bits = np.unpackbits(packed, count=self.domain_size).view(np.bool_)
            yield float(share), BasePattern(bits.reshape(self.sizes), self.high)

    def interaction(self, subset: Sequence[int]) -> Matrix:
        inside = set(subset)
        index = tuple(slice(1, None) if axis in inside else 0 for axis in range(len(self.sizes)))
        values: Matrix = self.spectrum[index]
        return values.transpose(np.argsort(np.argsort(subset)))

    def variance(self, interactions: Interactions) -> float:
        self.check_same_domain(interactions.sizes)
        total = 0.0
        for subset, weight in interactions.weights.items():
            if weight > 0:
                excess = float(self._excess[tuple(int(axis in subset) for axis in range(len(self.sizes)))])
                if not np.isfinite(excess):
                    raise not_answerable(subset)
                total += weight * excess
        return total

    def to_dense(self) -> Matrix:
        refuse_too_large(self.name, *self.shape)
        blocks = [
            np.where(rows, self.high, 1.0) * (share / base.total)
            for share, base in self.bases()
            for rows in self._shifted(base)
        ]
        return np.concatenate(blocks)

    def distinct(self, limit: int = DENSE_LIMIT) -> TwoLevelMechanism:
        refuse_many_rows(self.name, self.shape[0], self.domain_size, 8 * limit)
        packed, weights = merge_equal(self._packed_rows())
        refuse_many_rows(self.name, len(packed), self.domain_size, limit)
        return TwoLevelMechanism(unpacked(packed, self.domain_size), weights, self.epsilon, self.name)

    def report(self, places: object, rng: np.random.Generator) -> Numbers:
        cells = cells_of(check_places(places, self.sizes), self.sizes)
        chosen = rng.choice(len(self.probabilities), size=len(cells), p=self.probabilities)
        outputs = np.empty(len(cells), dtype=np.int64)
        for number, (_, base) in enumerate(self.bases()):
            rows = np.flatnonzero(chosen == number)
            shifts = subtract(cells[rows], base.draw(len(rows), rng), self.sizes)
            outputs[rows] = number * self.domain_size + shifts
        return outputs

    def simulate(self, x: object, rng: np.random.Generator) -> Responses:
        """Pattern by pattern: a few draws a type where many people share it, else one a person."""
        population = self._check_population(x)
        users = int(population.sum())
        shared = rng.multinomial(population, self.probabilities)
        tallies = [
            shift_counts(base, people, self.sizes, rng)
            for (_, base), people in zip(self.bases(), shared.T, strict=True)
        ]
        return _responses(tallies, self.domain_size, users)

    @cached_property
    def _excess(self) -> Matrix:
        """Σ (1/λ_k − 1) over the characters on each set of attributes: an axis of 2 an attribute, 1 where it is in."""
        with np.errstate(divide="ignore"):
            sums: Matrix = 1 / self.spectrum - 1
        for axis, size in enumerate(self.sizes):
            sums = np.add.reduceat(sums, [0, 1], axis=axis) if size > 1 else sums
        return sums

    def _shifted(self, base: BasePattern) -> Iterator[Patterns]:
        """Where the outputs of a base pattern favour each cell: blocks of rows, shift by shift."""
        flat, cells = base.bits.ravel(), np.arange(self.domain_size)
        step = max(1, BLOCK_ENTRIES // self.domain_size)
        for start in range(0, self.domain_size, step):
            yield flat[subtract(cells[None, :], cells[start : start + step, None], self.sizes)]

    def _packed_rows(self) -> Iterator[tuple[Packed, Vector]]:
        for share, base in self.bases():
            packed = np.concatenate([np.packbits(rows, axis=1) for rows in self._shifted(base)])
            yield packed, np.full(len(packed), share / base.total)


def _responses(tallies: Sequence[Numbers], cells: int, users: int) -> Responses:
    """All outputs counted where they are few, else those that occurred."""
    if len(tallies) * cells <= LISTED_RESPONSES:
        return Responses(np.concatenate(tallies).astype(np.float64), users)
    seen = [np.flatnonzero(tally) for tally in tallies]
    outputs = np.concatenate([number * cells + shifts for number, shifts in enumerate(seen)])
    values = np.concatenate([tally[shifts] for tally, shifts in zip(tallies, seen, strict=True)])
    return Responses(values.astype(np.float64), users, outputs)


def _refuse_large_domain(cells: int) -> None:
    if cells > DENSE_LIMIT:
        advice = "Use a JuntaMechanism, whose patterns are over a few attributes at a time."
        raise TooLarge("the domain of a base pattern", f"{cells:,} cells", f"at most {DENSE_LIMIT:,}", advice)
