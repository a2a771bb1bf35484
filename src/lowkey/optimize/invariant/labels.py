"""Labels: from a pool in which labels are alike to one that says which labels a pattern holds.

Where labels are alike, only the energy of a whole interaction counts; a real mechanism has it spread evenly over the
interaction's characters if it draws the labels' order too. Instead each pattern becomes a few copies with their labels
in random orders, and moves in place even out what is left.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from lowkey.optimize.invariant import starts
from lowkey.optimize.invariant.orbits import Orbits
from lowkey.optimize.invariant.pool import Pool
from lowkey.optimize.invariant.slots import Slots

COVERING = 1e-3  # share of the patterns that see all labels, where the others happen to miss some


def told_apart(pool: Pool, copies: int, rng: np.random.Generator) -> Pool:
    """About `copies` patterns: of each of the pool's patterns as many as its share asks for, and at least one."""
    orbits = Orbits(pool.orbits.interactions, pool.orbits.classes, labels_alike=False)
    found = Pool(orbits, pool.high)
    slots = {old.classes: Slots(orbits, old.classes) for old in pool.slots}
    weights = []
    for old, pattern, weight in zip(pool.slots, pool.patterns, pool.weights, strict=True):
        count = max(1, round(copies * weight)) if max(old.shape) > 2 else 1
        made = [_relabelled(pattern, old.shape, rng) for _ in range(count)]
        found.add(slots[old.classes], np.stack(made))
        weights += [weight / count] * count
    found.weights = np.array(weights)
    if found.is_blind:
        for one in slots.values():
            found.add(one, starts.one_cell(one), share=COVERING)
    return found


def _relabelled(
    pattern: npt.NDArray[np.bool_], shape: tuple[int, ...], rng: np.random.Generator
) -> npt.NDArray[np.bool_]:
    """The pattern with the values of each slot in another order."""
    orders = [rng.permutation(size) for size in shape]
    changed: npt.NDArray[np.bool_] = pattern.reshape(shape)[np.ix_(*orders)].reshape(-1)
    return changed
