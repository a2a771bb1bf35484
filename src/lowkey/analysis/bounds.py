"""lower_bound: what no ε-LDP factorization mechanism can beat."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import scipy.linalg

from lowkey.checks import Matrix, Vector, check_choice, check_epsilon, check_prior
from lowkey.workloads.base import Workload

OBJECTIVES = ("worst", "average")


@dataclass(frozen=True)
class LowerBound:
    """A proved lower bound on the variance per user: `kind` names the theorem, `prior` the types it is proved for.

    A bound on the average over any prior is a bound on the worst case too.
    """

    value: float
    kind: str
    objective: str
    prior: Vector

    def sample_complexity(self, queries: int, alpha: float = 0.01) -> float:
        """People that every mechanism needs at least for normalized variance α on so many queries."""
        return self.value / (queries * alpha)

    def gap(self, variance: float) -> float:
        """How far `variance` may be above the best possible: variance / bound − 1."""
        return variance / self.value - 1 if self.value > 0 else math.inf


def lower_bound(workload: Workload, epsilon: float, objective: str = "worst", prior: object = None) -> LowerBound:
    """The paper's singular-value bound on the variance per user of any ε-LDP strategy with any unbiased decoder.

        (Σ_i σ_i)² / e^ε − Σ_u π_u G_uu,     σ_i the singular values of W Diag(√π)

    With π uniform it is the paper's theorem and its corollary divided by N. The proof carries over to any prior:
    Σ_u π_u X_uu ≤ e^ε for the information matrix X, and tr[Y⁻¹H] ≥ (tr H^½)² / tr Y. Where it is negative it is 0.

    >>> import lowkey as lk
    >>> round(lk.lower_bound(lk.workloads.histogram(64), 1.0).value, 6)   # n/e^ε − 1
    22.544284
    """
    epsilon = check_epsilon(epsilon)
    check_choice("objective", objective, OBJECTIVES)
    weights = check_prior(prior, workload.shape[1])
    gram = workload.gram()
    root = np.sqrt(weights)
    nuclear = singular_value_sum(gram * np.outer(root, root))
    value = nuclear**2 * math.exp(-epsilon) - float(weights @ gram.diagonal())
    return LowerBound(max(value, 0.0), "singular values", objective, weights)


def singular_value_sum(gram: Matrix) -> float:
    """Σ√λ_i over the eigenvalues of a Gram matrix, from below: an eigenvalue is off by at most n·eps·λ_max."""
    eigenvalues = scipy.linalg.eigvalsh(gram)
    error = len(gram) * np.finfo(np.float64).eps * max(float(eigenvalues[-1]), 0.0)
    return float(np.sqrt(np.maximum(eigenvalues - error, 0.0)).sum())
