"""The bound that a solution is held against: the best of what is proved for the workload."""

from __future__ import annotations

from lowkey.analysis.bounds import LowerBound, lower_bound
from lowkey.optimize.search import Search


def best_bound(search: Search, prior: object, known: LowerBound | None = None) -> LowerBound:
    """The bound on the objective that was asked for."""
    question = search.question
    if known is not None:
        return known
    return lower_bound(question.workload, question.epsilon, question.objective, None if question.worst else prior)
