"""reweight: never worse than what was given, and the best that its rows allow."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from two_level_cases import WORKLOADS, all_patterns, design_of, proved_minimum

import lowkey as lk
from lowkey.checks import Vector
from lowkey.errors import InvalidInput, QueryNotAnswerable
from lowkey.mechanisms import DenseMechanism, Mechanism, TwoLevelMechanism, available, create
from lowkey.mechanisms.two_level import high_level
from lowkey.workloads import Workload

NAMES = [name for name in available(8, 1.0) if name not in ("matrix_mechanism_l1", "matrix_mechanism_l2", "gaussian")]
UNEVEN = np.array([30, 20, 15, 10, 10, 5, 5, 5]) / 100


def value(workload: Workload, mechanism: Mechanism, objective: str, prior: Vector | None) -> float:
    if objective == "worst":
        return lk.analyze(workload, mechanism).worst_case
    return lk.analyze(workload, mechanism, prior).average


@pytest.mark.parametrize(("objective", "prior"), [("worst", None), ("average", None), ("average", UNEVEN)])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0, 20.0])
@pytest.mark.parametrize("name", NAMES)
def test_it_is_never_worse(name: str, epsilon: float, objective: str, prior: Vector | None) -> None:
    workload, mechanism = lk.workloads.prefix(8), create(name, 8, epsilon)
    again = lk.reweight(workload, mechanism, objective, prior)
    assert value(workload, again, objective, prior) <= value(workload, mechanism, objective, prior) * (1 + 1e-12)
    assert again.is_ldp(epsilon)
    np.testing.assert_allclose(again.to_dense().sum(axis=0), 1, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 10**6), st.integers(2, 8), st.floats(0.1, 6), st.sampled_from(["worst", "average"]))
def test_it_is_never_worse_for_any_strategy(seed: int, cells: int, epsilon: float, objective: str) -> None:
    rng = np.random.default_rng(seed)
    rows = rng.uniform(1, np.exp(0.9 * epsilon), (2 * cells, cells))
    mechanism = lk.optimize(
        lk.workloads.histogram(cells), epsilon, method="projected-gradient", iterations=2, seed=seed
    ).mechanism
    workload = lk.workloads.from_matrix(np.vstack([rows, np.ones(cells)]))
    again = lk.reweight(workload, mechanism, objective)
    assert value(workload, again, objective, None) <= value(workload, mechanism, objective, None) * (1 + 1e-12)


@pytest.mark.parametrize("objective", ["worst", "average"])
@pytest.mark.parametrize("name", WORKLOADS)
def test_all_patterns_with_even_weights_become_the_optimum(name: str, objective: str) -> None:
    """By duality, to 1e-6."""
    workload = WORKLOADS[name]
    patterns = all_patterns(workload.shape[1])
    weight = 1 / np.where(patterns[:, 0], high_level(1.0), 1.0).sum()
    even = TwoLevelMechanism(patterns, np.full(len(patterns), weight), 1.0)
    best = lk.reweight(workload, even, objective)
    prior = np.full(workload.shape[1], 1 / workload.shape[1]) if best.design_prior is None else best.design_prior
    proved = proved_minimum(workload, design_of(best, prior), 1.0)
    assert value(workload, best, objective, None) == pytest.approx(proved, rel=1e-6)


def test_a_hierarchy_gains_two_fifths_on_prefixes() -> None:
    """202.4 becomes 122.7 in the worst case, n = 16, ε = 1."""
    workload, mechanism = lk.workloads.prefix(16), create("hierarchical", 16, 1.0)
    again = lk.reweight(workload, mechanism)
    assert lk.analyze(workload, mechanism).worst_case == pytest.approx(202, abs=0.5)
    assert lk.analyze(workload, again).worst_case == pytest.approx(123, abs=0.5)
    assert again.name == "hierarchical, reweighted"
    assert again.shape[0] <= mechanism.shape[0]


def test_what_is_best_already_comes_back_as_it_is() -> None:
    """One-cell patterns cannot be weighted otherwise, and a histogram's symmetry asks for even weights."""
    mechanism = create("randomized_response", 6, 1.0)
    assert lk.reweight(lk.workloads.histogram(6), mechanism) is mechanism


def test_a_second_time_changes_nothing_more() -> None:
    workload = lk.workloads.prefix(8)
    once = lk.reweight(workload, create("hadamard", 8, 1.0))
    twice = lk.reweight(workload, once)
    values = [lk.analyze(workload, one).worst_case for one in (once, twice)]
    assert values[1] == pytest.approx(values[0], rel=1e-6)


def test_totals_need_nothing() -> None:
    mechanism = create("hadamard", 8, 1.0)
    assert lk.reweight(lk.workloads.from_matrix(np.ones((2, 8))), mechanism) is mechanism


def test_a_prior_s_average_is_what_it_lowers() -> None:
    workload, mechanism = lk.workloads.prefix(8), create("hierarchical", 8, 1.0)
    tuned, even = (lk.reweight(workload, mechanism, "average", prior) for prior in (UNEVEN, None))
    assert value(workload, tuned, "average", UNEVEN) < value(workload, even, "average", UNEVEN)
    assert tuned.design_prior is not None
    np.testing.assert_allclose(tuned.design_prior, UNEVEN)


def test_the_same_comes_out_each_time() -> None:
    workload, mechanism = lk.workloads.prefix(8), create("hierarchical", 8, 1.0)
    np.testing.assert_array_equal(
        lk.reweight(workload, mechanism).to_dense(), lk.reweight(workload, mechanism).to_dense()
    )


def test_what_it_refuses() -> None:
    workload = lk.workloads.prefix(8)
    with pytest.raises(InvalidInput, match="the mechanism is 'hadamard'; expected a Mechanism"):
        lk.reweight(workload, "hadamard")  # type: ignore[arg-type]
    with pytest.raises(InvalidInput, match="objective is 'mean'"):
        lk.reweight(workload, create("hadamard", 8, 1.0), "mean")
    with pytest.raises(InvalidInput, match="the mechanism's domain is 4 cells"):
        lk.reweight(workload, create("hadamard", 4, 1.0))
    silent = DenseMechanism(np.full((2, 8), 0.5), 1.0)
    with pytest.raises(QueryNotAnswerable):
        lk.reweight(workload, silent)
