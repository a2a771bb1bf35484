"""What the invariant search computes, the slow and obvious way."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
import scipy.optimize

import lowkey as lk
from lowkey.checks import Matrix, Vector
from lowkey.mechanisms.two_level import high_level
from lowkey.optimize.invariant.orbits import Orbits
from lowkey.optimize.invariant.pool import Pool
from lowkey.optimize.invariant.slots import Slots
from lowkey.workloads import Workload
from lowkey.workloads.interactions import Interactions, classes

Cell = tuple[int, ...]
HIGH = math.e

MIXED = lk.workloads.k_way_marginals([3, 2, 3, 2], 2)
TABLES = {
    "3-way, binary": lk.workloads.k_way_marginals([2] * 4, 3),
    "parities": lk.workloads.parity(4, 2),
    "all, categorical": lk.workloads.all_marginals([3, 4]),
    "2-way, mixed": MIXED,
    "stacked": lk.workloads.stack([MIXED, lk.workloads.all_marginals([3, 2, 3, 2])], weights=[1, 3]),
}


def cells_of(sizes: Sequence[int]) -> list[Cell]:
    """All cells (or characters), row-major."""
    return list(itertools.product(*(range(size) for size in sizes)))


def interactions(workload: Workload) -> Interactions:
    assert workload.interactions is not None
    return workload.interactions


def orbits(workload: Workload, labels_alike: bool) -> Orbits:
    known = interactions(workload)
    return Orbits(known, classes(known), labels_alike)


def orbit_of(orbits: Orbits, character: Cell) -> object:
    """What the characters of an orbit have in common: the values in each class, in any order, or those of −k."""
    sizes = orbits.interactions.sizes

    def values(k: Cell) -> tuple[tuple[int, ...], ...]:
        shown = [min(v, 1) for v in k] if orbits.labels_alike else list(k)
        return tuple(tuple(sorted(shown[a] for a in members)) for members in orbits.classes)

    return max(values(character), values(tuple(-v % size for v, size in zip(character, sizes, strict=True))))


def energy(pattern: npt.NDArray[np.bool_], shape: Sequence[int], character: Cell, high: float = HIGH) -> float:
    """|ŝ(k)|²/ŝ(0)² by the sum over cells."""
    levels = [high if bit else 1.0 for bit in pattern]
    total = 0j
    for level, cell in zip(levels, cells_of(shape), strict=True):
        total += level * np.exp(-2j * np.pi * sum(k * u / n for k, u, n in zip(character, cell, shape, strict=True)))
    return float(abs(total) ** 2 / sum(levels) ** 2)


def slots_of(workload: Workload, labels_alike: bool, *numbers: int) -> Slots:
    return Slots(orbits(workload, labels_alike), numbers)


def random_patterns(slots: Slots, count: int, seed: int = 0) -> npt.NDArray[np.bool_]:
    """Neither empty nor full."""
    found = np.random.default_rng(seed).random((count, slots.cells)) < 0.4
    found[:, 0], found[:, -1] = True, False
    return found


def random_pool(workload: Workload, labels_alike: bool = True, seed: int = 0, each: int = 4) -> Pool:
    """A few random patterns over the slots of each type of attributes, with random weights."""
    found = Pool(orbits(workload, labels_alike), HIGH)
    for kind in sorted(found.orbits.types):
        slots = Slots(found.orbits, found.orbits.slots_of(kind))
        patterns = random_patterns(slots, each, seed)
        patterns[0] = np.arange(slots.cells) == 0
        found.add(slots, patterns)
    found.weights = np.random.default_rng(seed).dirichlet(np.ones(len(found)))
    return found


def least(rows: Matrix, costs: Vector) -> float:
    """min Σ c/(Aᵀθ) over the simplex, by SLSQP."""
    count = len(rows)
    start = float((costs / rows.mean(axis=0)).sum())

    def value(theta: Vector) -> float:
        return float((costs / np.maximum(rows.T @ theta, 1e-300)).sum()) / start

    def gradient(theta: Vector) -> Vector:
        slope: Vector = -rows @ (costs / np.maximum(rows.T @ theta, 1e-100) ** 2) / start
        return slope

    found = scipy.optimize.minimize(
        value,
        np.full(count, 1 / count),
        jac=gradient,
        bounds=[(1e-9, 1)] * count,
        constraints=[scipy.optimize.LinearConstraint(np.ones(count), 1, 1)],
        method="SLSQP",
        options={"maxiter": 2000, "ftol": 1e-14},
    )
    return start * float(found.fun)


def every_pattern(cells: int) -> Iterable[npt.NDArray[np.bool_]]:
    """All but the empty and the full one."""
    for number in range(1, 2**cells - 1):
        yield (number >> np.arange(cells) & 1).astype(np.bool_)


def optimum(workload: Workload, epsilon: float) -> float:
    """The least variance per user of any strategy, on a small invariant workload of binary attributes.

    Every base pattern over the whole domain, a column for each character: those with one spectrum are taken once.
    """
    known = interactions(workload)
    d = len(known.sizes)
    signs = np.array([[(-1) ** (a & b).bit_count() for b in range(2**d)] for a in range(2**d)])
    levels = np.where(np.array(list(every_pattern(2**d))), high_level(epsilon), 1.0)
    spectra = ((levels @ signs) / levels.sum(axis=1, keepdims=True)) ** 2
    places = {sum(1 << (d - 1 - a) for a in subset): g for subset, g in known.weights.items()}
    rows = np.unique(spectra[:, list(places)].round(12), axis=0)
    weights = np.array(list(places.values()))
    return least(rows, weights) - float(weights.sum())
