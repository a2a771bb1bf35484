"""optimize where the domain is too large for anything of its size: by attribute sets alone."""

from __future__ import annotations

import numpy as np

from lowkey.analysis.bounds import lower_bound
from lowkey.analysis.variance import analyze
from lowkey.mechanisms.junta import Junta, JuntaMechanism
from lowkey.optimize.budget import Budget
from lowkey.optimize.group_invariant import AT_RANDOM, LISTED_CELLS
from lowkey.optimize.invariant.search import InvariantSearch
from lowkey.optimize.projected_gradient import Status
from lowkey.optimize.solution import Solution
from lowkey.workloads.base import Workload
from lowkey.workloads.interactions import Interactions


def is_big(workload: Workload, objective: str, prior: object) -> bool:
    """Whether the domain has too many cells to list, and the queries are such that this does no harm."""
    fair = objective == "worst" or prior is None
    return workload.shape[1] > LISTED_CELLS and fair and workload.interactions is not None


def optimize_big(
    workload: Workload, epsilon: float, objective: str, seed: int, budget: Budget, target_gap: float | None
) -> Solution:
    """The best mixture of patterns on attributes drawn at random, and the bound in the character basis."""
    interactions = workload.interactions
    assert interactions is not None
    bound = lower_bound(workload, epsilon, objective)
    budget.bound = bound.value
    if interactions.weights:
        search = InvariantSearch(interactions, epsilon, budget, seed, bound.value * (1 + (target_gap or 0.0)))
        mechanism, status = search.by_attributes(), search.status
    else:
        mechanism, status = _any(interactions, epsilon), Status.CONVERGED
    seconds, analysis = budget.seconds, analyze(workload, mechanism)
    if target_gap is not None and bound.gap(analysis.worst_case) <= target_gap:
        status = Status.GAP_REACHED
    return Solution(mechanism, analysis, bound, status, AT_RANDOM, seconds, tuple(budget.history))


def _any(interactions: Interactions, epsilon: float) -> JuntaMechanism:
    """For who asks for nothing but the number of people."""
    first_value = np.arange(interactions.sizes[0]) == 0
    return JuntaMechanism(interactions.sizes, [Junta(first_value, [[0]], 1.0)], epsilon)
