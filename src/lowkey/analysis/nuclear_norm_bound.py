"""The bound on the variance per user from the nuclear norm of the answers' covariance, and its best prior.

Let Σ_π = W (Diag(π) − ππᵀ) Wᵀ be the covariance of the workload's answers of one user drawn from the prior π. Then
under π every ε-LDP strategy with every unbiased decoder has variance per user

    ≥  4e^ε/(e^ε − 1)² · (tr Σ_π^½)²  −  tr Σ_π.

Proof. Scale a row of the strategy to s with entries in [1, e^ε] and let w_s be its weight: Σ_s w_s s = 1. With the best
decoder the variance is tr[X⁺G] − Σ_u π_u G_uu, where X = Σ_s w_s ssᵀ/m_s, m_s = πᵀs, and Xπ = 1. The w_s m_s are
probabilities (they sum to πᵀ1 = 1), and s_u² ≤ (1 + e^ε) s_u − e^ε. So

    Σ_u π_u X_uu = E[Σ_u π_u s_u²/m²] ≤ E[(1 + e^ε)/m − e^ε/m²] ≤ (1 + e^ε)²/(4e^ε),

the largest value of a parabola in 1/m. With D = Diag(√π) the matrix DXD is √π√πᵀ + Y, Y orthogonal to √π: hence
tr Y ≤ (e^ε − 1)²/(4e^ε), and tr[X⁺G] = πᵀGπ + tr[Y⁺A] with A = PDGDP, P = I − √π√πᵀ, which has the non-zero eigenvalues
of Σ_π. Last, tr[Y⁺A] tr Y ≥ (tr A^½)² by Cauchy's inequality.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import scipy.linalg
import scipy.optimize

from lowkey.analysis.rounding import EPS, root_sum, unit
from lowkey.checks import Matrix, Vector

STEPS = 60  # of the search for the best prior: a dozen are usual
FEWEST_STEPS = 3
WORK = 2**33  # the search's evaluations times n³: a few seconds
LEAST_PRIOR = 1e-12  # the weight that the search leaves every cell at least, times 1/n


def nuclear_norm_value(gram: Matrix, epsilon: float, prior: Vector) -> float:
    """The bound at one prior, from below: rounding errors are taken off."""
    scale = unit(gram)
    covariance = prior_covariance(gram / scale, prior)
    error = covariance_error(gram / scale, prior)
    nuclear = root_sum(covariance, error)
    value = rate(epsilon) * nuclear**2 * (1 - 16 * EPS) - float(np.trace(covariance))
    return scale * (value - 2 * error)


def nuclear_norm_prior(gram: Matrix, epsilon: float) -> Vector:
    """A prior at which the bound is large."""
    n, gram = len(gram), gram / unit(gram)
    if n == 1 or WORK // n**3 < FEWEST_STEPS:
        return np.full(n, 1.0 / n)
    scale = rate(epsilon) * roots_of(prior_covariance(gram, np.full(n, 1.0 / n)))[0] ** 2
    return best_prior(n, partial(_value_and_gradient, gram, epsilon), scale, min(STEPS, WORK // n**3))


def best_prior(
    n: int, bound: Callable[[Vector], tuple[float, Vector]], scale: float, evaluations: int = STEPS
) -> Vector:
    """Quasi-Newton ascent from the uniform prior. `bound`: value (about `scale`) and gradient in θ, π ∝ exp(θ)."""
    uniform, start = np.full(n, 1.0 / n), np.zeros(n)
    if not scale > 0:
        return uniform

    def loss(logits: Vector) -> tuple[float, Vector]:
        value, gradient = bound(_softmax(logits))
        return -value / scale, -gradient / scale

    found = scipy.optimize.minimize(
        loss,
        start,
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": evaluations, "maxfun": evaluations, "ftol": 1e-7, "gtol": 1e-7},
    )
    prior = _softmax(found.x) + LEAST_PRIOR / n
    best: Vector = prior / prior.sum()
    return best if np.isfinite(found.fun) and found.fun < loss(start)[0] else uniform


def prior_covariance(gram: Matrix, prior: Vector) -> Matrix:
    """P D G D P with D = Diag(√π), P = I − √π√πᵀ: it has the non-zero eigenvalues of Σ_π."""
    root = np.sqrt(prior)
    half = gram * np.outer(root, root)
    half = half - np.outer(root, root @ half)
    half = half - np.outer(half @ root, root)
    covariance: Matrix = (half + half.T) / 2
    return covariance


def covariance_error(gram: Matrix, prior: Vector) -> float:
    """How far rounding may put `prior_covariance` off, in spectral norm and in trace.

    Entry products are good to 2 eps, each projection to (n + 4) eps of tr DGD, and the prior sums to 1 within n·eps/2.
    """
    return 8 * (len(gram) + 1) * EPS * float(prior @ gram.diagonal())


def rate(epsilon: float) -> float:
    """4e^ε/(e^ε − 1)², without cancellation."""
    return 1 / math.sinh(epsilon / 2) ** 2


def roots_of(covariance: Matrix) -> tuple[float, Vector, Vector]:
    """tr A^½, and the diagonals of A^½ and A."""
    values, vectors = scipy.linalg.eigh(covariance, driver="evd")
    roots = np.sqrt(np.maximum(values, 0.0))
    return float(roots.sum()), (vectors * vectors) @ roots, covariance.diagonal()


def gradient_of(nuclear: float, roots: Vector, diagonal: Vector, epsilon: float, prior: Vector) -> tuple[float, Vector]:
    """The bound without its rounding slack, and its gradient in θ where π ∝ exp(θ).

    ∂ tr A^½ / ∂θ_u = (A^½)_uu/2 − π_u tr A^½ / 2  and  ∂ tr A / ∂θ_u = A_uu − π_u tr A.
    """
    factor, trace = rate(epsilon), float(diagonal.sum())
    gradient: Vector = factor * nuclear * (roots - prior * nuclear) - (diagonal - prior * trace)
    return factor * nuclear**2 - trace, gradient


def _value_and_gradient(gram: Matrix, epsilon: float, prior: Vector) -> tuple[float, Vector]:
    return gradient_of(*roots_of(prior_covariance(gram, prior)), epsilon, prior)


def _softmax(logits: Vector) -> Vector:
    weights = np.exp(logits - logits.max())
    prior: Vector = weights / weights.sum()
    return prior
