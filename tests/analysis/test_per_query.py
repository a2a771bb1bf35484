"""An average query: its error, and the people that it takes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import lowkey as lk
from lowkey.analysis.per_query import query_error, query_variance, users_needed, weighted_queries


def analysis(workload: lk.workloads.Workload) -> lk.Analysis:
    return lk.analyze(workload, lk.mechanisms.create("hadamard", workload.shape[1], 1.0))


PARTS = [lk.workloads.histogram(5), lk.workloads.prefix(5)]


def test_without_weights_it_is_the_paper_s_normalized_variance() -> None:
    found = analysis(lk.workloads.stack(PARTS))
    assert query_variance(found) == found.worst_case / 10
    assert users_needed(found, 0.02) == pytest.approx(found.sample_complexity(0.02), rel=1e-14)
    assert query_error(found, users_needed(found, 0.02)) ** 2 == pytest.approx(0.02, rel=1e-14)


def test_randomized_response_in_the_paper_s_example() -> None:
    n, e = 7, math.exp(1.5)
    found = lk.analyze(lk.workloads.histogram(n), lk.mechanisms.create("randomized_response", n, 1.5))
    assert users_needed(found, 0.01) == pytest.approx((n - 1) / (0.01 * n) * (n / (e - 1) ** 2 + 2 / (e - 1)))


def test_weights_count_by_their_squares_also_in_nested_stacks() -> None:
    nested = lk.workloads.stack(
        [lk.workloads.stack(PARTS, weights=[2, 1]), lk.workloads.histogram(5)], weights=[3, 0.5]
    )
    assert weighted_queries(nested) == 36 * 5 + 9 * 5 + 0.25 * 5


def test_a_common_weight_changes_nothing() -> None:
    one, ten = (analysis(lk.workloads.stack(PARTS, weights=[w, w])) for w in (1, 10))
    assert query_variance(ten) == pytest.approx(query_variance(one), rel=1e-12)


def test_it_is_the_weighted_mean_over_the_families() -> None:
    """For the type that suffers most: Σ weight² queries error² / Σ weight² queries."""
    found = analysis(lk.workloads.stack(PARTS, weights=[2, 1]))
    worst = int(np.argmax(found.per_type))
    own = [family.per_type[worst] for family in found.families]
    assert query_variance(found) == pytest.approx((4 * own[0] + own[1]) / (4 * 5 + 5), rel=1e-12)


def test_a_simulated_survey_has_that_error() -> None:
    """Everyone of the worst type: the mean squared error of 300 collections is the one foretold."""
    workload = lk.workloads.histogram(4)
    found = lk.analyze(workload, lk.mechanisms.create("randomized_response", 4, 1.0))
    people = np.zeros(4)
    people[int(np.argmax(found.per_type))] = 1000
    rng = np.random.default_rng(0)
    estimates = [found.decoder.estimate_cells(found.mechanism.simulate(people, rng)) for _ in range(300)]
    errors = np.square((np.array(estimates) - people) / 1000).mean(axis=1)
    spread = errors.std() / math.sqrt(len(errors))
    assert abs(errors.mean() - query_error(found, 1000) ** 2) < 4 * spread
