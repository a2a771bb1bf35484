"""Junta: a pattern over a few slots, and the pools of attributes that may stand for them."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from lowkey.mechanisms.draws import Draws, check_pools, slots_of
from lowkey.mechanisms.places import Numbers
from lowkey.mechanisms.pools import Pool, Sequences
from lowkey.mechanisms.strategy_matrices import Patterns, check_bits


@dataclass(frozen=True, eq=False)
class Junta:
    """`pattern` has an axis a slot; `pools` says for each slot which attributes, of that size, it may stand for.

    Slots with one pool draw distinct attributes; different pools have none in common. `probability`: how often the
    junta is used.

    >>> Junta(np.eye(2, dtype=bool), [(0, 1, 2), (0, 1, 2)], 1.0).draws
    3
    """

    pattern: Patterns
    pools: Sequence[Sequence[int]]
    probability: float

    def __post_init__(self) -> None:
        object.__setattr__(
            self, "pattern", check_bits("the junta's pattern", self.pattern, 1, "an array of booleans, one axis a slot")
        )
        object.__setattr__(self, "pools", check_pools("the junta", self.pools, self.pattern.ndim))

    @cached_property
    def groups(self) -> tuple[Pool, ...]:
        """The different pools, each with its slots, in the order of their first slots."""
        slots = slots_of(self.pools)
        return tuple(Pool(pool, own, not _is_symmetric(self.pattern, own)) for pool, own in slots.items())

    @cached_property
    def _drawing(self) -> Draws:
        return Draws(self.groups)

    @property
    def draws(self) -> int:
        """How many draws of attributes there are."""
        return self._drawing.count

    @property
    def outputs(self) -> int:
        return self.draws * self.pattern.size

    @cached_property
    def labels(self) -> npt.NDArray[np.int64]:
        """For each slot, the first of those that it may swap places with."""
        labels = np.arange(self.pattern.ndim)
        for group in self.groups:
            if not group.ordered:
                labels[list(group.slots)] = group.slots[0]
        return labels

    def attributes(self, ranks: Numbers) -> Numbers:
        """The attribute (N, slots) that each slot stands for, in the draws with these numbers."""
        return self._drawing.attributes(ranks)

    def members(self, subset: Sequence[int]) -> list[list[int]] | None:
        """For each pool, which places of `subset` hold its attributes; None if the junta cannot draw them all."""
        return self._drawing.members(subset)

    def chance(self, members: Sequence[Sequence[int]]) -> float:
        """That a draw holds all attributes of a subset with these members."""
        return self._drawing.chance(members)

    def placements(self, members: Sequence[Sequence[int]]) -> Iterator[Sequences]:
        """The slots that the attributes of a subset may stand for, in the subset's order."""
        sizes = (self.pattern.shape[group.slots[0]] for group in self.groups)
        parts = zip(self.groups, members, sizes, strict=True)
        choices = (group.placements(len(own), size == 2) for group, own, size in parts)
        positions = [place for own in members for place in own]
        for chosen in itertools.product(*choices):
            slots = dict(zip(positions, itertools.chain.from_iterable(chosen), strict=True))
            yield tuple(slots[place] for place in range(len(positions)))


def on_slots(values: npt.NDArray[Any], slots: Sequence[int]) -> npt.NDArray[Any]:
    """The part of an array over all slots where the others are 0, its axes in the order of `slots`."""
    index = tuple(slice(None) if slot in slots else 0 for slot in range(values.ndim))
    return values[index].transpose(np.argsort(np.argsort(slots)))


def _is_symmetric(pattern: Patterns, slots: Sequence[int]) -> bool:
    return all(np.array_equal(pattern, pattern.swapaxes(a, b)) for a, b in itertools.pairwise(slots))
