"""From a workload's total variance to what a reader asks: the error of one query, and the people that it takes.

A workload's families have weights; a total over all queries counts the squared error of a family weight² times. So
the average query here is averaged with these weights, and its error is the error of queries *without* weights:

    variance per user of an average query = worst_case / Σ weight² · queries

With weights 1 that is worst_case/p, and its quotient by the number of users is the paper's normalized variance α.
Multiplying all weights by one number changes nothing.
"""

from __future__ import annotations

import math

from lowkey.analysis.variance import Analysis
from lowkey.workloads.base import Workload


def weighted_queries(workload: Workload) -> float:
    """Σ weight² · queries over the families: p where no family has a weight.

    >>> import lowkey as lk
    >>> weighted_queries(lk.workloads.stack([lk.workloads.histogram(4), lk.workloads.prefix(4)], weights=[2, 1]))
    20.0
    """
    return float(sum(family.weight**2 * (family.stop - family.start) for family in workload.families))


def query_variance(analysis: Analysis) -> float:
    """The variance per user of an average query, in the worst case."""
    return analysis.worst_case / weighted_queries(analysis.workload)


def query_error(analysis: Analysis, users: float) -> float:
    """Root mean squared error of an average query as a share of `users` people, in the worst case."""
    return math.sqrt(query_variance(analysis) / users)


def users_needed(analysis: Analysis, alpha: float) -> float:
    """People with whom the mean squared error of an average query, as a share of them, is α in the worst case.

    >>> import lowkey as lk
    >>> A = lk.analyze(lk.workloads.histogram(2), lk.mechanisms.create("randomized_response", 2, 1.0))
    >>> users_needed(A, 0.01) == A.sample_complexity(0.01)
    True
    """
    return query_variance(analysis) / alpha
