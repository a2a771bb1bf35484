"""Two-level designs and the obvious slow versions of what the optimizer computes from them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

import lowkey as lk
from lowkey.checks import Matrix, Vector
from lowkey.mechanisms import Mechanism
from lowkey.mechanisms.two_level import high_level
from lowkey.optimize.arrays import Arrays, arrays_on
from lowkey.optimize.information import Problem, problem_on
from lowkey.optimize.weights import Design
from lowkey.workloads import Workload

Patterns = npt.NDArray[np.bool_]

WORKLOADS: dict[str, Workload] = {
    "prefix": lk.workloads.prefix(7),
    "histogram": lk.workloads.histogram(6),
    "marginals": lk.workloads.k_way_marginals([2, 2, 2], 3),
    "uneven": lk.workloads.from_matrix(np.random.default_rng(8).normal(size=(9, 6)) * np.arange(1, 10)[:, None]),
}


def all_patterns(cells: int) -> Patterns:
    """Every non-constant subset of the cells."""
    numbers = np.arange(1, 2**cells - 1)
    return (numbers[:, None] >> np.arange(cells) & 1).astype(bool)


def problem_of(workload: Workload, epsilon: float, arrays: Arrays | None = None) -> Problem:
    return problem_on(workload.gram(), epsilon, arrays or arrays_on("cpu", workload.shape[1]))


def some_design(cells: int, epsilon: float, seed: int = 0, even: bool = False) -> Design:
    """Patterns with their complements at the same weight: the columns sum to 1 whatever these weights are."""
    rng = np.random.default_rng(seed)
    half = np.vstack([rng.random((3 * cells, cells)) < 0.4, np.eye(cells, dtype=bool)])
    half = half[half.any(axis=1) & ~half.all(axis=1)]
    weights = rng.dirichlet(np.ones(len(half))) / (1 + high_level(epsilon))
    patterns = np.vstack([half, ~half])
    prior = np.full(cells, 1 / cells) if even else rng.dirichlet(np.full(cells, 3.0))
    return Design(levels_of(patterns, epsilon), np.concatenate([weights, weights]), prior)


def full_design(cells: int, epsilon: float) -> Design:
    """Every pattern with the same weight."""
    levels = levels_of(all_patterns(cells), epsilon)
    return Design(levels, np.full(len(levels), 1 / levels[:, 0].sum()), np.full(cells, 1 / cells))


def levels_of(patterns: Patterns, epsilon: float) -> Matrix:
    return np.where(patterns, high_level(epsilon), 1.0)


# -- the formulas, word for word, through X itself -------------------------------------------------------------


def information(design: Design) -> Matrix:
    """X = Σ_s w_s s sᵀ / (πᵀs)."""
    rows = zip(design.levels, design.weights, strict=True)
    total: Matrix = np.sum([w * np.outer(s, s) / (design.prior @ s) for s, w in rows], axis=0)
    return total


def phi(gram: Matrix, design: Design) -> float:
    """tr[X⁻¹G] less the part that counts the people, which costs nothing: tr[Y⁻G]."""
    return float(np.trace(np.linalg.inv(information(design)) @ gram) - design.prior @ gram @ design.prior)


def gains(gram: Matrix, design: Design, levels: Matrix) -> Vector:
    """sᵀ M s / (πᵀs) with M = X⁻¹ G X⁻¹, which moves with the number of people too."""
    inverse = np.linalg.inv(information(design))
    middle = inverse @ gram @ inverse
    return np.array([s @ middle @ s / (design.prior @ s) for s in levels])


def design_of(mechanism: Mechanism, prior: Vector) -> Design:
    """Any two-level mechanism as a design, by its strategy alone."""
    strategy = mechanism.to_dense()
    weights = strategy.min(axis=1)
    return Design(strategy / weights[:, None], weights, prior)


def proved_minimum(workload: Workload, design: Design, epsilon: float) -> float:
    """What no two-level strategy beats for the design's prior, hence none at all: duality over all 2ⁿ patterns.

    φ* ≥ 1ᵀν/ρ for every ν with νᵀs > 0 and ρ = max_s g_s/(νᵀs) over every pattern; ν from the design at hand.
    """
    gram, every = workload.gram(), levels_of(all_patterns(workload.shape[1]), epsilon)
    shares = design.weights * gains(gram, design, design.levels) / (design.levels @ design.prior)
    multipliers = np.linalg.solve(information(design), shares @ design.levels)
    prices = every @ multipliers
    assert (prices > 0).all()
    ratio = float((gains(gram, design, every) / prices).max())
    return float(multipliers.sum()) / ratio - float(design.prior @ gram.diagonal())
