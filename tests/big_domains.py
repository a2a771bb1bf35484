"""Surveys over domains that nobody lists, and mechanisms for them."""

from __future__ import annotations

from functools import cache

import lowkey as lk
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


@cache
def hundred(k: int) -> lk.Deployment:
    """All k-way marginals of a hundred yes-or-no questions."""
    workload = marginals(HUNDRED, k)
    return lk.deploy(HUNDRED, workload, lk.optimize(workload, 1.0).mechanism)
