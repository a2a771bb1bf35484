"""A workload of ordered interactions seen from a few slots, which stand for attributes drawn at random.

With X_T the information on the slots T, averaged over the slots' orders, a mechanism that draws attributes for them has
X_S = chance_S · X_T on a set S of attributes, T being any slots of the same pools and chance_S how likely all of S are
drawn. So the variance Σ_S dim_S tr[X_S⁻¹ A_S] is that of a workload over the slots alone,

    Σ_T dim_T tr[X_T⁻¹ A'_T],      A'_T = Σ_{S of T's pools} A_S / (chance_S · number of such T).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from lowkey.checks import Matrix, Vector
from lowkey.mechanisms.draws import Draws
from lowkey.mechanisms.invariant import not_answerable
from lowkey.workloads.ordered import OrderedInteractions

Kind = tuple[int, ...]  # how many slots, or attributes, of each pool


def slot_grams(ordered: OrderedInteractions, draws: Draws) -> dict[Kind, Matrix]:
    """A'_T by the kind of T. Raises QueryNotAnswerable where no draw holds all attributes of some query."""
    sums: dict[Kind, Vector] = {}
    for subset in ordered.subsets:
        members = draws.members(subset)
        if members is None:
            raise not_answerable(subset)
        kind = tuple(map(len, members))
        number = math.prod(math.comb(len(group.slots), count) for group, count in zip(draws.groups, kind, strict=True))
        share = ordered.signature(subset) / (draws.chance(members) * number)
        sums[kind] = sums.get(kind, 0.0) + share
    return {kind: ordered.combined(total) for kind, total in sums.items()}


def kind_of(slots: Sequence[int], draws: Draws) -> Kind:
    """Of a set of slots."""
    return tuple(sum(slot in group.slots for slot in slots) for group in draws.groups)


class Characters:
    """The characters of the slots, those that an order of the slots makes one of another as one orbit.

    `orbits`: the orbit of each character, row-major over the slots. `kinds`: of each orbit's slots. `sizes`: how many
    characters each has. Orbit 0 is the constant.
    """

    def __init__(self, slot_sizes: Sequence[int], draws: Draws) -> None:
        known: dict[tuple[int, ...], int] = {}
        self.kinds: list[Kind] = []
        orbits = []
        for character in itertools.product(*map(range, slot_sizes)):
            key = tuple(itertools.chain.from_iterable(sorted(character[s] for s in g.slots) for g in draws.groups))
            if key not in known:
                known[key] = len(known)
                self.kinds.append(kind_of([slot for slot, place in enumerate(character) if place], draws))
            orbits.append(known[key])
        self.orbits: npt.NDArray[np.intp] = np.array(orbits)
        self.sizes = np.bincount(self.orbits)
