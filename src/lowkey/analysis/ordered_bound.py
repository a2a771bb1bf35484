"""The nuclear norm bound of tables times queries on one ordered attribute, block by block: domains of any size.

W is invariant under shifts of all attributes but the ordered one, so a prior is taken that is uniform over these; let p
be the one over the ordered attribute's values, D = Diag(√p). With WᵀW/N = Σ_S A_S ⊗ P_S (see
`workloads/ordered.py`) the covariance Σ_π has the non-zero eigenvalues of

    D A_S D, each dim_S times, for every non-empty S,      and of P D A_∅ D P,  P = I − √p√pᵀ.

A mechanism loses nothing either when it is averaged over these shifts. The numbers g_S are taken as exact; what is
computed from them is rounded down.
"""

from __future__ import annotations

import math
from collections import defaultdict
from dataclasses import dataclass
from functools import partial

import numpy as np

from lowkey.analysis.nuclear_norm_bound import (
    best_prior,
    covariance_error,
    gradient_of,
    prior_covariance,
    rate,
    roots_of,
)
from lowkey.analysis.rounding import EPS, root_sum, unit
from lowkey.checks import Matrix, Vector
from lowkey.workloads.ordered import OrderedInteractions

MOST_VALUES = 1024  # of the ordered attribute up to which the best prior is looked for


@dataclass(frozen=True)
class Layer:
    """Sets S whose A_S are multiples c·`gram` of one matrix: Σ dim_S √c and Σ dim_S c."""

    gram: Matrix
    roots: float
    total: float
    centred: bool = False  # the empty set's

    def covariance(self, prior: Vector) -> Matrix:
        if self.centred:
            return prior_covariance(self.gram, prior)
        root = np.sqrt(prior)
        half: Matrix = self.gram * np.outer(root, root)
        return half

    def sums_below(self, prior: Vector) -> tuple[float, float]:
        """The layer's share of tr Σ^½ from below, and of tr Σ from above."""
        covariance = self.covariance(prior)
        error = (len(prior) + 8) * EPS * float(prior @ self.gram.diagonal())
        error = max(error, covariance_error(self.gram, prior)) if self.centred else error
        trace = float(np.trace(covariance)) + error
        return self.roots * root_sum(covariance, error) * (1 - 8 * EPS), self.total * trace * (1 + 8 * EPS)

    def roots_of(self, prior: Vector) -> tuple[float, Vector, Vector]:
        """The layer's shares of tr Σ^½ and of the diagonals of Σ^½ and Σ."""
        nuclear, roots, diagonal = roots_of(self.covariance(prior))
        return self.roots * nuclear, self.roots * roots, self.total * diagonal


def ordered_bound(ordered: OrderedInteractions, epsilon: float, prior: Vector) -> float:
    """The bound at one prior over the ordered attribute's values, from below."""
    scale, layers = layers_of(ordered)
    sums = [layer.sums_below(prior) for layer in layers]
    nuclear, trace = (math.fsum(column) for column in zip(*sums, strict=True))
    return scale * (rate(epsilon) * nuclear**2 * (1 - 32 * EPS) - trace * (1 + 8 * EPS))


def ordered_bound_prior(ordered: OrderedInteractions, epsilon: float) -> Vector:
    """A prior over the ordered attribute's values at which the bound is large."""
    values = ordered.values
    uniform = np.full(values, 1 / values)
    if values == 1 or values > MOST_VALUES:
        return uniform
    _, layers = layers_of(ordered)
    scale = rate(epsilon) * sum(layer.roots_of(uniform)[0] for layer in layers) ** 2
    return best_prior(values, partial(_value_and_gradient, layers, epsilon), scale)


def layers_of(ordered: OrderedInteractions) -> tuple[float, list[Layer]]:
    """A scale and, in its units, the layers: sets whose parts weigh them in the same proportions are one."""
    scale = unit(np.array([ordered.diagonal.max()]))
    kinds: defaultdict[tuple[bool, bytes], list[tuple[float, int]]] = defaultdict(list)
    for subset in ordered.subsets:
        signature = ordered.signature(subset)
        kinds[not subset, (signature / signature.max()).tobytes()].append(
            (float(signature.max()) / scale, ordered.dimension(subset))
        )
    return scale, [_layer(ordered, np.frombuffer(key), members, empty) for (empty, key), members in kinds.items()]


def _layer(ordered: OrderedInteractions, proportions: Vector, members: list[tuple[float, int]], empty: bool) -> Layer:
    roots = math.fsum(dimension * math.sqrt(c) for c, dimension in members)
    return Layer(ordered.combined(proportions), roots, math.fsum(dimension * c for c, dimension in members), empty)


def _value_and_gradient(layers: list[Layer], epsilon: float, prior: Vector) -> tuple[float, Vector]:
    shares = [layer.roots_of(prior) for layer in layers]
    nuclear = sum(share for share, _, _ in shares)
    roots = np.sum([share for _, share, _ in shares], axis=0)
    diagonal = np.sum([share for _, _, share in shares], axis=0)
    return gradient_of(nuclear, roots, diagonal, epsilon, prior)
