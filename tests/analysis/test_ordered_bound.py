"""The bound block by block is that of the Gram matrix; large domains have it too."""

from __future__ import annotations

import numpy as np
import pytest

import lowkey as lk
from lowkey.analysis.nuclear_norm_bound import nuclear_norm_prior, nuclear_norm_value
from lowkey.analysis.ordered_bound import ordered_bound, ordered_bound_prior
from lowkey.workloads import Workload

PAIRS = lk.workloads.k_way_marginals([2, 3, 2], 2)
PREFIX_PAIRS = lk.workloads.product([lk.workloads.prefix(4), PAIRS])
WORKLOADS = [
    PREFIX_PAIRS,
    lk.workloads.product([PAIRS, lk.workloads.all_range(5)]),
    lk.workloads.stack(
        [
            PREFIX_PAIRS,
            lk.workloads.product([lk.workloads.ranges(4, 2, 3), lk.workloads.histogram(12)]),
            lk.workloads.product([lk.workloads.histogram(4), PAIRS]),
        ],
        [1, 0.3, 2],
    ),
]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("workload", WORKLOADS, ids=str)
def test_it_is_that_of_the_gram_matrix(workload: Workload, epsilon: float) -> None:
    found = workload.ordered_interactions
    assert found is not None
    rng = np.random.default_rng(1)
    for prior in (np.full(found.values, 1 / found.values), rng.dirichlet(np.full(found.values, 5.0))):
        shape = [found.values if place == found.attribute else 1 for place in range(len(found.sizes))]
        whole = np.broadcast_to(prior.reshape(shape), found.sizes).reshape(-1) / (workload.shape[1] / found.values)
        expected = nuclear_norm_value(workload.gram(), epsilon, whole)
        value = ordered_bound(found, epsilon, prior)
        assert value == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("workload", WORKLOADS, ids=str)
def test_rounding_never_lifts_it_above_the_formula(workload: Workload) -> None:
    """Written out with an explicit covariance of the answers."""
    found = workload.ordered_interactions
    assert found is not None
    n = workload.shape[1]
    covariance = workload.to_dense() @ (np.eye(n) / n - 1 / n**2)
    singular = np.linalg.svd(covariance @ np.eye(n) * np.sqrt(n), compute_uv=False)
    expected = np.sinh(0.5) ** -2 * singular.sum() ** 2 - (singular**2).sum()
    value = ordered_bound(found, 1.0, np.full(found.values, 1 / found.values))
    assert value == pytest.approx(expected, rel=1e-9)
    assert value <= expected


@pytest.mark.parametrize("workload", WORKLOADS, ids=str)
def test_the_best_prior_proves_what_one_over_all_cells_proves(workload: Workload) -> None:
    found = workload.ordered_interactions
    assert found is not None
    expected = nuclear_norm_value(workload.gram(), 1.0, nuclear_norm_prior(workload.gram(), 1.0))
    assert ordered_bound(found, 1.0, ordered_bound_prior(found, 1.0)) == pytest.approx(expected, rel=1e-5)


def test_beyond_a_thousand_cells_the_blocks_are_used() -> None:
    workload = lk.workloads.product([lk.workloads.prefix(8), lk.workloads.k_way_marginals([2] * 8, 2)])
    found = workload.ordered_interactions
    assert found is not None
    bound = lk.lower_bound(workload, 1.0, "average")
    uniform = np.full(2048, 1 / 2048)
    assert bound.value == pytest.approx(nuclear_norm_value(workload.gram(), 1.0, uniform), rel=1e-7)
    worst = lk.lower_bound(workload, 1.0)
    assert worst.value > bound.value
    assert worst.kind == "nuclear norm"


def test_a_hundred_attributes_beside_the_ordered_one() -> None:
    """The nuclear norm is at least that of the others times that of the prefixes, which is more than 4/√3."""
    others = lk.workloads.k_way_marginals([2] * 100, 2)
    bound = lk.lower_bound(lk.workloads.product([lk.workloads.prefix(16), others]), 1.0)
    alone = lk.lower_bound(others, 1.0, kind="nuclear norm")
    assert bound.value > 16 / 3 * alone.value
