"""Whatever the workload, ε and prior: the strategy is private, unbiased and no better than the proved bound."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

import lowkey as lk
from lowkey.checks import Matrix


def random_workload(rng: np.random.Generator, queries: int, cells: int) -> Matrix:
    kinds = (
        lambda: rng.normal(size=(queries, cells)),
        lambda: (rng.random((queries, cells)) < 0.3).astype(float),  # repeated, dependent and empty queries
        lambda: np.outer(rng.normal(size=queries), rng.normal(size=cells)),  # rank one
        lambda: rng.normal(size=(queries, cells)) * 10.0 ** rng.integers(-6, 6, size=(queries, 1)),
    )
    return kinds[rng.integers(len(kinds))]()


@settings(max_examples=60)
@given(
    seed=st.integers(0, 10**6),
    cells=st.integers(1, 16),
    queries=st.integers(1, 12),
    epsilon=st.floats(0.02, 12),
    objective=st.sampled_from(["worst", "average"]),
    with_prior=st.booleans(),
)
def test_it_is_private_unbiased_and_above_the_bound(
    seed: int, cells: int, queries: int, epsilon: float, objective: str, with_prior: bool
) -> None:
    rng = np.random.default_rng(seed)
    workload = random_workload(rng, queries, cells)
    prior = rng.dirichlet(np.full(cells, 0.5)) + 1e-6 if with_prior else None
    solution = lk.optimize(lk.workloads.from_matrix(workload), epsilon, objective, prior=prior, iterations=20)
    strategy = solution.mechanism.to_dense()
    assert (strategy.max(axis=1) <= math.exp(epsilon) * strategy.min(axis=1) * (1 + 1e-14)).all()
    np.testing.assert_allclose(strategy.sum(axis=0), 1, atol=1e-13)
    answers = np.asarray(solution.analysis.decoder) @ strategy
    np.testing.assert_allclose(answers, workload, atol=1e-4 * max(np.abs(workload).max(), 1e-300))
    assert solution.bound.value <= solution.value * (1 + 1e-9)
