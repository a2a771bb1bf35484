"""A lower bound on the variance from a dual point: tight where the point is, and proved whatever the point is.

Scale the rows of a strategy to u with πᵀu = 1 and let q_u be their probabilities: Σ q_u u = 1 and Σ q_u = 1. With
v = u − 1, D = Diag(√π), P = I − √π√πᵀ, Y = Σ q_u Dv(Dv)ᵀ and A = PDGDP the variance under π is tr[Y⁺A] − tr A (see
`nuclear_norm_bound`). Take any matrix K and any vector μ, and let

    c = max of h(u) = ‖KᵀDv‖² − μᵀv over u = s/(πᵀs), s ∈ {1, e^ε}ⁿ,        F = tr (KᵀAK)^½.

**Theorem.** Every ε-LDP strategy with every unbiased decoder has variance at least F²/c − tr A under π.

Proof. The function (πᵀs)(h(s/πᵀs) − c) is convex and homogeneous in s, for it is a sum of linear functions and of
‖KᵀD(s − (πᵀs)1)‖²/(πᵀs). So it is at most 0 on the whole cone of rows with ratios within e^ε, as it is on its extreme
rays s ∈ {1, e^ε}ⁿ. Averaged with the q_u, for which Σ q_u v = 0, this says tr[KᵀYK] ≤ c. The range of A lies in that of
Y where a decoder is unbiased, thus A^½K = (A^½Y^{+½})(Y^½K). The nuclear norm of a product is at most the product of
the Frobenius norms: F² ≤ tr[Y⁺A] tr[KᵀYK] ≤ c tr[Y⁺A]. ∎

At an optimum with information matrix X, KKᵀ = PD⁻¹X⁺GX⁺D⁻¹P and μ from the multipliers of Σ w_s s = 1 make it equal.
`pattern_maximum` bounds c over the 2ⁿ patterns.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.linalg

from lowkey.analysis.nuclear_norm_bound import covariance_error, prior_covariance
from lowkey.analysis.pattern_maximum import PatternFunction, largest_value
from lowkey.analysis.rounding import EPS, root_sum, unit
from lowkey.checks import Matrix, Vector

LARGEST = 256  # cells up to which it is tried: hundreds of eigenvalue decompositions of this size


def dual_bound(
    gram: Matrix, epsilon: float, prior: Vector, middle: Matrix, multipliers: Vector, time_limit: float = 60.0
) -> float:
    """The variance per user that a solver's dual point proves for the average over `prior`; 0 where it proves nothing.

    middle: M = X⁻¹GX⁻¹ of a (near-)optimal information matrix X = Σ w_s ssᵀ/(πᵀs); for low rank with pseudo-inverses.
    multipliers: ν of the constraints Σ w_s s = 1, so that sᵀMs/(πᵀs) ≤ νᵀs nearly holds. Neither need be exact.
    time_limit: seconds after which the maximum over patterns is no longer made tighter.

    >>> import numpy as np
    >>> prior, X, G = np.full(2, 0.5), np.array([[1.25, 0.75], [0.75, 1.25]]), np.eye(2)
    >>> M = np.linalg.inv(X) @ G @ np.linalg.inv(X)
    >>> round(dual_bound(G, np.log(3), prior, M, M @ np.ones(2)), 6)    # randomized response attains it
    1.5
    """
    n, scale, prior = len(gram), unit(gram), prior / prior.sum()
    if n == 1 or n > LARGEST or not prior.min() > 0:
        return 0.0
    if not (np.isfinite(middle).all() and np.isfinite(multipliers).all()):
        return 0.0
    factor, linear = centred(middle / scale, multipliers / scale, prior)
    value = scale * centred_bound(gram / scale, epsilon, prior, factor, linear, time_limit)
    return value if math.isfinite(value) else 0.0


def centred(middle: Matrix, multipliers: Vector, prior: Vector) -> tuple[Matrix, Vector]:
    """K and μ for a solver's M and ν: uᵀMu − νᵀu = vᵀMv − (ν − 2M1)ᵀv + a constant for u = 1 + v."""
    root = np.sqrt(prior)
    inner = (middle + middle.T) / 2 / np.outer(root, root)
    inner = inner - np.outer(root, root @ inner)
    inner = inner - np.outer(inner @ root, root)
    values, vectors = scipy.linalg.eigh((inner + inner.T) / 2)
    factor: Matrix = vectors * np.sqrt(np.maximum(values, 0.0))
    linear: Vector = multipliers - middle.sum(axis=0) - middle.sum(axis=1)
    return factor, linear


def centred_bound(
    gram: Matrix, epsilon: float, prior: Vector, factor: Matrix, linear: Vector, time_limit: float
) -> float:
    """F²/c − tr A for a K and a μ, from below, or 0."""
    covariance, error = prior_covariance(gram, prior), covariance_error(gram, prior)
    nuclear = nuclear_norm(covariance, error, factor)
    if not nuclear > 0:
        return 0.0
    largest = largest_value(PatternFunction(factor, linear, prior, epsilon), nuclear, time_limit)
    if not 0 < largest < math.inf:
        return 0.0
    value = nuclear / largest * nuclear * (1 - 16 * EPS) - float(np.trace(covariance)) - 2 * error
    return max(value, 0.0)


def nuclear_norm(covariance: Matrix, error: float, factor: Matrix) -> float:
    """F = tr (KᵀAK)^½ from below, A being known within `error`."""
    inner = factor.T @ covariance @ factor
    products = 4 * (len(factor) + 8) * EPS * float(np.linalg.norm(covariance))
    return root_sum((inner + inner.T) / 2, float(np.linalg.norm(factor)) ** 2 * (error + products))
