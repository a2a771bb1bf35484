"""Draws: which attributes the slots of a pattern stand for, drawn without looking at anyone's record."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lowkey.errors import InvalidInput
from lowkey.mechanisms.places import Numbers
from lowkey.mechanisms.pools import Pool, Sequences


@dataclass(frozen=True)
class Draws:
    """All draws from some disjoint pools, equally likely."""

    groups: tuple[Pool, ...]

    @property
    def count(self) -> int:
        return math.prod(group.draws for group in self.groups)

    @property
    def slots(self) -> int:
        return sum(len(group.slots) for group in self.groups)

    def attributes(self, ranks: Numbers) -> Numbers:
        """The attribute (N, slots) that each slot stands for, in the draws with these numbers."""
        drawn = np.empty((len(ranks), self.slots), dtype=np.int64)
        rest = ranks
        for group in reversed(self.groups):
            rest, own = np.divmod(rest, group.draws)
            drawn[:, group.slots] = group.drawn(own)
        return drawn

    def members(self, subset: Sequence[int]) -> list[list[int]] | None:
        """For each pool, which places of `subset` hold its attributes; None if no draw holds them all."""
        members = [[i for i, attribute in enumerate(subset) if attribute in group.attributes] for group in self.groups]
        fits = all(len(own) <= len(group.slots) for own, group in zip(members, self.groups, strict=True))
        return members if fits and sum(map(len, members)) == len(subset) else None

    def chance(self, members: Sequence[Sequence[int]]) -> float:
        """That a draw holds all attributes of a subset with these members."""
        return math.prod(group.chance(len(own)) for group, own in zip(self.groups, members, strict=True))


def slots_of(pools: Sequence[Sequence[int]]) -> dict[Sequences, Sequences]:
    """The different pools, each with its slots, in the order of their first slots."""
    return {tuple(pool): tuple(s for s, other in enumerate(pools) if other == pool) for pool in dict.fromkeys(pools)}


def check_pools(owner: str, pools: object, slots: int) -> tuple[Sequences, ...]:
    """The attributes that each slot may stand for, ascending: pools are equal or disjoint, and large enough."""
    expected = f"{slots} collections of different attribute numbers, one a slot"
    try:
        found = tuple(tuple(sorted(int(attribute) for attribute in pool)) for pool in pools)  # type: ignore[attr-defined]
    except (TypeError, ValueError) as error:
        raise InvalidInput(f"the pools of {owner}", pools, expected) from error
    if len(found) != slots or any(len(set(pool)) < len(pool) or not pool or pool[0] < 0 for pool in found):
        raise InvalidInput(f"the pools of {owner}", pools, expected)
    distinct = set(found)
    if len(set(itertools.chain.from_iterable(distinct))) < sum(map(len, distinct)):
        advice = "Give the slots one and the same pool, or pools with no attribute in common."
        raise InvalidInput(
            f"the pools of {owner}", "overlapping without being equal", "equal or disjoint pools", advice
        )
    for pool in distinct:
        if found.count(pool) > len(pool):
            arrived = f"too small: {found.count(pool)} slots draw from the attributes {pool}"
            raise InvalidInput(f"a pool of {owner}", arrived, "at least as many attributes as slots")
    return found
