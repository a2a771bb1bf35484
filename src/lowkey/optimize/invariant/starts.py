"""Base patterns to begin from, each over the cells of some slots."""

from __future__ import annotations

import math

import numpy as np

from lowkey.checks import Vector
from lowkey.mechanisms.strategy_matrices import Patterns
from lowkey.optimize.invariant.slots import Slots

DENSITY = (0.2, 2.0)  # of random patterns, in units of 1/(1+e^ε)
MOST_CHARACTERS = 3
MOST_CELLS = 512  # of slots in which subgroups are looked at


def best_count(cells: int, high: float) -> int:
    """The number of ones with the most energy in all characters together, (e^ε−1)² f(1−f)/(1+(e^ε−1)f)²; not 0."""
    ones = np.arange(1, max(cells, 2))
    share = ones / cells
    return int(ones[np.argmax(share * (1 - share) / (1 + (high - 1) * share) ** 2)])


def one_cell(slots: Slots) -> Patterns:
    """The pattern of one cell, which tells something about every character: randomized response."""
    pattern = np.zeros((1, slots.cells), dtype=np.bool_)
    pattern[0, 0] = True
    return pattern


def subgroups(slots: Slots, count: int, rng: np.random.Generator) -> Patterns:
    """Cells where a few random characters are all 1: their energy lies in these characters and their products."""
    places = np.stack(np.unravel_index(np.arange(slots.cells), slots.shape), axis=1) / np.array(slots.shape)
    patterns = np.ones((count, slots.cells), dtype=np.bool_)
    for row in patterns:
        for _ in range(rng.integers(1, MOST_CHARACTERS + 1)):
            phase = places @ (rng.integers(0, slots.shape) * (rng.random(len(slots.shape)) < rng.uniform(0.2, 1)))
            row &= np.abs(phase - np.rint(phase)) < 1e-9
    return patterns[~patterns.all(axis=1)]


def at_random(slots: Slots, count: int, high: float, rng: np.random.Generator) -> Patterns:
    """Independent bits, of various densities; cell 0 is always in."""
    density = np.minimum(rng.uniform(*DENSITY, (count, 1)) / (1 + high), 0.9)
    patterns: Patterns = rng.random((count, slots.cells)) < density
    patterns[:, 0] = True
    patterns[patterns.all(axis=1), -1] = False
    return patterns


def gaussian(slots: Slots, count: int, high: float, amplitudes: Vector, rng: np.random.Generator) -> Patterns:
    """The highest cells of a random field whose characters have the amplitudes given, as many as is best."""
    noise = rng.standard_normal((2, count, slots.cells))
    field = slots.transform((noise[0] + 1j * noise[1]) * amplitudes).real
    ones = best_count(slots.cells, high)
    patterns = np.zeros((count, slots.cells), dtype=np.bool_)
    np.put_along_axis(patterns, np.argpartition(-field, ones - 1, axis=1)[:, :ones], True, axis=1)
    return patterns


def wanted_amplitudes(slots: Slots) -> Vector:
    """√λ of the spectrum at which the nuclear norm bound would be met, λ ∝ √g, up to a factor."""
    costs = slots.prices(slots.orbits.weights)
    amplitudes: Vector = costs**0.25
    return amplitudes if (amplitudes > 0).any() else np.full(slots.cells, 1 / math.sqrt(slots.cells))


def various(slots: Slots, count: int, high: float, prices: Vector, rng: np.random.Generator) -> Patterns:
    """Random patterns of all these kinds, to climb from at the prices given."""
    fresh = [at_random(slots, count, high, rng), gaussian(slots, max(count // 4, 2), high, prices**0.25, rng)]
    if slots.cells <= MOST_CELLS:
        fresh.append(subgroups(slots, count, rng))
    return np.vstack(fresh)
