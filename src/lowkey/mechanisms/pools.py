"""Pool: attributes that slots of a pattern draw from."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass

import numpy as np

from lowkey.mechanisms.places import Numbers
from lowkey.mechanisms.ranks import subsets_of, tuples_of

Sequences = tuple[int, ...]


@dataclass(frozen=True)
class Pool:
    """Attributes (ascending) that the slots draw distinct ones from, all draws being equally likely.

    Where the pattern does not change when two of the slots swap places, a draw is a subset, in ascending order;
    otherwise (`ordered`) it is a tuple.
    """

    attributes: tuple[int, ...]
    slots: tuple[int, ...]
    ordered: bool

    @property
    def draws(self) -> int:
        count = math.perm if self.ordered else math.comb
        return count(len(self.attributes), len(self.slots))

    def drawn(self, ranks: Numbers) -> Numbers:
        """The attributes (N, slots) of draws with these numbers."""
        which = tuples_of if self.ordered else subsets_of
        return np.array(self.attributes, dtype=np.int64)[which(ranks, len(self.slots), len(self.attributes))]

    def placements(self, count: int, is_binary: bool) -> list[Sequences]:
        """The slots that `count` given attributes may stand for, each as often; one where the order is no matter.

        Binary attributes have one character each: which of them stands for which slot makes no difference.
        """
        if not self.ordered:
            return [self.slots[:count]]
        return list((itertools.combinations if is_binary else itertools.permutations)(self.slots, count))

    def chance(self, count: int) -> float:
        """That the draw holds `count` given attributes."""
        return math.perm(len(self.slots), count) / math.perm(len(self.attributes), count)

    def draws_that_know(self, count: int, asked: int) -> list[tuple[Sequences, float]]:
        """The slots for `count` of `asked` given attributes, and the chance of a draw with these there, no others."""
        rest = len(self.slots) - count
        chance = math.perm(len(self.attributes) - asked, rest) / math.perm(len(self.attributes), len(self.slots))
        if self.ordered:
            return [(slots, chance) for slots in itertools.permutations(self.slots, count)] if chance else []
        return [(self.slots[:count], chance * math.perm(len(self.slots), count))] if chance else []
