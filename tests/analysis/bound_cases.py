"""Small problems, strategies at random, and the obvious slow optimum.

Every pattern is tried. An interior point method on some, all 2ⁿ priced, until none is left:

    minimise tr[X⁻¹G], X = Σ_s w_s ssᵀ/(πᵀs), over w ≥ 0 with Σ_s w_s s = 1, s ∈ {1, e^ε}ⁿ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lowkey import workloads
from lowkey.checks import Matrix, Vector
from lowkey.mechanisms.dense import DenseMechanism

CASES = [
    workloads.histogram(3),
    workloads.prefix(5),
    workloads.all_range(4),
    workloads.k_way_marginals([2, 2, 2], 2),
    workloads.parity(2, 1),
    workloads.from_matrix([[1.0, 0.0, 0.0, 3.0], [0.5, -1.0, 2.0, 0.0]]),
]


RIDGE = 1e-5


def skewed(n: int) -> Vector:
    """Weights 1, 2, …, n."""
    prior: Vector = np.arange(1, n + 1) / (n * (n + 1) / 2)
    return prior


def random_strategy(n: int, epsilon: float, rng: np.random.Generator) -> DenseMechanism:
    """Rows anywhere within the ratio e^ε: two levels, or values between; and a last row with what is missing."""
    rows = np.exp(epsilon * (rng.random((4 * n, n)) < rng.random((4 * n, 1)))).T
    if rng.random() < 0.5:
        rows = np.exp(epsilon * rng.random((4 * n, n))).T
    rows = rows * rng.exponential(size=4 * n) ** 2
    missing = np.exp(epsilon / 2) * rows.sum(axis=1).max() - rows.sum(axis=1)
    strategy = np.column_stack([rows, missing, np.ones(n) * 1e-3])
    strategy = _within(strategy / strategy.sum(axis=1, keepdims=True), epsilon)
    return DenseMechanism(strategy.T, epsilon)


def _within(strategy: Matrix, epsilon: float) -> Matrix:
    """Mixed with uniform reports until no row's ratio exceeds e^ε."""
    for share in np.linspace(0, 1, 101):
        mixed: Matrix = (1 - share) * strategy + share / len(strategy.T)
        if (mixed.max(axis=0) <= np.exp(epsilon) * mixed.min(axis=0)).all():
            break
    return mixed


@dataclass(frozen=True)
class Optimum:
    """The best strategy found, what it attains on average over the prior, and how far below the optimum may be."""

    value: float
    gap: float
    middle: Matrix
    multipliers: Vector
    strategy: Matrix


def all_patterns(n: int, epsilon: float) -> Matrix:
    """{1, e^ε}ⁿ without the constant rows but one, a pattern a column."""
    bits = np.arange(2**n - 1)[:, None] >> np.arange(n) & 1
    patterns: Matrix = 1 + np.expm1(epsilon) * bits.T
    return patterns


def exact_optimum(gram: Matrix, epsilon: float, prior: Vector, tolerance: float = 1e-9) -> Optimum:
    """Column generation with exact pricing; `gap` is relative and itself proved by the last pricing.

    Where the workload is singular X would become so too: a little of Histogram is asked for besides. `value` is still
    attained, and is above the optimum by about RIDGE.
    """
    gram, asked = gram + ridge(gram) * np.eye(len(gram)), gram
    everything = all_patterns(len(gram), epsilon)
    chosen = {0, *(2**u for u in range(len(gram)))} if len(everything.T) > 300 else set(range(len(everything.T)))
    while True:
        rows = np.array(sorted(chosen))
        patterns = everything[:, rows]
        weights, multipliers = interior_point(patterns, gram, prior, tolerance)
        inverse = np.linalg.inv((patterns * (weights / (prior @ patterns))) @ patterns.T)
        middle = inverse @ gram @ inverse
        total = float(np.trace(inverse @ gram))
        ratio = np.einsum("us,us->s", everything, middle @ everything) / (prior @ everything)
        ratio /= multipliers @ everything
        gap = float(total - total**2 / (ratio.max() * multipliers.sum())) / total
        if gap < 10 * tolerance or set(np.flatnonzero(ratio > 1 + tolerance)) <= chosen:
            value = float(np.trace(inverse @ asked)) - float(prior @ asked.diagonal())
            return Optimum(value, gap, middle, multipliers, (patterns * weights).T)
        chosen = {int(row) for row, weight in zip(rows, weights, strict=True) if weight > 1e-9}
        chosen |= {int(row) for row in np.argsort(-ratio)[: 8 * len(gram)] if ratio[row] > 1 + tolerance}


def ridge(gram: Matrix) -> float:
    singular = np.linalg.matrix_rank(gram, hermitian=True) < len(gram)
    return RIDGE * float(np.trace(gram)) / len(gram) if singular else 0.0


def interior_point(patterns: Matrix, gram: Matrix, prior: Vector, tolerance: float) -> tuple[Vector, Vector]:
    """Newton steps on tr[X⁻¹G] − β Σ log w_s with falling β; the weights and the multipliers of Σ w_s s = 1."""
    columns = patterns / np.sqrt(prior @ patterns)
    weights = np.full(len(columns.T), 1 / float(patterns.sum(axis=1).mean()))
    barrier, multipliers = np.inf, np.zeros(len(gram))
    for _ in range(200):
        inverse = np.linalg.inv((columns * weights) @ columns.T)
        middle = inverse @ gram @ inverse
        slope = np.einsum("us,us->s", columns, middle @ columns)
        total = float(weights @ slope)
        barrier = min(barrier, total / len(weights))
        if barrier * len(weights) < tolerance * total:
            break
        hessian = 2 * (columns.T @ inverse @ columns) * (columns.T @ middle @ columns) + np.diag(barrier / weights**2)
        solved = np.linalg.solve(hessian, np.column_stack([patterns.T, -slope - barrier / weights]))
        residual = 1 - patterns @ weights
        multipliers = np.linalg.solve(patterns @ solved[:, :-1], -residual - patterns @ solved[:, -1])
        step = -(solved[:, -1] + solved[:, :-1] @ multipliers)
        shrinking = step < 0
        length = min(1.0, 0.95 * float((-weights[shrinking] / step[shrinking]).min(initial=np.inf)))
        weights = weights + length * step
        barrier *= 0.2 if length > 0.5 else 1.0
    return weights, multipliers
