"""Which linear queries each person answers with noise: the strategy matrix A of the matrix mechanism.

The error of least squares is Δ(A)² tr[G (AᵀA)⁺] up to the constant of the noise, Δ being the sensitivity over
pairs of columns. Under L1 (Laplace noise) finding A is hard and the best of several candidates is kept; under
L2 (Gaussian noise) bounded column norms make it convex.

A row c·1ᵀ is the same for everyone: it adds nothing to Δ and tells the number of people, which is known
anyway. Every strategy here ends with one, so that only the part of G orthogonal to 1 costs anything; A is
chosen for it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import scipy.linalg

from lowkey.checks import Matrix, Vector
from lowkey.mechanisms.p_identity import optimize_p_identity, p_identity
from lowkey.mechanisms.sensitivity import l1_sensitivity, l2_sensitivity
from lowkey.workloads.base import Workload

RANK_TOLERANCE = 1e-12  # eigenvalues below this share of the largest count as zero
BRANCHINGS = (2, 4, 16)
OPTIMAL_GAP = 1e-5  # relative duality gap at which the L2 strategy is good enough
MOST_ITERATIONS = 100
TOTAL_WEIGHT = 10.0  # of the row c·1ᵀ against the largest column norm: what is left to gain is below 1%


def l1_strategy(gram: Matrix, workload: Workload | None = None) -> Matrix:
    """The best of the candidates for Laplace noise; deterministic.

    The candidates: the cells themselves, hierarchies and Haar wavelets (ordered domains), the workload's own
    queries where they are few, and p-identity strategies optimised from random sums and from a hierarchy.
    """
    candidates = map(with_total, _l1_candidates(centred(gram), workload))
    return min(candidates, key=lambda A: strategy_error(A, gram, l1_sensitivity))


def l2_strategy(gram: Matrix) -> Matrix:
    """The best for Gaussian noise of: the optimum under bounded column norms, the workload, the cells."""
    candidates = [optimal_l2_strategy(centred(gram)), symmetric_root(gram), np.eye(len(gram))]
    return min(map(with_total, candidates), key=lambda A: strategy_error(A, gram, l2_sensitivity))


def with_total(strategy: Matrix) -> Matrix:
    """A with one more row c·1ᵀ."""
    weight = TOTAL_WEIGHT * np.linalg.norm(strategy, axis=0).max()
    return np.vstack([strategy, np.full(strategy.shape[1], weight if weight > 0 else 1.0)])


def centred(gram: Matrix) -> Matrix:
    """C G C with C = I − 11ᵀ/n: queries less their mean coefficient, which the number of people answers."""
    means = gram.mean(axis=0)
    rest: Matrix = gram - means - means[:, None] + means.mean()
    return rest if rest.trace() > RANK_TOLERANCE * gram.trace() else np.zeros_like(gram)


def strategy_error(strategy: Matrix, gram: Matrix, sensitivity: Callable[[Matrix], float]) -> float:
    """Δ(A)² tr[G (AᵀA)⁺], infinite where A does not determine the workload."""
    root, missing = inverse_root(strategy)
    if missing.size and np.sum(missing * (gram @ missing)) > RANK_TOLERANCE * gram.trace():
        return float("inf")
    return float(sensitivity(strategy) ** 2 * np.sum(root * (gram @ root)))


def inverse_root(strategy: Matrix) -> tuple[Matrix, Matrix]:
    """F with F Fᵀ = (AᵀA)⁺, and an orthonormal basis of what A does not see."""
    values, vectors = scipy.linalg.eigh(strategy.T @ strategy)
    kept = values > RANK_TOLERANCE * max(values[-1], np.finfo(np.float64).tiny)
    return vectors[:, kept] / np.sqrt(values[kept]), vectors[:, ~kept]


def symmetric_root(gram: Matrix) -> Matrix:
    """A matrix A of full row rank with AᵀA = G: the workload itself, up to a rotation of its answers."""
    values, vectors = scipy.linalg.eigh(gram)
    kept = values > RANK_TOLERANCE * values[-1]
    root: Matrix = np.sqrt(values[kept])[:, None] * vectors[:, kept].T
    return root


def optimal_l2_strategy(gram: Matrix) -> Matrix:
    """A that minimises tr[(AᵀA)⁺ G] over columns of norm at most 1.

    Stationarity reads G = X D X for X = AᵀA and multipliers D ≥ 0, that is
    X = D^{-1/2} (D^{1/2} G D^{1/2})^{1/2} D^{-1/2}. Since X_uu falls about as 1/√d_u, d_u ← d_u X_uu²
    drives the diagonal to 1. For any d, scaling X to a largest diagonal entry of 1 gives a feasible point,
    and (tr R)²/Σd (R the middle root) bounds the optimum from below: their ratio says when to stop. Each
    step is an eigendecomposition: ten seconds in all for n = 1024.
    """
    if gram.trace() <= 0:
        return np.zeros((0, len(gram)))
    multipliers = np.maximum(gram.diagonal(), RANK_TOLERANCE * gram.diagonal().max())
    best, best_gap = np.eye(len(gram)), np.inf
    for _ in range(MOST_ITERATIONS):
        strategy, norms = _stationary_strategy(gram, multipliers)
        gap = norms.max() * multipliers.sum() / (multipliers @ norms) - 1
        if gap < best_gap:
            best, best_gap = strategy / np.sqrt(norms.max()), gap
        if gap < OPTIMAL_GAP:
            break
        multipliers = multipliers * np.maximum(norms, 1e-6) ** 2
        multipliers /= multipliers.max()
    return best


def _stationary_strategy(gram: Matrix, multipliers: Vector) -> tuple[Matrix, Vector]:
    """A with AᵀA = X(D), and the squared norms of its columns."""
    roots = np.sqrt(multipliers)
    values, vectors = scipy.linalg.eigh(roots[:, None] * gram * roots)
    kept = values > RANK_TOLERANCE * values[-1]
    strategy = values[kept][:, None] ** 0.25 * vectors[:, kept].T / roots
    return strategy, np.sum(strategy**2, axis=0)


def _l1_candidates(gram: Matrix, workload: Workload | None) -> Iterator[Matrix]:
    n = len(gram)
    if not gram.any():
        yield np.zeros((0, n))
        return
    yield np.eye(n)
    if workload is not None and workload.shape[0] <= 4 * n:
        yield workload.to_dense()
    if n > 2:
        yield haar_queries(n)
        for branching in BRANCHINGS:
            yield np.vstack([np.eye(n), hierarchy_sums(n, branching)])
        for start in _p_identity_starts(n):
            yield p_identity(optimize_p_identity(gram, start, iterations=400 if n <= 256 else 150))


def _p_identity_starts(n: int) -> Iterator[Matrix]:
    """n/16 rows, as HDMM recommends for ranges, but not fewer than 4."""
    rng = np.random.default_rng(0)
    rows = min(n, max(4, n // 16))
    for _ in range(3 if n <= 256 else 1):
        yield rng.random((rows, n))
    yield hierarchy_sums(n, 16) + 0.01


def hierarchy_sums(n: int, branching: int) -> Matrix:
    """The sums over the inner nodes of a tree over n ordered cells, without the cells themselves."""
    rows, width = [np.ones(n)], branching
    while width < n:
        rows.extend((np.arange(n) // width == node).astype(np.float64) for node in range(-(-n // width)))
        width *= branching
    return np.array(rows)


def haar_queries(n: int) -> Matrix:
    """The total and, at each level of a binary tree over n ordered cells, left half minus right half."""
    rows, width = [np.ones(n)], 2
    while width < 2 * n:
        sign = np.where(np.arange(n) % width < width // 2, 1.0, -1.0)
        rows.extend(sign * (np.arange(n) // width == node) for node in range(-(-n // width)))
        width *= 2
    return np.array(rows)
