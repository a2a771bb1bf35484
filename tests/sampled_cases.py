"""Small mechanisms that draw attributes, with random patterns."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from lowkey.checks import Vector
from lowkey.mechanisms.sampled import SampledMechanism
from lowkey.mechanisms.two_level import high_level
from lowkey.optimize.finish import exact_weights


def random_sampled(
    sizes: tuple[int, ...],
    attribute: int,
    pools: Sequence[Sequence[int]],
    epsilon: float = 1.0,
    seed: int = 0,
    ordered_prior: Vector | None = None,
    patterns: int = 40,
) -> SampledMechanism:
    rng = np.random.default_rng(seed)
    bits = rng.random((patterns, sizes[attribute], *(sizes[pool[0]] for pool in pools))) < 0.4
    means = np.where(bits, high_level(epsilon), 1.0).reshape(patterns, sizes[attribute], -1).mean(axis=2)
    weights = exact_weights(means, np.full(patterns, 1 / (patterns * means.mean())))
    return SampledMechanism(sizes, attribute, pools, bits, weights, epsilon, ordered_prior=ordered_prior)


def slow_strategy(mechanism: SampledMechanism, report: tuple[Sequence[int], int, Sequence[int]]) -> Vector:
    """Q[(a, s, t), ·] from the definition: the row of one output."""
    attributes, pattern, shift = report
    high = math.exp(mechanism.epsilon)
    row = []
    for cell in np.ndindex(mechanism.sizes):
        slots = [(cell[a] - t) % mechanism.sizes[a] for a, t in zip(attributes, shift, strict=True)]
        favoured = mechanism.patterns[(pattern, cell[mechanism.attribute], *slots)]
        row.append(high if favoured else 1.0)
    found: Vector = np.array(row) * mechanism.weights[pattern] / (mechanism.draws.count * mechanism.slot_cells)
    return found
