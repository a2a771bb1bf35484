"""The p-identity strategies of HDMM: every cell by itself, and p weighted sums of cells on top.

R. McKenna, G. Miklau, M. Hay, A. Machanavajjhala, "Optimizing error of high-dimensional statistical queries
under differential privacy", VLDB 2018: A(Θ) = [I; Θ] Diag(s)⁻¹ with Θ ≥ 0 (p×n) and s = 1 + Θᵀ1, so that
every column has L1 norm 1. With M = I + ΘᵀΘ the error is f(Θ) = tr[(AᵀA)⁻¹ G] = tr[M⁻¹ H], H = Diag(s) G
Diag(s).
"""

from __future__ import annotations

import numpy as np
from scipy.optimize import minimize

from lowkey.checks import Matrix, Vector


def p_identity(theta: Matrix) -> Matrix:
    """A(Θ), of shape (n + p, n)."""
    strategy: Matrix = np.vstack([np.eye(theta.shape[1]), theta]) / (1 + theta.sum(axis=0))
    return strategy


def p_identity_error(theta: Matrix, gram: Matrix) -> tuple[float, Matrix]:
    """f(Θ) and its gradient, in O(p n²) through M⁻¹ = I − Θᵀ K Θ, K = (I + ΘΘᵀ)⁻¹.

    With B = KΘ the gradient is −2 B H M⁻¹ from M, and 2 (M⁻¹∘G) s in every row from the column sums s.
    """
    sums = 1 + theta.sum(axis=0)
    diagonal = gram.diagonal()
    inner = np.linalg.solve(np.eye(len(theta)) + theta @ theta.T, theta)
    weighted = (inner * sums) @ gram
    scaled = weighted * sums  # B H
    error = float(sums**2 @ diagonal - np.sum(scaled * theta))
    from_inverse = (scaled @ theta.T) @ inner - scaled
    from_sums = diagonal * sums - np.sum(theta * weighted, axis=0)
    return error, 2 * (from_inverse + from_sums)


def optimize_p_identity(gram: Matrix, start: Matrix, iterations: int) -> Matrix:
    """Θ of a local minimum of the error, by L-BFGS-B from `start`."""
    scale = float(gram.trace())

    def objective(flat: Vector) -> tuple[float, Vector]:
        error, gradient = p_identity_error(flat.reshape(start.shape), gram)
        return error / scale, gradient.ravel() / scale

    found = minimize(
        objective,
        start.ravel(),
        jac=True,
        method="L-BFGS-B",
        bounds=[(0, None)] * start.size,
        options={"maxiter": iterations, "ftol": 1e-9},
    )
    return np.asarray(found.x, dtype=np.float64).reshape(start.shape)
