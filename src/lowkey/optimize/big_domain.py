"""optimize where the domain is too large for anything of its size: by attribute sets alone."""

from __future__ import annotations

import numpy as np

from lowkey.analysis.bounds import lower_bound
from lowkey.analysis.variance import Analysis, analyze
from lowkey.checks import check_prior
from lowkey.errors import InvalidInput, QueryNotAnswerable
from lowkey.mechanisms.base import Mechanism
from lowkey.mechanisms.invariant import InvariantMechanism
from lowkey.mechanisms.junta import Junta, JuntaMechanism
from lowkey.optimize.arrays import arrays_on
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
    workload: Workload,
    epsilon: float,
    objective: str,
    seed: int,
    budget: Budget,
    target_gap: float | None,
    start: object = None,
) -> Solution:
    """The best mixture of patterns on attributes drawn at random, and the bound in the character basis.

    start: a solution or an invariant mechanism, which is kept where it does better.
    """
    interactions = workload.interactions
    assert interactions is not None
    bound = lower_bound(workload, epsilon, objective)
    budget.bound = bound.value
    if interactions.weights:
        search = InvariantSearch(interactions, epsilon, budget, seed, bound.value * (1 + (target_gap or 0.0)))
        mechanism, status = search.by_attributes(), search.status
    else:
        mechanism, status = _any(interactions, epsilon), Status.CONVERGED
    seconds, analysis, origin = budget.seconds, analyze(workload, mechanism), AT_RANDOM
    given = _analyzed(start, workload, epsilon)
    if given is not None and given.worst_case < analysis.worst_case:
        analysis, origin = given, given.mechanism.name
    if target_gap is not None and bound.gap(analysis.worst_case) <= target_gap:
        status = Status.GAP_REACHED
    return Solution(analysis.mechanism, analysis, bound, status, origin, seconds, tuple(budget.history))


def check_unused(workload: Workload, prior: object, start: object, device: str) -> None:
    """What makes no difference on a big domain must be right all the same."""
    arrays_on(device, 0)
    if prior is not None:
        check_prior(prior, workload.shape[1])
    if not isinstance(start, str | Mechanism | Solution | None):
        raise InvalidInput("start", start, "the name of a mechanism, a mechanism, a Solution or None")
    if isinstance(start, str):
        advice = "No mechanism of the catalogue lists so many cells: leave start out."
        raise InvalidInput("start", repr(start), "an invariant mechanism, a Solution or None here", advice)


def _analyzed(start: object, workload: Workload, epsilon: float) -> Analysis | None:
    """What is given to start from, if it is an answer."""
    mechanism = start.mechanism if isinstance(start, Solution) else start
    if not isinstance(mechanism, InvariantMechanism) or not mechanism.is_ldp(epsilon):
        return None
    try:
        return analyze(workload, mechanism)
    except QueryNotAnswerable:
        return None


def _any(interactions: Interactions, epsilon: float) -> JuntaMechanism:
    """For who asks for nothing but the number of people."""
    first_value = np.arange(interactions.sizes[0]) == 0
    return JuntaMechanism(interactions.sizes, [Junta(first_value, [[0]], 1.0)], epsilon)
