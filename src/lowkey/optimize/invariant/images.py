"""Images: how many different outputs a base pattern comes to once they are listed over the whole domain."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from lowkey.optimize.invariant.slots import Slots

MOST_CELLS = 32  # of slots whose images are counted, at most five; beyond, the reports are


def listed_outputs(slots: Slots, pattern: npt.NDArray[np.bool_]) -> int:
    """At most so many: patterns that some order or shift gives twice are counted once."""
    table = pattern.reshape(slots.shape)
    is_layered = _is_layered(slots, table)
    if slots.cells > MOST_CELLS:
        return slots.cells * _attribute_sets(slots) if is_layered else slots.outputs
    orders = [tuple(range(table.ndim))] if is_layered else list(_orders(slots))
    turned = np.stack([table.transpose(order).reshape(-1) for order in orders])
    images = np.unique(np.packbits(turned[:, slots.differences].reshape(-1, slots.cells), axis=1), axis=0)
    return len(images) * _attribute_sets(slots)


def _is_layered(slots: Slots, table: npt.NDArray[np.bool_]) -> bool:
    """Whether no order of the slots of a class changes the pattern."""
    neighbours = itertools.pairwise(range(len(slots.classes)))
    same = ((a, b) for a, b in neighbours if slots.classes[a] == slots.classes[b])
    return all(np.array_equal(table, table.swapaxes(a, b)) for a, b in same)


def _orders(slots: Slots) -> Iterator[tuple[int, ...]]:
    """The ways to rearrange the slots within their classes, which lie side by side."""
    runs = [list(run) for _, run in itertools.groupby(range(len(slots.classes)), key=slots.classes.__getitem__)]
    for orders in itertools.product(*(itertools.permutations(run) for run in runs)):
        yield tuple(itertools.chain.from_iterable(orders))


def _attribute_sets(slots: Slots) -> int:
    members = slots.orbits.classes
    return math.prod(
        math.comb(len(members[number]), slots.classes.count(number)) for number in sorted(set(slots.classes))
    )
