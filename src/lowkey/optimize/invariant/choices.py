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
    numbers = range(len(orbits.classes))
    for count in range(1, MOST_SLOTS + 1):
        for classes in itertools.combinations_with_replacement(numbers, count):
            if _are_few_cells(orbits, classes) and _exist(orbits, classes):
                yield classes


def _are_few_cells(orbits: Orbits, classes: Sequence[int]) -> bool:
    return math.prod(orbits.sizes[number] for number in classes) <= MOST_CELLS


def _exist(orbits: Orbits, classes: Sequence[int]) -> bool:
    """Whether there are as many different attributes in each class."""
    return all(classes.count(number) <= len(orbits.classes[number]) for number in set(classes))
