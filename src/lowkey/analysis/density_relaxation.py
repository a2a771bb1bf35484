"""The relaxation for workloads of marginals and parities on domains of any size, by densities in place of slices.

Such a workload is invariant under translations of ∏ℤ_{n_i}, and under exchanges of attributes that are alike. So
functions of how many attributes of each kind differ are enough for N, K and their transforms N̂ and m, as in
`invariant_relaxation`, whose bound on the patterns with k ones depends on the domain only through these kinds and the
share of ones κ = k/n. With N and δ times k,

    c  ≤  max over κ of  max( N̂(0) + δ(1/κ − 1),  κ ((e^ε − 1)/(1 + (e^ε − 1)κ))² m_χ + N̂(χ) − δ for χ ≠ 0 ),

for all κ in [1/n, 1], more than the n slices, and that may be 2¹⁰⁰. N and δ are searched for at some κ and then held
constant on many short intervals, where the first term is largest at an end, the second at an end or at 1/(e^ε − 1).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import replace
from functools import reduce

import numpy as np

from lowkey.analysis.invariant_relaxation import Classes, Densities, Search, variance_bound, weight_classes
from lowkey.analysis.rounding import unit
from lowkey.checks import Vector
from lowkey.workloads.interactions import SAME, Interactions, Subset, classes

MOST_CLASSES = 128  # of characters: some seconds
MOST_BITS = 1000  # of n: its doubles are finite
STEPS = 300  # quasi-Newton steps at each smoothing
STEP = 0.03  # of log κ, between the densities that multipliers are searched for
INTERVALS = 2**14  # on which they are held constant
NEGLIGIBLE = 2**-8  # relative to e^−ε: the density up to which no multipliers are needed


def density_relaxation_value(interactions: Interactions, epsilon: float) -> float:
    """The bound for the weights g_S, from below; 0 where it proves nothing or too few attributes are alike."""
    alike = classes(interactions)
    too_many = math.prod(len(kind) + 1 for kind in alike) > MOST_CLASSES
    if too_many or not interactions.weights or math.prod(interactions.sizes).bit_length() > MOST_BITS:
        return 0.0
    weights, error = _by_kind(interactions, alike), (len(interactions.sizes) + 1) * SAME
    scale, kinds = unit(weights), _scheme(interactions.sizes, alike)
    trace = math.fsum(kinds.sizes * (weights / scale)) * (1 + error)
    search = Search(epsilon, kinds, weights / scale * (1 - error), _some_densities(interactions.sizes, epsilon))
    whole, point = _everywhere(search, search.solve(STEPS), 1 / math.prod(interactions.sizes))
    return scale * variance_bound(*whole.proved(point), trace)


def _by_kind(interactions: Interactions, alike: Sequence[Subset]) -> Vector:
    """g of a set for each number of attributes of each kind; 0 of none. With each exchange g may differ by SAME."""
    chosen = itertools.product(*([kind[:number] for number in range(len(kind) + 1)] for kind in alike))
    sets = (tuple(sorted(itertools.chain.from_iterable(parts))) for parts in chosen)
    return np.array([interactions.weights.get(subset, 0.0) if subset else 0.0 for subset in sets])


def _scheme(sizes: tuple[int, ...], alike: Sequence[Subset]) -> Classes:
    """The products of the kinds' own classes, in the same order."""
    own = [weight_classes(len(kind), sizes[kind[0]]) for kind in alike]
    return reduce(_times, own)


def _times(one: Classes, other: Classes) -> Classes:
    return Classes(_kron(one.sizes, other.sizes), _kron(one.sums, other.sums))


def _kron(one: Vector, other: Vector) -> Vector:
    return np.asarray(np.kron(one, other), dtype=np.float64)


def _some_densities(sizes: tuple[int, ...], epsilon: float) -> Densities:
    least = max(1 / math.prod(sizes), NEGLIGIBLE * math.exp(-epsilon))
    shares = np.geomspace(least, 1.0, 2 + math.ceil(-math.log(least) / STEP))
    return Densities(shares, shares)


def _everywhere(search: Search, point: Vector, least: float) -> tuple[Search, Vector]:
    """The search on intervals that cover [least, 1], and the point with multipliers that are constant on each."""
    shares, number = search.densities.low, len(search.classes.sizes)
    ends = np.geomspace(shares[0], 1.0, INTERVALS + 1)
    middles = np.sqrt(ends[1:] * ends[:-1])
    first = len(search.kept)
    between = [np.interp(middles, shares, column) for column in point[first:].reshape(-1, number).T]
    multipliers = np.concatenate([np.zeros((1, number)), np.column_stack(between)])  # none below the first density
    low = np.concatenate([[min(least, shares[0])], ends[:-1]])
    whole = replace(search, densities=Densities(low, ends))
    return whole, np.concatenate([point[:first], multipliers.reshape(-1)])
