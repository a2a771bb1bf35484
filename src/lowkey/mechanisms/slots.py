"""Junta: a pattern over a few slots, and the pools of attributes that may stand for them."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from lowkey.errors import InvalidInput
from lowkey.mechanisms.places import Numbers
from lowkey.mechanisms.pools import Pool, Sequences
from lowkey.mechanisms.strategy_matrices import Patterns


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
        object.__setattr__(self, "pattern", _check_pattern(self.pattern))
        object.__setattr__(self, "pools", _check_pools(self.pools, self.pattern))

    @cached_property
    def groups(self) -> tuple[Pool, ...]:
        """The different pools, each with its slots, in the order of their first slots."""
        found = dict.fromkeys(self.pools)
        slots = {pool: tuple(s for s, other in enumerate(self.pools) if other == pool) for pool in found}
        return tuple(Pool(tuple(pool), slots[pool], not _is_symmetric(self.pattern, slots[pool])) for pool in found)

    @cached_property
    def draws(self) -> int:
        """How many draws of attributes there are."""
        return math.prod(group.draws for group in self.groups)

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
        drawn = np.empty((len(ranks), self.pattern.ndim), dtype=np.int64)
        rest = ranks
        for group in reversed(self.groups):
            rest, own = np.divmod(rest, group.draws)
            drawn[:, group.slots] = group.drawn(own)
        return drawn

    def members(self, subset: Sequence[int]) -> list[list[int]] | None:
        """For each pool, which places of `subset` hold its attributes; None if the junta cannot draw them all."""
        members = [[i for i, attribute in enumerate(subset) if attribute in group.attributes] for group in self.groups]
        fits = all(len(own) <= len(group.slots) for own, group in zip(members, self.groups, strict=True))
        return members if fits and sum(map(len, members)) == len(subset) else None

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


def _check_pattern(pattern: object) -> Patterns:
    bits = np.array(pattern)
    if bits.ndim < 1 or bits.size < 1 or bits.dtype != np.bool_:
        arrived = f"an array of shape {bits.shape} and type {bits.dtype}"
        raise InvalidInput("the junta's pattern", arrived, "an array of booleans, one axis a slot")
    bits.flags.writeable = False
    return bits


def _check_pools(pools: object, pattern: Patterns) -> tuple[tuple[int, ...], ...]:
    expected = f"{pattern.ndim} collections of different attribute numbers, one a slot"
    try:
        found = tuple(tuple(sorted(int(attribute) for attribute in pool)) for pool in pools)  # type: ignore[attr-defined]
    except (TypeError, ValueError) as error:
        raise InvalidInput("the junta's pools", pools, expected) from error
    if len(found) != pattern.ndim or any(len(set(pool)) < len(pool) or not pool or pool[0] < 0 for pool in found):
        raise InvalidInput("the junta's pools", pools, expected)
    distinct = set(found)
    if len(set(itertools.chain.from_iterable(distinct))) < sum(map(len, distinct)):
        advice = "Give the slots one and the same pool, or pools with no attribute in common."
        raise InvalidInput("the junta's pools", "overlapping without being equal", "equal or disjoint pools", advice)
    for pool in distinct:
        if found.count(pool) > len(pool):
            arrived = f"too small: {found.count(pool)} slots draw from the attributes {pool}"
            raise InvalidInput("a pool of the junta", arrived, "at least as many attributes as slots")
    return found
