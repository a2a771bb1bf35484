"""A small survey with every kind of query that pictures are made for, and its results."""

from __future__ import annotations

from functools import cache

import numpy as np

import lowkey as lk
from lowkey.checks import Vector
from lowkey.report import Results, repeat
from lowkey.workloads import Workload, renamed

SCHEMA = lk.Schema(
    [
        lk.Categorical("plan", ["free", "pro & co", "team"]),
        lk.Ordered("age", edges=[0, 18, 65, np.inf]),
        lk.Categorical("member", [False, True]),
    ]
)
FAMILIES = ("Plans <all>", "Ages so far", "Ages", "Pairs", "Parities", "Questions")
PEOPLE: Vector = np.arange(1000.0, 19_000, 1000)  # 1,000 … 18,000: 171,000 in all


def workload() -> Workload:
    plan, age = lk.workloads.histogram(3), lk.workloads.prefix(3)
    signs = lk.workloads.from_matrix([[1.0, -1.0], [1.0, 1.0]], labels=["difference", "sum"])
    parts = [
        plan.on(SCHEMA, "plan"),
        age.on(SCHEMA, "age"),
        lk.workloads.all_range(3).on(SCHEMA, "age"),
        lk.workloads.k_way_marginals(SCHEMA.sizes, 2).on(SCHEMA, *SCHEMA.names),
        signs.on(SCHEMA, "member"),
        lk.workloads.sql(SCHEMA, ["age >= 65 AND plan = 'free'", "member OR plan = 'team'"]),
    ]
    named = [renamed(part, name) for part, name in zip(parts, FAMILIES, strict=True)]
    return lk.workloads.stack(named, weights=[2, 1, 1, 1, 1, 3])


@cache
def results(has_truth: bool = True) -> Results:
    queries = workload()
    mechanism = lk.mechanisms.create("hadamard", SCHEMA.size, 2.0)
    deployment = lk.deploy(SCHEMA, queries, mechanism)
    counts = lk.simulate(deployment, PEOPLE, seed=5)
    return Results(
        title="Plans & people",
        deployment=deployment,
        design=lk.analyze(queries, mechanism),
        bound=lk.lower_bound(queries, 2.0),
        competitors=lk.compare(queries, 2.0, ["randomized_response", "fourier", "gaussian", "block_design"]),
        estimate=lk.estimate(deployment, counts),
        consistent=lk.estimate(deployment, counts, method="wnnls", total=counts.users) if has_truth else None,
        truth=PEOPLE if has_truth else None,
        repeats=repeat(deployment, PEOPLE, runs=60) if has_truth else None,
    )
