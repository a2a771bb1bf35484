"""Thinning: as few base patterns as there are orbits, with at least the energy everywhere.

The energies that mixtures reach are a polytope in as many dimensions as there are orbits: minimising Σθ over
Aᵀθ ≥ E ends in a vertex, with no more patterns than that.
"""

from __future__ import annotations

import numpy as np
import scipy.optimize

from lowkey.optimize.invariant.pool import Pool

MOST_ORBITS = 2000  # for which the linear program is solved in seconds
NEGLIGIBLE = 1e-9
POLISHING = 2000  # steps of the weights of those that stay


def thin(pool: Pool) -> None:
    """Fewer patterns in the pool, which does not lose by it but for rounding."""
    if pool.orbits.count > MOST_ORBITS or len(pool) <= pool.orbits.count:
        return
    total = pool.mixed()
    shares = pool.energies.toarray().T / total[:, None]  # of what is needed in each orbit
    found = scipy.optimize.linprog(np.ones(len(pool)), A_ub=-shares, b_ub=-np.ones(len(total)), method="highs-ds")
    if not found.success:
        return
    kept = found.x > NEGLIGIBLE
    pool.weights = np.where(kept, found.x, 0.0)
    pool.keep(kept)
    pool.settle(POLISHING)
