"""How far two people's true reports can lie apart: the sensitivity of a query matrix in the local model.

One person is one column of A, and any person may be any other: the sensitivity is the largest distance
between two columns (not the largest norm of one, as in the central model with a person added or removed).
"""

from __future__ import annotations

import numpy as np
from scipy.spatial.distance import cdist

from lowkey.checks import Matrix, Vector


def l1_sensitivity(strategy: Matrix) -> float:
    """max over u, v of ‖A(e_u − e_v)‖₁, exactly.

    Columns are visited by decreasing norm, and ‖a_u‖₁ + ‖a_v‖₁ bounds what is left: where two columns with
    disjoint support attain it, the first few settle the matter.
    """
    own, shared = _split_private_rows(strategy)
    norms = own + np.abs(shared).sum(axis=1)
    order = np.argsort(-norms, kind="stable")
    own, shared, norms = own[order], shared[order], norms[order]
    largest = 0.0
    for u in range(len(norms) - 1):
        bound = float(norms[u] + norms[u + 1])
        if largest >= bound:
            break
        distances = cdist(shared[u : u + 1], shared[u + 1 :], "cityblock")[0]
        largest = max(largest, float((own[u] + own[u + 1 :] + distances).max()))
    return largest


def l2_sensitivity(strategy: Matrix) -> float:
    """max over u, v of ‖A(e_u − e_v)‖₂, never below the exact value.

    Distances come from AᵀA, and the rounding that this can suffer is added: a relative 1e-12 or less where
    the distance is comparable to the columns' norms, and still an upper bound where they cancel.
    """
    if (strategy == strategy[:, :1]).all():
        return 0.0
    gram = strategy.T @ strategy
    squares = gram.diagonal()
    rounding = 4 * np.finfo(np.float64).eps * (strategy.shape[0] + 4) * float(squares.max())
    largest = 0.0
    for u in range(1, len(squares)):
        largest = max(largest, float((squares[u] + squares[:u] - 2 * gram[u, :u]).max()))
    return float(np.sqrt(largest + rounding))


def _split_private_rows(strategy: Matrix) -> tuple[Vector, Matrix]:
    """Rows with one non-zero entry only add to their cell's norm: (that part, columns of the other rows)."""
    is_private = np.count_nonzero(strategy, axis=1) <= 1
    own: Vector = np.abs(strategy[is_private]).sum(axis=0)
    return own, np.ascontiguousarray(strategy[~is_private].T)
