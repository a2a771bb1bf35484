"""The certified method end to end: the true optimum, by duality over all patterns, and what its answer claims."""

from __future__ import annotations

import numpy as np
import pytest
from two_level_cases import WORKLOADS, design_of, proved_minimum

import lowkey as lk
from lowkey.checks import Vector
from lowkey.mechanisms import Mechanism, TwoLevelMechanism
from lowkey.optimize import Solution
from lowkey.workloads import Workload

UNEVEN = np.array([40, 25, 15, 10, 6, 4]) / 100
TEN = {
    "prefix": lk.workloads.prefix(10),
    "ranges": lk.workloads.ranges(10),
    "random": lk.workloads.from_matrix(np.random.default_rng(4).normal(size=(14, 9))),
}


def check_optimal(workload: Workload, solution: Solution, prior: Vector | None = None) -> None:
    """Within 1e-6 of what is proved for the prior that the mechanism was designed for."""
    cells, mechanism = workload.shape[1], solution.mechanism
    weights = np.full(cells, 1 / cells) if prior is None else prior
    if mechanism.design_prior is not None and solution.objective == "worst":
        weights = mechanism.design_prior
    proved = proved_minimum(workload, design_of(mechanism, weights), mechanism.epsilon)
    assert proved * (1 - 1e-6) <= solution.value <= proved * (1 + 1e-6)


@pytest.mark.parametrize("objective", ["average", "worst"])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("name", WORKLOADS)
def test_the_true_optimum(name: str, epsilon: float, objective: str) -> None:
    check_optimal(WORKLOADS[name], lk.optimize(WORKLOADS[name], epsilon, objective))


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["average", "worst"])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("name", TEN)
def test_the_true_optimum_of_ten_cells(name: str, epsilon: float, objective: str) -> None:
    check_optimal(TEN[name], lk.optimize(TEN[name], epsilon, objective))


@pytest.mark.parametrize("epsilon", [0.5, 2.0])
@pytest.mark.parametrize("name", ["histogram", "uneven"])
def test_the_true_optimum_for_a_prior(name: str, epsilon: float) -> None:
    solution = lk.optimize(WORKLOADS[name], epsilon, "average", prior=UNEVEN)
    check_optimal(WORKLOADS[name], solution, UNEVEN)


@pytest.mark.parametrize("seed", [1, 2])
def test_every_seed_ends_at_the_same_value(seed: int) -> None:
    workload = WORKLOADS["prefix"]
    assert lk.optimize(workload, 1.0, seed=seed).value == pytest.approx(lk.optimize(workload, 1.0).value, rel=1e-6)


def plain_variances(workload: Workload, mechanism: Mechanism, prior: Vector) -> Vector:
    """z_u = Σ_o Q_ou ‖v_o‖² − ‖Wₑ_u‖² with V = W X⁻¹ Qᵀ D⁻¹, from dense matrices."""
    strategy, queries = mechanism.to_dense(), workload.to_dense()
    scaled = strategy.T / (strategy @ prior)
    decoder = queries @ np.linalg.inv(scaled @ strategy) @ scaled
    np.testing.assert_allclose(decoder @ strategy, queries, atol=1e-7)
    variances: Vector = (decoder**2).sum(axis=0) @ strategy - (queries**2).sum(axis=0)
    return variances


@pytest.mark.parametrize("objective", ["average", "worst"])
@pytest.mark.parametrize("prior", [None, UNEVEN], ids=["even", "uneven"])
@pytest.mark.parametrize("epsilon", [0.5, 4.0, 9.0])
def test_what_is_claimed_is_what_the_deployed_decoder_does(
    epsilon: float, prior: Vector | None, objective: str
) -> None:
    """Tuned for `mechanism.design_prior`, by which estimates are made; a prior never retunes the worst case."""
    workload = WORKLOADS["uneven"]
    solution = lk.optimize(workload, epsilon, objective, prior=prior)
    tuned_for = solution.mechanism.design_prior
    even = np.full(6, 1 / 6)
    variances = plain_variances(workload, solution.mechanism, even if tuned_for is None else tuned_for)
    claimed = variances.max() if objective == "worst" else variances @ (even if prior is None else prior)
    assert solution.value == pytest.approx(claimed, rel=1e-8)
    np.testing.assert_allclose(lk.analyze(workload, solution.mechanism).per_type, variances, rtol=1e-7)


def test_a_prior_changes_nothing_for_the_worst_case_but_the_average_that_is_told() -> None:
    workload = lk.workloads.histogram(6)
    with_prior, without = (lk.optimize(workload, 6.0, "worst", prior=prior) for prior in (UNEVEN, None))
    assert with_prior.value == without.value
    assert with_prior.analysis.average == pytest.approx(with_prior.analysis.per_type @ UNEVEN)


@pytest.mark.parametrize("method", ["auto", "projected-gradient"])
def test_a_mechanism_for_a_prior_carries_it(method: str) -> None:
    """Whichever it is: at ε = 8 randomized response wins, and its decoder is tuned as well."""
    for epsilon in (1.0, 8.0):
        solution = lk.optimize(lk.workloads.histogram(6), epsilon, "average", method, prior=UNEVEN, iterations=50)
        assert solution.mechanism.design_prior is not None
        np.testing.assert_allclose(solution.mechanism.design_prior, UNEVEN)


@pytest.mark.parametrize("epsilon", [1e-4, 1e-2, 12.0, 30.0])
def test_extreme_budgets(epsilon: float) -> None:
    """Small ε: the variance is that of the bound's rate, 1/ε²; large ε: next to nothing is left."""
    workload = lk.workloads.prefix(8)
    solution = lk.optimize(workload, epsilon)
    assert solution.mechanism.is_ldp(epsilon)
    if epsilon < 1:
        scaled = solution.value * epsilon**2
        assert scaled == pytest.approx(lk.optimize(workload, 2 * epsilon).value * (2 * epsilon) ** 2, rel=0.02)
    else:
        simple = lk.analyze(workload, lk.mechanisms.create("randomized_response", 8, epsilon)).worst_case
        assert 0 < solution.value <= simple


@pytest.mark.parametrize("scale", [2.0**-300, 2.0**-20, 2.0**300])
@pytest.mark.parametrize("objective", ["average", "worst"])
def test_a_workload_s_scale_changes_the_value_by_its_square(scale: float, objective: str) -> None:
    workload = WORKLOADS["prefix"]
    scaled = lk.workloads.from_matrix(scale * workload.to_dense())
    value, other = lk.optimize(workload, 2.0, objective).value, lk.optimize(scaled, 2.0, objective).value
    assert other == pytest.approx(value * scale**2, rel=1e-6)


ODD = {
    "an empty query": np.vstack([np.tril(np.ones((6, 6))), np.zeros((1, 6))]),
    "repeated queries": np.vstack([np.eye(6)] * 3),
    "a cell that no query sees": np.tril(np.ones((6, 6)))[:, ::-1] * np.array([1, 1, 0, 1, 1, 1]),
    "rank one": np.outer([1.0, 2.0, 3.0], [1.0, 0.0, 0.0, 1.0, 1.0, 0.0]),
    "very unequal queries": np.tril(np.ones((6, 6))) * 10.0 ** np.arange(-3, 3)[:, None],
}


@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 6.0])
@pytest.mark.parametrize("name", ODD)
def test_odd_workloads_are_answered_without_bias(name: str, epsilon: float) -> None:
    solution = lk.optimize(lk.workloads.from_matrix(ODD[name]), epsilon)
    answers = np.asarray(solution.analysis.decoder) @ solution.mechanism.to_dense()
    np.testing.assert_allclose(answers, ODD[name], atol=1e-5 * np.abs(ODD[name]).max())
    simple = lk.mechanisms.create("randomized_response", 6, epsilon)
    assert solution.value <= lk.analyze(lk.workloads.from_matrix(ODD[name]), simple).worst_case * (1 + 1e-9)


@pytest.mark.parametrize("objective", ["average", "worst"])
@pytest.mark.parametrize(("rank", "cells", "epsilon"), [(1, 5, 1.0), (1, 12, 2.0), (2, 9, 0.5), (3, 8, 4.0)])
def test_every_seed_ends_at_the_same_value_for_few_independent_queries(
    rank: int, cells: int, epsilon: float, objective: str
) -> None:
    """The problem is convex, though the curvature has lost its rank: it has one optimum, to 1e-6 of which all lead."""
    rng = np.random.default_rng(rank * cells)
    queries = rng.normal(size=(2 * rank, rank)) @ rng.normal(size=(rank, cells))
    values = [lk.optimize(lk.workloads.from_matrix(queries), epsilon, objective, seed=seed).value for seed in range(3)]
    assert max(values) == pytest.approx(min(values), rel=1e-6)


@pytest.mark.parametrize("queries", [np.zeros((3, 5)), np.ones((2, 5)), np.outer([1, -2], np.ones(5))])
def test_totals_cost_nothing(queries: Vector) -> None:
    solution = lk.optimize(lk.workloads.from_matrix(queries), 1.0)
    assert solution.value == pytest.approx(0, abs=1e-12)


def test_two_cells_are_warner_s_coin() -> None:
    """At n = 2 nothing beats randomized response: e^ε/(e^ε − 1)² for either cell's count."""
    solution = lk.optimize(lk.workloads.histogram(2), 1.0)
    e = np.exp(1.0)
    assert solution.value == pytest.approx(2 * e / (e - 1) ** 2, rel=1e-9)


@pytest.mark.gpu
@pytest.mark.parametrize("objective", ["average", "worst"])
def test_the_gpu_finds_what_the_cpu_finds(objective: str) -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    workload = lk.workloads.prefix(64)
    on_gpu, on_cpu = (lk.optimize(workload, 1.0, objective, device=device) for device in ("cuda", "cpu"))
    assert on_gpu.value == pytest.approx(on_cpu.value, rel=0.01)
    assert isinstance(on_gpu.mechanism, TwoLevelMechanism)
    np.testing.assert_allclose(on_gpu.mechanism.to_dense().sum(axis=0), 1, atol=1e-12)


@pytest.mark.gpu
def test_the_gpu_reweights_as_the_cpu_does() -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    workload, mechanism = lk.workloads.prefix(32), lk.mechanisms.create("hierarchical", 32, 1.0)
    on_gpu, on_cpu = (
        lk.analyze(workload, lk.reweight(workload, mechanism, device=device)).worst_case for device in ("cuda", "cpu")
    )
    assert on_gpu == pytest.approx(on_cpu, rel=0.02)
