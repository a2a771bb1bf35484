"""Where the optimizer starts: at random, as the paper recommends, or at a mechanism that exists."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np

from lowkey.checks import Matrix, Vector
from lowkey.errors import LowkeyError
from lowkey.mechanisms.base import Mechanism
from lowkey.mechanisms.catalogue import create
from lowkey.optimize.arrays import Array, Arrays
from lowkey.optimize.projection import Projection, project

# Catalogue strategies that the search compares with and starts from: those that are lists of outputs at any size.
STRATEGIES = (
    "randomized_response",
    "hadamard",
    "hierarchical",
    "haar",
    "fourier",
    "subset_selection",
    "block_design",
    "projective_geometry",
    "square_wave",
)
CATALOGUE_LIMIT = 1024  # cells; beyond, listing the catalogue takes longer than it is worth


class Start(NamedTuple):
    """A feasible strategy with its floor z; `rivals` are starts to compare with where this one leads."""

    projection: Projection
    floor: Array
    rivals: Callable[[], Iterator[tuple[str, Start]]] = lambda: iter(())


def random_start(outputs: int, cells: int, epsilon: float, seed: int, arrays: Arrays) -> Start:
    """The paper's start: entries from U[0, 1] projected with z = (1 + e^−ε)/(2m) everywhere."""
    target = np.random.default_rng(seed).random((outputs, cells))
    floor = np.full(outputs, (1 + math.exp(-epsilon)) / (2 * outputs))
    start = _projected(target, floor, epsilon, arrays)
    return start._replace(rivals=lambda: known_starts(outputs, cells, epsilon, arrays))


def known_starts(outputs: int, cells: int, epsilon: float, arrays: Arrays) -> Iterator[tuple[str, Start]]:
    """The catalogue's strategies of at most so many outputs, by name: for large ε one may be the optimum itself."""
    for name in STRATEGIES if cells <= CATALOGUE_LIMIT else ():
        try:
            mechanism = create(name, cells, epsilon)
        except LowkeyError:
            continue  # it does not exist for this domain
        if not mechanism.has_closed_form and mechanism.shape[0] <= outputs:
            yield name, mechanism_start(mechanism, epsilon, arrays)


def mechanism_start(mechanism: Mechanism, epsilon: float, arrays: Arrays) -> Start:
    """A mechanism's strategy with the least floor that allows it; outputs that never occur are left out."""
    strategy = mechanism.to_dense()
    strategy = strategy[strategy.max(axis=1) > 0]
    return _projected(strategy, _widest_floor(strategy, epsilon), epsilon, arrays)


def _widest_floor(strategy: Matrix, epsilon: float) -> Vector:
    """z halfway (in logarithms) between what the row's largest and smallest entries allow."""
    highest_needed = strategy.max(axis=1) * math.exp(-epsilon)
    floor: Vector = np.sqrt(highest_needed * strategy.min(axis=1))
    return floor


def _projected(target: Matrix, floor: Vector, epsilon: float, arrays: Arrays) -> Start:
    on_device = arrays.put(floor)
    return Start(project(arrays.put(target), on_device, math.exp(epsilon), arrays.xp), on_device)
