"""Bounds that are known from the question alone."""

from __future__ import annotations

from lowkey.analysis.bounds import NUCLEAR_NORM, LowerBound, lower_bound
from lowkey.checks import check_prior
from lowkey.optimize.candidates import Question

AT_ONCE = 1024  # cells up to which one eigenvalue decomposition takes less than a second


def first_bound(question: Question) -> float:
    """A bound that is known at once, for who watches the search; 0 where even that takes seconds."""
    if question.cells > AT_ONCE:
        return 0.0
    prior = question.prior if not question.worst else None
    uniform = check_prior(prior, question.cells)
    return lower_bound(question.workload, question.epsilon, question.objective, uniform, NUCLEAR_NORM).value


def workload_bound(question: Question, prior: object) -> LowerBound:
    """What is proved without a solution: for the worst case at the best prior, whatever the analyst's is."""
    prior = None if question.worst else prior
    return lower_bound(question.workload, question.epsilon, question.objective, prior)
