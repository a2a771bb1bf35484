"""The obvious slow optimum: every pattern is tried. An interior point method on some, all 2ⁿ priced, until none is left.

minimise tr[X⁻¹G], X = Σ_s w_s ssᵀ/(πᵀs), over w ≥ 0 with Σ_s w_s s = 1, s ∈ {1, e^ε}ⁿ.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lowkey.checks import Matrix, Vector


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
    """Column generation with exact pricing; `gap` is relative and itself proved by the last pricing."""
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
            value = total - float(prior @ gram.diagonal())
            return Optimum(value, gap, middle, multipliers, (patterns * weights).T)
        chosen = {int(row) for row, weight in zip(rows, weights, strict=True) if weight > 1e-9}
        chosen |= {int(row) for row in np.argsort(-ratio)[: 8 * len(gram)] if ratio[row] > 1 + tolerance}


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
