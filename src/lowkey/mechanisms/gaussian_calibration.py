"""How much Gaussian noise (ε, δ) asks for, exactly.

B. Balle and Y.-X. Wang, "Improving the Gaussian mechanism for differential privacy: analytical calibration
and optimal denoising", ICML 2018, theorem 8: with a = Δ/2σ − εσ/Δ and b = −Δ/2σ − εσ/Δ the mechanism is (ε,
δ)-DP if and only if Φ(a) − e^ε Φ(b) ≤ δ.
"""

from __future__ import annotations

import math
import numbers

from scipy.optimize import brentq
from scipy.special import erfcx, ndtr

from lowkey.errors import InvalidInput

SMALLEST, LARGEST = 1e-8, 1e40  # σ/Δ is looked for between these
SAFETY = 1e-8  # relative; above the error of δ's evaluation and of the root


def gaussian_delta(epsilon: float, noise: float) -> float:
    """The smallest δ at which Gaussian noise of σ = noise·Δ is (ε, δ)-DP.

    Because b² − a² = 2ε, e^ε Φ(b) = ½ exp(−a²/2) erfcx(−b/√2): nothing overflows and nothing underflows
    early.

    >>> round(gaussian_delta(1.0, 1.0), 6)
    0.126937
    """
    a = 0.5 / noise - epsilon * noise
    b = -0.5 / noise - epsilon * noise
    density = 0.5 * math.exp(-a * a / 2)
    if a > 0:
        return max(0.0, float(ndtr(a)) - density * float(erfcx(-b / math.sqrt(2))))
    return density * _erfcx_drop(-a / math.sqrt(2), -b / math.sqrt(2))


def _erfcx_drop(low: float, high: float) -> float:
    """erfcx(low) − erfcx(high), by the slope in the middle where the two are too close to subtract."""
    if high - low > 1e-5:
        return float(erfcx(low) - erfcx(high))
    middle = (low + high) / 2
    slope = 2 / math.sqrt(math.pi) - 2 * middle * float(erfcx(middle))
    return max(0.0, slope * (high - low))


def gaussian_noise(epsilon: float, delta: float) -> float:
    """The smallest σ/Δ at which Gaussian noise is (ε, δ)-DP, rounded up."""

    def excess(log_noise: float) -> float:
        return math.log(max(gaussian_delta(epsilon, math.exp(log_noise)), 1e-320)) - math.log(delta)

    root = float(brentq(excess, math.log(SMALLEST), math.log(LARGEST), xtol=1e-13, rtol=1e-13))
    return math.exp(root) * (1 + SAFETY)


def check_delta(delta: object) -> float:
    """A failure probability strictly between 0 and 1."""
    expected = "a number between 1e-30 and 1, both excluded"
    advice = "δ should be far below one over the number of people: 1e-9 is usual."
    if isinstance(delta, bool) or not isinstance(delta, numbers.Real) or not 1e-30 < float(delta) < 1:
        raise InvalidInput("delta", delta, expected, advice)
    return float(delta)
