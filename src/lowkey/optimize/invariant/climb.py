"""Pricing: base patterns that a mixture lacks, climbed to by single flips.

At a mixture with energies E, a pattern with energies e would lower Σ c/E if Σ (c/E²) e exceeds Σ c/E. Over the
slots' characters that is a quadratic form over a square,

    h(s) = Σ_k μ_k |ŝ(k)|² / ŝ(0)² = (Σ_u s_u r_u) / (1ᵀs)²,    r = s ∗ K,    K the transform of μ,

so one transform gives the gain of every flip, and a flip changes r by a shift of K.
"""

from __future__ import annotations

import numpy as np

from lowkey.checks import Vector
from lowkey.mechanisms.strategy_matrices import Patterns
from lowkey.optimize.invariant.slots import Slots

LEAST_GAIN = 1e-12  # relative: what is less is rounding


def climb(slots: Slots, patterns: Patterns, prices: Vector, high: float, flips: int) -> tuple[Patterns, Vector]:
    """The patterns after up to so many best flips each, and their h."""
    bits, rise = patterns.copy(), high - 1.0
    levels = np.where(bits, high, 1.0)
    kernel = slots.kernel(prices)
    answers = slots.transform(slots.transform(levels).conj() * prices).real
    totals, squares = levels.sum(axis=1), (levels * answers).sum(axis=1)
    active = np.arange(len(bits))
    for _ in range(flips):
        moves = np.where(bits[active], -rise, rise)
        after = squares[active, None] + 2 * moves * answers[active] + rise**2 * kernel[0]
        after /= (totals[active, None] + moves) ** 2
        chosen = after.argmax(axis=1)
        rows = np.arange(len(active))
        better = after[rows, chosen] > squares[active] / totals[active] ** 2 * (1 + LEAST_GAIN)
        if not better.any():
            break
        rows, cells, moves = rows[better], chosen[better], moves[better, chosen[better]]
        active = active[better]
        squares[active] += 2 * moves * answers[active, cells] + rise**2 * kernel[0]
        totals[active] += moves
        answers[active] += moves[:, None] * slots.shifted(kernel, cells)
        bits[active, cells] ^= True
    return bits, squares / totals**2
