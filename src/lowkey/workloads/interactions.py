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
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

Subset = tuple[int, ...]


@dataclass(frozen=True)
class Table:
    """Queries start, start + 1, … of a workload: the cells of the marginal over `attributes`, row-major, × weight.

    Or, if `is_parity`, one query: the parity of these binary attributes.
    """

    attributes: Subset
    weight: float
    start: int
    is_parity: bool = False


@dataclass(frozen=True)
class Interactions:
    """The sizes of the attributes, and g_S of every non-empty S (ascending) that some query needs."""

    sizes: tuple[int, ...]
    weights: Mapping[Subset, float]

    def dimension(self, subset: Subset) -> int:
        """How many characters the interaction has: ∏ (n_i − 1)."""
        return math.prod(self.sizes[attribute] - 1 for attribute in subset)


def interactions_of(sizes: tuple[int, ...], tables: Iterable[Table]) -> Interactions:
    """The weights g_S of the tables' queries together; attributes with a single value play no part."""
    weights: defaultdict[Subset, float] = defaultdict(float)
    for table in tables:
        varying = tuple(sorted(attribute for attribute in table.attributes if sizes[attribute] > 1))
        if table.is_parity:
            weights[varying] += table.weight**2
            continue
        share = table.weight**2 / math.prod(sizes[attribute] for attribute in varying)
        for degree in range(len(varying) + 1):
            for subset in itertools.combinations(varying, degree):
                weights[subset] += share
    weights.pop((), None)
    return Interactions(sizes, dict(weights))
