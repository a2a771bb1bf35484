"""Tables times queries on an ordered attribute from reports: unbiased answers and variances, in exact expectation."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lowkey as lk
from lowkey.errors import NotAvailable, QueryNotAnswerable
from lowkey.estimate import estimate_ordered
from lowkey.mechanisms.base import Responses
from lowkey.workloads import Workload
from sampled_cases import random_sampled

PAIRS = lk.workloads.k_way_marginals
PREFIXES = lk.workloads.product([lk.workloads.prefix(3), PAIRS([2, 2, 2], 2)])
SCHEMA = lk.Schema(
    [
        lk.Categorical("plan", ["free", "pro", "team"]),
        lk.Ordered("age", edges=[0, 18, 40, 65, 120]),
        lk.Categorical("member", ["no", "yes"]),
        lk.Categorical("country", ["DE", "FR", "IT"]),
    ]
)
SURVEY = lk.workloads.stack(
    [
        lk.workloads.product([lk.workloads.all_range(4), PAIRS([3, 2], 1)]).on(SCHEMA, "age", "country", "member"),
        lk.workloads.product([lk.workloads.histogram(9), lk.workloads.prefix(4)]).on(SCHEMA, "country", "plan", "age"),
        lk.workloads.histogram(24).on(SCHEMA, "member", "age", "plan"),
        PAIRS([2, 3], 1).on(SCHEMA, "member", "plan"),
        lk.workloads.prefix(4).on(SCHEMA, "age"),
    ],
    [1, 2, 0.5, 0.3, 1.5],
)
CASES: list[tuple[Workload, int, list[tuple[int, ...]], Any]] = [
    (PREFIXES, 0, [(1, 2, 3)] * 2, None),
    (PREFIXES, 0, [(1, 2, 3)] * 3, np.array([0.5, 0.3, 0.2])),
    (SURVEY, 1, [(0, 3), (2,), (0, 3)], None),
]


@pytest.mark.parametrize(("workload", "attribute", "pools", "prior"), CASES, ids=str)
def test_expected_responses_give_the_answers_and_their_variances(
    workload: Workload, attribute: int, pools: Any, prior: Any
) -> None:
    """Σ_o V_o² (Qx)_o − Σ_u w_u² x_u with the best decoder of the listed strategy."""
    mechanism = random_sampled(workload.sizes, attribute, pools, ordered_prior=prior)
    strategy, matrix = mechanism.to_dense(), workload.to_dense()
    x = np.random.default_rng(0).integers(1, 100, workload.shape[1]).astype(float)
    found = estimate_ordered(mechanism, Responses(strategy @ x, int(x.sum())), workload)
    weights = np.full(len(x), 1 / len(x)) if mechanism.design_prior is None else mechanism.design_prior
    scaled = strategy / (strategy @ weights)[:, None]
    decoder = matrix @ np.linalg.pinv(strategy.T @ scaled) @ scaled.T
    np.testing.assert_allclose(decoder @ strategy, matrix, atol=1e-8)
    np.testing.assert_allclose(found.answers, matrix @ x, rtol=1e-9, atol=1e-7)
    expected = decoder**2 @ (strategy @ x) - matrix**2 @ x
    np.testing.assert_allclose(found.variances, expected, rtol=1e-7, atol=1e-6)


def test_reports_of_many_people_are_near_the_truth() -> None:
    mechanism = random_sampled(PREFIXES.sizes, 0, [(1, 2, 3)] * 2, epsilon=2.0)
    people = np.random.default_rng(1).integers(0, 20_000, 24)
    found = estimate_ordered(mechanism, mechanism.simulate(people, np.random.default_rng(2)), PREFIXES)
    deviations = (found.answers - PREFIXES.matvec(people)) / np.sqrt(found.variances)
    assert np.abs(deviations).max() < 4.5
    assert 0.5 < deviations.std() < 1.5


def test_a_hundred_attributes() -> None:
    """No list of cells, outputs or queries by cell; the variances add up to what the analysis says."""
    workload = lk.workloads.product([lk.workloads.prefix(4), PAIRS([2] * 100, 1)])
    mechanism = random_sampled(workload.sizes, 0, [tuple(range(1, 101))] * 2)
    rng = np.random.default_rng(0)
    people = np.column_stack([rng.integers(4, size=30_000), rng.integers(2, size=(30_000, 100))])
    outputs, counts = np.unique(mechanism.report(people, rng), return_counts=True)
    responses = Responses(counts.astype(float), len(people), outputs)
    found = estimate_ordered(mechanism, responses, workload)
    truth = [(people[people[:, 0] <= a, 1 + i] == v).sum() for a in range(4) for i in range(100) for v in range(2)]
    assert np.abs((found.answers - truth) / np.sqrt(found.variances)).max() < 5.5
    analysis = lk.analyze(workload, mechanism)
    assert found.variances.sum() == pytest.approx(len(people) * analysis.average, rel=0.03)


def test_what_the_reports_do_not_tell_is_refused() -> None:
    mechanism = random_sampled(PREFIXES.sizes, 0, [(1, 2, 3)])
    nobody = Responses(np.zeros(mechanism.shape[0]), 0)
    with pytest.raises(QueryNotAnswerable, match="together"):
        estimate_ordered(mechanism, nobody, PREFIXES)
    parities = lk.workloads.product([lk.workloads.prefix(3), lk.workloads.parity(3, 1)])
    with pytest.raises(NotAvailable, match="expected marginals, and products of marginals"):
        estimate_ordered(mechanism, nobody, parities)
