"""Which slots a mechanism has that draws attributes, and what the workload is over them."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, reduce

import numpy as np

from lowkey.analysis.slot_grams import kind_of, slot_grams
from lowkey.checks import Matrix, Vector
from lowkey.errors import TooLarge, format_size
from lowkey.mechanisms.draws import Draws, slots_of
from lowkey.mechanisms.pools import Pool
from lowkey.workloads.interactions import Interactions, Subset, classes
from lowkey.workloads.ordered import OrderedInteractions

WANTED, WANTED_RARE_ONES = 8, 16  # cells of the slots up to which there are more than the queries need
RARE_ONES = 2.5  # ε from which on rows have few ones, and more slots are worth their while
COMFORTABLE = 1024  # cells of value and slots, up to which that is so
MOST_CELLS = 4096


@dataclass(frozen=True, eq=False)
class Layout:
    """The pool of each slot; cells are numbered row-major, the ordered attribute's value first."""

    ordered: OrderedInteractions
    pools: tuple[Subset, ...]

    @property
    def values(self) -> int:
        return self.ordered.values

    @property
    def slot_sizes(self) -> tuple[int, ...]:
        return tuple(self.ordered.sizes[pool[0]] for pool in self.pools)

    @property
    def cells(self) -> int:
        return self.values * math.prod(self.slot_sizes)

    @cached_property
    def draws(self) -> Draws:
        return Draws(tuple(Pool(pool, slots, True) for pool, slots in slots_of(self.pools).items()))

    @cached_property
    def gram(self) -> Matrix:
        """Of a workload over the cells that costs what the whole one does: Σ_T A'_T ⊗ P_T times the slots' cells."""
        grams = slot_grams(self.ordered, self.draws)
        slots = range(len(self.pools))
        projectors: dict[tuple[int, ...], Matrix] = {}
        for number in range(2 ** len(self.pools)):
            subset = [slot for slot in slots if number >> slot & 1]
            kind = kind_of(subset, self.draws)
            if kind in grams:
                projectors[kind] = projectors.get(kind, 0.0) + self._projector(subset)
        total = np.zeros((self.cells, self.cells))
        for kind, projector in projectors.items():
            total += np.kron(grams[kind], projector)
        return total * math.prod(self.slot_sizes)

    @property
    def squares(self) -> Vector:
        """The diagonal of the whole workload's WᵀW, for the value of each cell."""
        return np.repeat(self.ordered.diagonal, math.prod(self.slot_sizes))

    def _projector(self, subset: Sequence[int]) -> Matrix:
        parts = []
        for slot, size in enumerate(self.slot_sizes):
            even = np.full((size, size), 1 / size)
            parts.append(np.eye(size) - even if slot in subset else even)
        return reduce(np.kron, parts)


def layout_of(ordered: OrderedInteractions, epsilon: float) -> Layout:
    """Attributes that are alike share their slots; those of one size do where there would be too many slots otherwise.

    A pool has as many slots as its attributes are asked for together, and more where cells are few.
    """
    for pools in (_alike(ordered), _of_one_size(ordered)):
        if not pools:
            return _with_slots(ordered, [(_smallest(ordered),)], [1])
        counts = [max(len(set(pool) & set(subset)) for subset in ordered.subsets) for pool in pools]
        layout = _with_slots(ordered, pools, counts)
        if layout.cells <= MOST_CELLS:
            return _grown(ordered, pools, counts, WANTED if epsilon < RARE_ONES else WANTED_RARE_ONES)
    raise TooLarge(
        "what queries ask of together",
        f"the ordered attribute with {layout.values:,} values and others, {format_size(layout.cells)} combinations",
        f"at most {MOST_CELLS:,}",
        "Use coarser bins for the ordered attribute, or tables of fewer attributes.",
    )


def _grown(ordered: OrderedInteractions, pools: Sequence[Subset], counts: list[int], wanted: int) -> Layout:
    """A slot more for the pool with most attributes a slot, as long as that is wanted and comfortable."""
    layout = _with_slots(ordered, pools, counts)
    while free := [p for p, pool in enumerate(pools) if counts[p] < len(pool)]:
        chosen = max(free, key=lambda p: len(pools[p]) / counts[p])
        counts = [count + (p == chosen) for p, count in enumerate(counts)]
        larger = _with_slots(ordered, pools, counts)
        if larger.cells > min(COMFORTABLE, wanted * ordered.values):
            break
        layout = larger
    return layout


def _with_slots(ordered: OrderedInteractions, pools: Sequence[Subset], counts: Sequence[int]) -> Layout:
    return Layout(ordered, tuple(pool for pool, count in zip(pools, counts, strict=True) for _ in range(count)))


def _alike(ordered: OrderedInteractions) -> tuple[Subset, ...]:
    """Attributes that may change places in all A_S, told by one number of each; only those that are asked for."""
    weights = {subset: float(ordered.gram(subset).ravel() @ _probe(ordered.values)) for subset in ordered.subsets}
    asked = _asked(ordered)
    found = classes(Interactions(ordered.sizes, {subset: w for subset, w in weights.items() if subset}))
    return tuple(pool for pool in found if pool[0] in asked)


def _probe(values: int) -> Vector:
    """Numbers with which different Gram matrices do not weigh the same by chance."""
    return np.random.default_rng(0).uniform(1, 2, values**2)


def _of_one_size(ordered: OrderedInteractions) -> tuple[Subset, ...]:
    pools: defaultdict[int, list[int]] = defaultdict(list)
    for attribute in sorted(_asked(ordered)):
        pools[ordered.sizes[attribute]].append(attribute)
    return tuple(map(tuple, pools.values()))


def _smallest(ordered: OrderedInteractions) -> int:
    """The attribute with the fewest values, where no query sees any of the others: a slot costs least for it."""
    others = [attribute for attribute in range(len(ordered.sizes)) if attribute != ordered.attribute]
    return min(others, key=lambda attribute: ordered.sizes[attribute])


def _asked(ordered: OrderedInteractions) -> set[int]:
    """The other attributes that some query sees."""
    return {attribute for subset in ordered.subsets for attribute in subset}
