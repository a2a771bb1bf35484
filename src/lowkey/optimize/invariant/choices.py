"""Choices of slots: which attributes a base pattern may look at together."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence

import numpy as np

from lowkey.optimize.invariant.orbits import Orbits
from lowkey.optimize.invariant.slots import Slots

MOST_CELLS = 512  # of slots that are combined from attributes that no query combines
MOST_CHOICES = 400  # such combinations, drawn at random where there are more
MOST_SLOTS = 9


def choices_of(orbits: Orbits, rng: np.random.Generator) -> list[Slots]:
    """Slots for each type of attributes that the queries combine, and others with few cells."""
    wanted = {orbits.slots_of(kind) for kind in orbits.types}
    other = sorted(set(itertools.islice(_combinations(orbits), 20 * MOST_CHOICES)) - wanted)
    if len(other) > MOST_CHOICES:
        other = [other[place] for place in rng.choice(len(other), MOST_CHOICES, replace=False)]
    return [Slots(orbits, classes) for classes in sorted(wanted) + other]


def _combinations(orbits: Orbits) -> Iterator[tuple[int, ...]]:
    """Few slots first."""
    for count in range(1, MOST_SLOTS + 1):
        yield from _longer(orbits, (), count)


def _longer(orbits: Orbits, begun: tuple[int, ...], count: int) -> Iterator[tuple[int, ...]]:
    """The combinations with `count` slots more than those begun: classes that queries need, and few cells."""
    if count == 0:
        yield begun
        return
    for number in range(begun[-1] if begun else 0, len(orbits.classes)):
        classes = (*begun, number)
        smallest = 2 ** (count - 1)  # what the other slots come to at least
        if orbits.room[number] and _cells(orbits, classes) * smallest <= MOST_CELLS and _exist(orbits, classes):
            yield from _longer(orbits, classes, count - 1)


def _cells(orbits: Orbits, classes: Sequence[int]) -> int:
    return math.prod(orbits.sizes[number] for number in classes)


def _exist(orbits: Orbits, classes: Sequence[int]) -> bool:
    """Whether there are as many different attributes in the last class."""
    return classes.count(classes[-1]) <= len(orbits.classes[classes[-1]])
