"""Interactions: what a workload of marginals and parities weighs, attribute set by attribute set.

A function on ∏ℤ_{n_i} is a sum over characters k; those that are not constant in exactly the attributes of S are the
interaction S (its functions are those of analysis of variance). A marginal over the attributes T holds the
interactions S ⊆ T, a parity over T the interaction T alone. So WᵀW has one eigenvalue for all characters of S, n·g_S,
and a mechanism that is invariant under shifts, whose information has the eigenvalue n·λ_k, has for every type the

    variance per user  =  Σ_S g_S Σ_{k on S} (1/λ_k − 1),
    g_S  =  Σ_{marginals T ⊇ S} weight²/n_T  +  Σ_{parities S} weight².

No number here grows with the domain.
"""

from __future__ import annotations

import itertools
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lowkey.checks import Vector

Subset = tuple[int, ...]
Masks = npt.NDArray[np.int64]

SAME = 1e-12  # the relative difference of two weights that count as equal
MASK_LIMIT = 24  # attributes whose subsets are all numbered at once: 128 MiB of doubles


@dataclass(frozen=True)
class Table:
    """Queries start, start + 1, … of a workload: the cells of the marginal over `attributes`, row-major, × weight.

    Or, if `is_parity`, one query: the parity of these binary attributes.
    """

    attributes: Subset
    weight: float
    start: int
    is_parity: bool = False

    def queries(self, sizes: tuple[int, ...]) -> int:
        """How many queries the table is."""
        return 1 if self.is_parity else math.prod(sizes[attribute] for attribute in self.attributes)


def parity_signs(attributes: int) -> Vector:
    """What the parity of so many binary attributes counts a person as, by their cell."""
    odd = np.indices((2,) * attributes).sum(axis=0).reshape(-1) % 2
    signs: Vector = 1.0 - 2.0 * odd
    return signs


@dataclass(frozen=True)
class Interactions:
    """The sizes of the attributes, and g_S of every non-empty S (ascending) that some query needs.

    `total` is g of the empty set: the number of people, which is known and costs nothing.
    """

    sizes: tuple[int, ...]
    weights: Mapping[Subset, float]
    total: float = 0.0

    def dimension(self, subset: Subset) -> int:
        """How many characters the interaction has: ∏ (n_i − 1)."""
        return math.prod(self.sizes[attribute] - 1 for attribute in subset)


def interactions_of(sizes: tuple[int, ...], tables: Iterable[Table]) -> Interactions:
    """The weights g_S of the tables' queries together; attributes with a single value play no part."""
    marginals: defaultdict[Subset, float] = defaultdict(float)
    parities: defaultdict[Subset, float] = defaultdict(float)
    for table in tables:
        varying = tuple(sorted(attribute for attribute in table.attributes if sizes[attribute] > 1))
        if table.is_parity:
            parities[varying] += table.weight**2
        else:
            marginals[varying] += table.weight**2 / math.prod(sizes[attribute] for attribute in varying)
    weights = _sums_above(marginals, tuple(sorted({attribute for subset in marginals for attribute in subset})))
    for subset, square in parities.items():
        weights[subset] = weights.get(subset, 0.0) + square
    return Interactions(sizes, weights, weights.pop((), 0.0))


def _sums_above(shares: Mapping[Subset, float], attributes: Subset) -> dict[Subset, float]:
    """For every subset of some key, the sum of the values of the keys that hold it: in the way that takes less."""
    visits = sum(2 ** len(subset) for subset in shares)
    if len(attributes) <= MASK_LIMIT and visits > 2 ** len(attributes):
        return _sums_over_masks(shares, attributes)
    return _sums_one_by_one(shares)


def _sums_one_by_one(shares: Mapping[Subset, float]) -> dict[Subset, float]:
    sums: defaultdict[Subset, float] = defaultdict(float)
    for above, share in shares.items():
        for degree in range(len(above) + 1):
            for subset in itertools.combinations(above, degree):
                sums[subset] += share
    return dict(sums)


def _sums_over_masks(shares: Mapping[Subset, float], attributes: Subset) -> dict[Subset, float]:
    """One attribute after the other: what a set with it has, the set without it gets too."""
    sums = np.zeros(2 ** len(attributes))
    sums[_masks(_membership(shares, attributes)).astype(np.int64)] = list(shares.values())
    for place in range(len(attributes)):
        pairs = sums.reshape(-1, 2, 2**place)
        pairs[:, 0] += pairs[:, 1]
    masks = np.flatnonzero(sums)
    return dict(zip(_subsets(masks, attributes), sums[_by_degree(masks)].tolist(), strict=True))


def _membership(subsets: Iterable[Subset], attributes: Subset) -> npt.NDArray[np.bool_]:
    """A row an attribute, a column a subset: whether it holds the attribute."""
    listed = list(subsets)
    place = np.zeros(max(attributes, default=0) + 1, dtype=np.intp)
    place[list(attributes)] = range(len(attributes))
    members = np.fromiter(itertools.chain.from_iterable(listed), dtype=np.intp)
    contains = np.zeros((len(attributes), len(listed)), dtype=np.bool_)
    contains[place[members], np.repeat(np.arange(len(listed)), list(map(len, listed)))] = True
    return contains


def _masks(contains: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64 | np.object_]:
    """Each column as a number: Python's own where 64 bits do not do."""
    kind: type[np.int64 | np.object_] = np.int64 if len(contains) < 63 else np.object_
    masks: npt.NDArray[np.int64 | np.object_] = np.zeros(contains.shape[1], dtype=kind)
    for place, row in enumerate(contains):
        masks[row] |= 1 << place
    return masks


def _by_degree(masks: Masks) -> Masks:
    """The masks, those with few ones first."""
    return masks[np.argsort(np.bitwise_count(masks), kind="stable")]


def _subsets(masks: Masks, attributes: Subset) -> Iterator[Subset]:
    """The sets that masks stand for, by degree."""
    names, places = np.array(attributes, dtype=np.int64), np.arange(len(attributes))
    degrees = np.bitwise_count(masks)
    for degree in range(len(attributes) + 1):
        members = np.nonzero(masks[degrees == degree, None] >> places & 1)[1]
        yield from map(tuple, names[members].reshape(-1, degree).tolist()) if degree else [()] * (degrees == 0).sum()


# -- attributes that are alike -----------------------------------------------------------


def classes(interactions: Interactions) -> tuple[Subset, ...]:
    """The attributes with more than one value, in classes: of one size, and any two may change places in all g_S.

    >>> weights = {(0,): 1.0, (1,): 1.0, (0, 1): 0.5, (2,): 1.0}
    >>> classes(Interactions((2, 2, 2), weights))
    ((0, 1), (2,))
    """
    family = _Family.of(interactions)
    found: list[list[int]] = []
    for place in range(len(family.attributes)):
        home = next((group for group in found if family.are_alike(group[0], place)), None)
        if home is None:
            found.append([place])
        else:
            home.append(place)
    return tuple(tuple(family.attributes[place] for place in group) for group in found)


@dataclass(frozen=True)
class _Family:
    """The subsets with a weight as masks, ascending."""

    attributes: Subset
    sizes: tuple[int, ...]
    contains: npt.NDArray[np.bool_]
    masks: npt.NDArray[np.int64 | np.object_]
    weights: Vector

    @classmethod
    def of(cls, interactions: Interactions) -> _Family:
        attributes = tuple(place for place, size in enumerate(interactions.sizes) if size > 1)
        contains = _membership(interactions.weights, attributes)
        masks = _masks(contains)
        order = np.argsort(masks)
        weights = np.fromiter(interactions.weights.values(), dtype=np.float64)
        sizes = tuple(interactions.sizes[attribute] for attribute in attributes)
        return cls(attributes, sizes, contains[:, order], masks[order], weights[order])

    def are_alike(self, one: int, other: int) -> bool:
        """Whether every set with one attribute and without the other weighs what it does with them exchanged."""
        if self.sizes[one] != self.sizes[other]:
            return False
        ours = self.contains[one] & ~self.contains[other]
        theirs = self.contains[other] & ~self.contains[one]
        if ours.sum() != theirs.sum():
            return False
        exchanged = self.masks[ours] ^ (1 << one | 1 << other)
        order = np.argsort(exchanged)
        same = bool((exchanged[order] == self.masks[theirs]).all())
        return same and bool(np.allclose(self.weights[ours][order], self.weights[theirs], rtol=SAME, atol=0.0))
