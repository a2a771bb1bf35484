"""Surveys over domains that nobody lists, and mechanisms for them."""

from __future__ import annotations

from functools import cache

import lowkey as lk
from lowkey.mechanisms import JuntaMechanism
from lowkey.optimize.budget import Budget
from lowkey.optimize.invariant.search import InvariantSearch
from lowkey.workloads import Workload

HUNDRED = lk.Schema([lk.Categorical(f"q{place}", ["no", "yes"]) for place in range(100)])
CENSUS = lk.Schema(
    [
        lk.Categorical(f"a{place}", list(range(size)))
        for place, size in enumerate([2, 2, 2, 3, 4, 5, 5, 6, 7, 9, 12, 16, 20, 50, 100])
    ]
)


def marginals(schema: lk.Schema, k: int) -> Workload:
    """All k-way marginals of the schema's attributes."""
    return lk.workloads.k_way_marginals(schema.sizes, k).on(schema, *schema.names)


def mechanism_for(workload: Workload, epsilon: float = 1.0, seconds: float | None = None) -> JuntaMechanism:
    """On attributes drawn at random."""
    assert workload.interactions is not None
    return InvariantSearch(workload.interactions, epsilon, Budget(seconds), seed=0).by_attributes()


@cache
def hundred(k: int) -> lk.Deployment:
    """All k-way marginals of a hundred yes-or-no questions."""
    workload = marginals(HUNDRED, k)
    return lk.deploy(HUNDRED, workload, mechanism_for(workload))
