"""The verb: quality against known optima and the authors' optimizer, and its promises on seeds, limits and Ctrl-C."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import lowkey as lk
from lowkey.errors import InvalidInput, NotAvailable
from lowkey.optimize import Progress, Status
from lowkey.workloads import Workload

PREFIX = lk.workloads.prefix(8)

WORKLOADS = {
    "histogram": lk.workloads.histogram(8),
    "prefix": PREFIX,
    "3-way marginals": lk.workloads.k_way_marginals([2, 2, 2, 2], 3),
    "parity": lk.workloads.parity(4, 1),
    "repeated queries": lk.workloads.from_matrix(np.vstack([np.eye(6), np.eye(6), np.ones((1, 6))])),
    "one query": lk.workloads.from_matrix([[1.0, 0.0, 0.0, 1.0]]),
}


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
@pytest.mark.parametrize("name", WORKLOADS)
def test_it_returns_a_private_strategy_that_answers_the_workload(name: str, epsilon: float) -> None:
    workload = WORKLOADS[name]
    solution = lk.optimize(workload, epsilon, iterations=150)
    strategy = solution.mechanism.to_dense()
    np.testing.assert_allclose(strategy.sum(axis=0), 1, atol=1e-14)
    assert (strategy.max(axis=1) <= math.exp(epsilon) * strategy.min(axis=1) * (1 + 1e-14)).all()
    decoder = np.asarray(solution.analysis.decoder)
    np.testing.assert_allclose(decoder @ strategy, workload.to_dense(), atol=1e-6)


@pytest.mark.parametrize("name", WORKLOADS)
def test_auto_is_never_worse_than_a_strategy_of_the_catalogue(name: str) -> None:
    workload = WORKLOADS[name]
    solution = lk.optimize(workload, 4.0, iterations=30)
    for competitor in ("randomized_response", "hadamard", "hierarchical", "fourier", "haar"):
        (result,) = lk.compare(workload, 4.0, [competitor])
        assert solution.analysis.worst_case <= result.worst_case * (1 + 1e-9)


def test_it_comes_close_to_the_true_optimum() -> None:
    """Prefix n = 10, ε = 1: 34.29512 on average, by enumeration of all two-level rows."""
    solution = lk.optimize(lk.workloads.prefix(10), 1.0, objective="average")
    assert solution.analysis.average == pytest.approx(34.29512, rel=1e-6)


def test_average_and_worst_are_judged_as_asked() -> None:
    average = lk.optimize(PREFIX, 3.0, objective="average")
    worst = lk.optimize(PREFIX, 3.0, objective="worst")
    assert average.value == average.analysis.average
    assert worst.value == worst.analysis.worst_case
    assert average.analysis.average <= worst.analysis.average * (1 + 1e-9)


def test_a_prior_moves_the_accuracy_to_where_people_are() -> None:
    prior = np.array([50, 20, 10, 5, 5, 4, 3, 3.0]) / 100
    tuned = lk.optimize(PREFIX, 1.0, objective="average", prior=prior)
    uniform = lk.optimize(PREFIX, 1.0, objective="average")
    assert tuned.analysis.average < lk.analyze(PREFIX, uniform.mechanism, prior).average


def test_the_gap_is_what_the_bound_proves() -> None:
    solution = lk.optimize(lk.workloads.histogram(16), 0.5)
    assert solution.bound.value >= lk.lower_bound(lk.workloads.histogram(16), 0.5).value
    assert solution.gap == pytest.approx(solution.analysis.worst_case / solution.bound.value - 1)


def test_the_same_seed_gives_the_same_strategy_and_another_seed_another() -> None:
    one, same, other = (
        lk.optimize(PREFIX, 1.0, method="projected-gradient", seed=seed).mechanism.to_dense() for seed in (7, 7, 8)
    )
    np.testing.assert_array_equal(one, same)
    assert one.shape != other.shape or np.abs(one - other).max() > 1e-3


def test_it_starts_from_any_mechanism_and_improves_its_average() -> None:
    for name in ("randomized_response", "hadamard", "hierarchical", "fourier"):
        start = lk.mechanisms.create(name, 8, 1.0)
        solution = lk.optimize(PREFIX, 1.0, "average", method="projected-gradient", start=name)
        assert solution.origin == name
        assert solution.analysis.average < lk.analyze(PREFIX, start).average


def test_a_random_start_that_ends_above_a_known_strategy_goes_on_from_there() -> None:
    """On a histogram of 64 cells at ε = 4 the paper's start is stuck 13% above randomized response."""
    workload = lk.workloads.histogram(64)
    solution = lk.optimize(workload, 4.0, method="projected-gradient")
    known = lk.analyze(workload, lk.mechanisms.create("randomized_response", 64, 4.0))
    assert solution.analysis.worst_case <= known.worst_case * (1 + 1e-9)
    assert solution.history[-1].stage == "from randomized_response"


def test_a_run_that_was_ended_early_is_not_given_up_for_a_known_strategy() -> None:
    options: dict[str, Any] = {"method": "projected-gradient", "iterations": 3}
    solution = lk.optimize(lk.workloads.histogram(64), 4.0, **options)
    assert solution.status is Status.ITERATION_LIMIT
    assert [moment.stage for moment in solution.history] == ["random start"] * 3


def test_a_known_strategy_with_too_many_outputs_is_no_rival() -> None:
    solution = lk.optimize(lk.workloads.histogram(20), 0.5, method="projected-gradient", outputs=20)
    assert solution.mechanism.shape[0] <= 20


def test_several_sizes_compete_and_the_best_goes_on() -> None:
    stages = []
    solution = lk.optimize(
        PREFIX, 1.0, method="projected-gradient", outputs=[8, 32], progress=lambda moment: stages.append(moment.stage)
    )
    assert list(dict.fromkeys(stages)) == ["trying 8 outputs", "trying 32 outputs", "random start"]
    assert solution.mechanism.shape[0] in (8, 32)


def test_max_outputs_holds() -> None:
    assert lk.optimize(PREFIX, 1.0, max_outputs=9).mechanism.shape[0] <= 9


def test_a_time_limit_ends_the_search() -> None:
    solution = lk.optimize(lk.workloads.prefix(64), 1.0, time_limit=0.05, tolerance=0)
    assert solution.status is Status.TIME_LIMIT
    assert solution.seconds < 5
    assert "time_limit" in solution.advice


def test_ctrl_c_keeps_the_best_strategy_so_far() -> None:
    def impatient(moment: Progress) -> None:
        if moment.iteration == 5:
            raise KeyboardInterrupt

    solution = lk.optimize(PREFIX, 1.0, progress=impatient)
    assert solution.status is Status.INTERRUPTED
    assert len(solution.history) == 5
    assert solution.value <= solution.history[-1].value * (1 + 1e-6)


def test_every_iteration_lowers_the_value() -> None:
    values = [moment.value for moment in lk.optimize(PREFIX, 1.0, method="projected-gradient").history]
    assert (np.diff(values) < 0).all()


def test_rows_that_vanish_are_dropped() -> None:
    solution = lk.optimize(lk.workloads.prefix(16), 6.0, method="projected-gradient", outputs=160, tolerance=0)
    assert solution.mechanism.shape[0] < 160


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"method": "newton"}, "method is 'newton'; expected one of auto, projected-gradient"),
        ({"objective": "best"}, "objective is 'best'; expected one of worst, average"),
        ({"time_limit": 0}, "time_limit is 0; expected a positive number of seconds"),
        ({"outputs": 4}, "outputs is 4; expected a whole number of at least 8"),
        ({"outputs": []}, r"outputs is \[\]; expected a number of rows, or several"),
        ({"max_outputs": 3}, "max_outputs is 3; expected a whole number of at least 8"),
        ({"seed": -1}, "seed is -1"),
        ({"tolerance": 2}, "tolerance is 2"),
        ({"progress": "yes"}, "progress is 'yes'"),
        ({"device": "tpu"}, "device is 'tpu'; expected one of auto, cpu, cuda"),
        ({"start": 3}, "start is 3; expected the name of a mechanism"),
        ({"target_gap": -1}, "target_gap is -1; expected a number of at least 0"),
        ({"prior": [1, 2]}, "prior is an array of shape"),
    ],
)
def test_bad_options_are_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        lk.optimize(PREFIX, 1.0, **options)  # type: ignore[arg-type]


def test_a_start_must_satisfy_epsilon_and_the_domain() -> None:
    with pytest.raises(InvalidInput, match="not 1-LDP"):
        lk.optimize(PREFIX, 1.0, method="projected-gradient", start=lk.mechanisms.create("hadamard", 8, 2.0))
    with pytest.raises(InvalidInput, match="a mechanism over 8 cells"):
        lk.optimize(PREFIX, 1.0, method="projected-gradient", start=lk.mechanisms.create("hadamard", 9, 1.0))


def test_a_start_that_cannot_answer_the_workload_is_refused() -> None:
    fourier = lk.mechanisms.create("fourier", 8, 1.0, degree=1)
    with pytest.raises(lk.LowkeyError, match="not answerable"):
        lk.optimize(PREFIX, 1.0, method="projected-gradient", start=fourier)


def test_a_domain_of_one_cell_needs_no_answers() -> None:
    solution = lk.optimize(lk.workloads.histogram(1), 1.0)
    assert solution.analysis.worst_case == pytest.approx(0, abs=1e-12)


def test_cuda_without_a_gpu_says_what_is_missing() -> None:
    with pytest.raises((ImportError, NotAvailable), match=r"PyTorch|CUDA"):
        _skip_if_cuda(PREFIX)


def _skip_if_cuda(workload: Workload) -> None:
    try:
        import torch
    except ImportError:
        pass
    else:
        if torch.cuda.is_available():
            pytest.skip("a GPU is here")
    lk.optimize(workload, 1.0, device="cuda")


@pytest.mark.gpu
def test_the_gpu_finds_what_the_cpu_finds() -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    workload = lk.workloads.prefix(64)
    on_gpu = lk.optimize(workload, 1.0, method="projected-gradient", iterations=40, device="cuda")
    on_cpu = lk.optimize(workload, 1.0, method="projected-gradient", iterations=40, device="cpu")
    assert on_gpu.analysis.average == pytest.approx(on_cpu.analysis.average, rel=1e-3)
