"""The variance block by block is that of the listed strategy with its best decoder."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lowkey as lk
from lowkey.checks import Vector
from lowkey.errors import QueryNotAnswerable, TooLarge
from lowkey.mechanisms import DenseMechanism
from lowkey.mechanisms.sampled import SampledMechanism
from lowkey.mechanisms.two_level import high_level
from lowkey.workloads import Workload
from sampled_cases import random_sampled

PAIRS = lk.workloads.k_way_marginals
PREFIXES = lk.workloads.product([lk.workloads.prefix(3), PAIRS([2, 2, 2], 2)])
STACKED = lk.workloads.stack(
    [
        lk.workloads.product([lk.workloads.prefix(3), PAIRS([3, 3, 3], 2)]),
        lk.workloads.product([lk.workloads.histogram(3), PAIRS([3, 3, 3], 1)]),
    ],
    [1, 0.5],
)
CASES: list[tuple[Workload, list[tuple[int, ...]]]] = [
    (PREFIXES, [(1, 2, 3)] * 2),
    (PREFIXES, [(1, 2, 3)] * 3),
    (lk.workloads.product([PAIRS([2, 3, 3], 2), lk.workloads.all_range(4)]), [(1, 2), (0,), (1, 2)]),
    (STACKED, [(1, 2, 3)] * 2),
    (lk.workloads.product([lk.workloads.prefix(5), PAIRS([2, 2, 2], 1)]), [(2,), (1, 3)]),
]


def attribute_of(workload: Workload) -> int:
    assert workload.ordered_interactions is not None
    return workload.ordered_interactions.attribute


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize(("workload", "pools"), CASES, ids=str)
def test_it_is_that_of_the_best_decoder_of_the_matrix(workload: Workload, pools: Any, epsilon: float) -> None:
    mechanism = random_sampled(workload.sizes, attribute_of(workload), pools, epsilon)
    dense = lk.analyze(workload, DenseMechanism(mechanism.to_dense(), epsilon))
    found = lk.analyze(workload, mechanism)
    np.testing.assert_allclose(found.per_type, dense.per_type, rtol=1e-8)
    assert found.worst_case == pytest.approx(dense.worst_case, rel=1e-8)
    assert found.average == pytest.approx(dense.average, rel=1e-8)
    people = np.arange(workload.shape[1])
    assert found.total_variance(people) == pytest.approx(dense.total_variance(people), rel=1e-8)


@pytest.mark.parametrize("prior", [np.array([0.5, 0.3, 0.2]), np.array([0.9, 0.05, 0.05])])
def test_it_is_so_for_the_prior_that_the_mechanism_was_designed_for(prior: Vector) -> None:
    mechanism = random_sampled(PREFIXES.sizes, 0, [(1, 2, 3)] * 2, ordered_prior=prior)
    assert mechanism.design_prior is not None
    dense = lk.analyze(PREFIXES, DenseMechanism(mechanism.to_dense(), 1.0), tuned_for=mechanism.design_prior)
    np.testing.assert_allclose(lk.analyze(PREFIXES, mechanism).per_type, dense.per_type, rtol=1e-8)


def test_each_family_has_its_own() -> None:
    schema = lk.Schema(
        [lk.Ordered("age", edges=[0, 18, 65, 120])] + [lk.Categorical(name, ["no", "yes"]) for name in "abc"]
    )
    workload = lk.workloads.stack(
        [
            PREFIXES.on(schema, "age", "a", "b", "c"),
            PAIRS([2, 2, 2], 2).on(schema, "a", "b", "c"),
            lk.workloads.all_range(3).on(schema, "age"),
        ],
        [1, 2, 0.5],
    )
    mechanism = random_sampled(workload.sizes, 0, [(1, 2, 3)] * 2)
    dense = lk.analyze(workload, DenseMechanism(mechanism.to_dense(), 1.0))
    found = lk.analyze(workload, mechanism)
    for own, other in zip(found.families, dense.families, strict=True):
        np.testing.assert_allclose(own.per_type, other.per_type, rtol=1e-8)


def test_what_no_draw_holds_together_is_not_answerable() -> None:
    mechanism = random_sampled((3, 2, 2, 2), 0, [(1, 2, 3)])
    with pytest.raises(QueryNotAnswerable, match="attributes 1, 2 together"):
        lk.analyze(PREFIXES, mechanism)


def test_what_no_pattern_tells_is_not_answerable() -> None:
    ages = np.broadcast_to(np.eye(3, dtype=bool)[:, :, None, None], (3, 3, 2, 2))
    weights = np.full(3, 1 / (2 + high_level(1.0)))
    mechanism = SampledMechanism((3, 2, 2, 2), 0, [(1, 2, 3)] * 2, ages, weights, 1.0)
    with pytest.raises(QueryNotAnswerable, match="determine all that depends on the ordered attribute and"):
        lk.analyze(PREFIXES, mechanism)


def test_a_hundred_attributes_need_no_list_of_types() -> None:
    workload = lk.workloads.product([lk.workloads.prefix(4), PAIRS([2] * 100, 2)])
    found = lk.analyze(workload, random_sampled(workload.sizes, 0, [tuple(range(1, 101))] * 2))
    assert lk.lower_bound(workload, 1.0).value < found.average < found.worst_case
    with pytest.raises(TooLarge, match="the variance by type"):
        _ = found.per_type
