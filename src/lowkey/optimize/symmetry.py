"""Symmetry: cells that are a value and the places of some slots, of which every shift and order is as likely.

A pattern then stands for all its images. What they tell together is the mean of what one tells over the images: an
entry for two cells depends on their values and on the differences of their slots, in any order.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from lowkey.mechanisms.draws import Draws
from lowkey.mechanisms.places import places_of
from lowkey.optimize.arrays import Array, Arrays


@dataclass(frozen=True, eq=False)
class Symmetry:
    """`orbits`: for each pair of the slots' cells which ones are its images; `means`: (pairs, orbits), one over their
    number."""

    values: int
    cells: int
    orbits: Array
    means: Array
    arrays: Arrays

    def matrix(self, matrix: Array) -> Array:
        """The mean over the images of both cells at once."""
        xp = self.arrays.xp
        by_pair = xp.permute_dims(xp.reshape(matrix, (self.values, self.cells) * 2), (0, 2, 1, 3))
        means = xp.matmul(xp.reshape(by_pair, (self.values**2, self.cells**2)), self.means)
        spread = xp.reshape(xp.take(means, self.orbits, axis=1), (self.values, self.values, self.cells, self.cells))
        return xp.reshape(xp.permute_dims(spread, (0, 2, 1, 3)), matrix.shape)

    def vector(self, vector: Array) -> Array:
        """The mean over the slots, for each value."""
        xp = self.arrays.xp
        means = xp.mean(xp.reshape(vector, (self.values, self.cells)), axis=1)
        return xp.reshape(xp.broadcast_to(means[:, None], (self.values, self.cells)), vector.shape)


def symmetry_of(values: int, slot_sizes: Sequence[int], draws: Draws, arrays: Arrays) -> Symmetry:
    """Of cells numbered row-major: the value, then the slots."""
    cells = int(np.prod(slot_sizes))
    places = places_of(np.arange(cells), slot_sizes)
    differences = (places[:, None, :] - places[None, :, :]) % np.array(slot_sizes)
    keys = np.concatenate([np.sort(differences[:, :, group.slots], axis=2) for group in draws.groups], axis=2)
    found = np.unique(keys.reshape(cells**2, -1), axis=0, return_inverse=True)[1].reshape(-1)
    sizes = np.bincount(found)
    means = np.zeros((cells**2, len(sizes)))
    means[np.arange(cells**2), found] = 1 / sizes[found]
    return Symmetry(values, cells, arrays.put(found), arrays.put(means), arrays)
