"""Thinning: as few base patterns as there are orbits, with at least the energy everywhere.

The energies that mixtures reach are a polytope in as many dimensions as there are orbits: minimising Σθ over
Aᵀθ ≥ E ends in a vertex, with no more patterns than that.
"""

from __future__ import annotations

import numpy as np
import scipy.optimize

from lowkey.checks import Vector
from lowkey.optimize.invariant.pool import Pool

MOST_ORBITS = 2000  # for which the linear program is solved in seconds
NEGLIGIBLE = 1e-9
POLISHING = 2000  # steps of the weights of those that stay


def thin(pool: Pool, dearness: Vector | None = None) -> None:
    """Fewer patterns in the pool, which does not lose by it but for rounding.

    dearness: what else a use of each pattern costs, as a share of what it is worth: it loses no more than that.
    """
    if pool.orbits.count > MOST_ORBITS or (dearness is None and len(pool) <= pool.orbits.count):
        return
    total = pool.mixed()
    shares = pool.energies.toarray().T / total[:, None]  # of what is needed in each orbit
    costs = np.ones(len(pool)) if dearness is None else 1.0 + dearness
    found = scipy.optimize.linprog(costs, A_ub=-shares, b_ub=-np.ones(len(total)), method="highs-ds")
    if found.x is None or not found.success:
        return
    weights: Vector = np.asarray(found.x, dtype=np.float64)
    pool.weights = weights
    pool.keep(weights > NEGLIGIBLE)
    pool.settle(POLISHING)
