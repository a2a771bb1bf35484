"""A junta's outputs as patterns over the whole domain, where that is small."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from lowkey.checks import Vector
from lowkey.mechanisms.merge import Packed, merge_equal, unpacked
from lowkey.mechanisms.outputs import Reports
from lowkey.mechanisms.places import Numbers, cells_of, places_of, subtract
from lowkey.mechanisms.slots import Junta
from lowkey.mechanisms.strategy_matrices import Patterns

BLOCK_ENTRIES = 2**22


def strategy_rows(junta: Junta, reports: Reports, sizes: Sequence[int]) -> Iterator[Patterns]:
    """Which cells the reports favour, one row a report, in blocks."""
    places = places_of(np.arange(math.prod(sizes)), sizes).T
    flat, shape = junta.pattern.ravel(), np.array(junta.pattern.shape)
    step = max(1, BLOCK_ENTRIES // places.shape[1])
    for start in range(0, len(reports.shifts), step):
        rows = slice(start, start + step)
        own = places[reports.attributes[rows]]  # reports × slots × cells
        drawn = (own - reports.shifts[rows][:, :, None]) % shape[:, None]
        yield flat[cells_of(drawn.transpose(0, 2, 1), junta.pattern.shape)]


def junta_rows(junta: Junta, sizes: Sequence[int], scale: float) -> tuple[Packed, Vector]:
    """The different patterns of a junta's outputs, and their weights, which add up to cells · scale.

    Draws of the same attributes in another order, and all shifts, give images of the pattern over the same slots:
    those are told apart once, over the slots, and then laid over each set of attributes.
    """
    images, counts = _images(junta)
    places = places_of(np.arange(math.prod(sizes)), sizes)
    parts = []
    for chosen in _attribute_sets(junta):
        cells = cells_of(places[:, chosen], junta.pattern.shape)
        rows = np.packbits(images[:, cells], axis=1)
        parts.append((rows, scale / junta.draws * counts))
    return merge_equal(parts)


def rows_at_most(junta: Junta) -> int:
    """As many rows as `junta_rows` looks at, before it knows how many are the same."""
    orders = math.prod(math.factorial(len(pool.slots)) for pool in junta.groups if pool.ordered)
    sets = math.prod(math.comb(len(pool.attributes), len(pool.slots)) for pool in junta.groups)
    images: int = min(orders * junta.pattern.size, 2**junta.pattern.size)
    return sets * images


def _images(junta: Junta) -> tuple[Patterns, Vector]:
    """Different patterns over the slots' cells by reordering slots of a pool and shifting, and how often each comes."""
    cells = np.arange(junta.pattern.size)
    shifted = subtract(cells[None, :], cells[:, None], junta.pattern.shape)
    blocks = (np.packbits(order.ravel()[shifted], axis=1) for order in _orders(junta))
    packed, counts = merge_equal((block, np.ones(len(block))) for block in blocks)
    return unpacked(packed, junta.pattern.size), counts


def _orders(junta: Junta) -> Iterator[Patterns]:
    ordered = [pool for pool in junta.groups if pool.ordered]
    for choice in itertools.product(*(itertools.permutations(pool.slots) for pool in ordered)):
        axes = np.arange(junta.pattern.ndim)
        for pool, slots in zip(ordered, choice, strict=True):
            axes[list(pool.slots)] = slots
        yield junta.pattern.transpose(axes)


def _attribute_sets(junta: Junta) -> Iterator[Numbers]:
    """One draw, in ascending order in each pool, for every set of attributes."""
    choices = (itertools.combinations(pool.attributes, len(pool.slots)) for pool in junta.groups)
    for chosen in itertools.product(*choices):
        drawn = np.empty(junta.pattern.ndim, dtype=np.int64)
        for pool, attributes in zip(junta.groups, chosen, strict=True):
            drawn[list(pool.slots)] = attributes
        yield drawn
