"""Few outputs a cell: never worse than Algorithm 2 with as many, within the size, the time and the hand on Ctrl-C."""

from __future__ import annotations

import math
import time

import numpy as np
import pytest

import lowkey as lk
from lowkey.optimize import Progress, Status
from lowkey.workloads import Workload

CELLS = 16
PREFIX = lk.workloads.prefix(CELLS)
WORKLOADS = {"prefix": PREFIX, "ranges": lk.workloads.ranges(12), "histogram": lk.workloads.histogram(10)}


def value_of(workload: Workload, epsilon: float, objective: str, **options: object) -> float:
    return lk.optimize(workload, epsilon, objective, **options).value  # type: ignore[arg-type]


@pytest.mark.parametrize("objective", ["worst", "average"])
@pytest.mark.parametrize("epsilon", [1.0, 3.0])
@pytest.mark.parametrize("per_cell", [1, 2, 4])
@pytest.mark.parametrize("name", WORKLOADS)
def test_auto_never_loses_against_algorithm_2_with_as_many_outputs(
    name: str, per_cell: int, epsilon: float, objective: str
) -> None:
    workload = WORKLOADS[name]
    most = per_cell * workload.shape[1]
    paper = value_of(workload, epsilon, objective, method="projected-gradient", outputs=most)
    assert value_of(workload, epsilon, objective, max_outputs=most) <= paper


def test_as_many_outputs_as_cells_are_no_excuse_for_randomized_response() -> None:
    simple = lk.analyze(PREFIX, lk.mechanisms.create("randomized_response", CELLS, 1.0)).worst_case
    assert value_of(PREFIX, 1.0, "worst", max_outputs=CELLS) < 0.4 * simple


def test_a_prior_is_what_the_average_is_lowered_for() -> None:
    prior = np.linspace(1, 5, CELLS) / np.linspace(1, 5, CELLS).sum()
    tuned = lk.optimize(PREFIX, 1.0, "average", prior=prior, max_outputs=CELLS)
    plain = lk.optimize(PREFIX, 1.0, "average", max_outputs=CELLS)
    assert tuned.value < lk.analyze(PREFIX, plain.mechanism, prior).average
    assert tuned.mechanism.design_prior is not None
    np.testing.assert_allclose(tuned.mechanism.design_prior, prior)


@pytest.mark.parametrize("objective", ["worst", "average"])
@pytest.mark.parametrize("per_cell", [1, 2])
def test_it_is_private_and_its_value_is_the_deployed_decoder_s(per_cell: int, objective: str) -> None:
    solution = lk.optimize(PREFIX, 1.0, objective, max_outputs=CELLS * per_cell)
    strategy = solution.mechanism.to_dense()
    np.testing.assert_allclose(strategy.sum(axis=0), 1, atol=1e-14)
    assert (strategy.max(axis=1) <= math.e * strategy.min(axis=1) * (1 + 1e-14)).all()
    again = lk.analyze(PREFIX, solution.mechanism)
    assert solution.value == pytest.approx(again.worst_case if objective == "worst" else again.average)


@pytest.mark.parametrize("per_cell", [1, 2])
def test_the_same_seed_repeats_and_another_gives_another_strategy(per_cell: int) -> None:
    one, same, other = (
        lk.optimize(PREFIX, 1.0, seed=seed, max_outputs=CELLS * per_cell).mechanism.to_dense() for seed in (3, 3, 4)
    )
    np.testing.assert_array_equal(one, same)
    assert one.shape != other.shape or np.abs(one - other).max() > 1e-3


@pytest.mark.parametrize("stage", ["rows, random start", "rows, patterns", "rows, Algorithm 2"])
def test_ctrl_c_keeps_the_best_rows_so_far(stage: str) -> None:
    seen: list[Progress] = []

    def impatient(moment: Progress) -> None:
        seen.append(moment)
        if moment.stage == stage and moment.iteration >= 30:
            raise KeyboardInterrupt

    solution = lk.optimize(PREFIX, 1.0, progress=impatient, max_outputs=2 * CELLS)
    assert solution.status is Status.INTERRUPTED
    assert solution.value <= seen[-1].value * (1 + 1e-6)
    assert solution.mechanism.shape[0] <= 2 * CELLS


def test_a_time_limit_holds_and_leaves_the_rows_their_share() -> None:
    started = time.perf_counter()
    solution = lk.optimize(lk.workloads.prefix(96), 1.0, time_limit=1.0, max_outputs=96, tolerance=0)
    assert time.perf_counter() - started < 6
    assert solution.status is Status.TIME_LIMIT
    assert solution.history[-1].stage == "rows, random start"


def test_rows_of_many_levels_are_a_start_too() -> None:
    first = lk.optimize(PREFIX, 1.0, max_outputs=2 * CELLS)
    assert not isinstance(first.mechanism, lk.mechanisms.TwoLevelMechanism)
    after = lk.optimize(PREFIX, 1.0, start=first, max_outputs=2 * CELLS)
    assert after.value <= first.value * (1 + 1e-12)


def test_more_outputs_leave_the_search_as_it_was() -> None:
    solution = lk.optimize(PREFIX, 1.0, max_outputs=9 * CELLS)
    assert not [moment for moment in solution.history if moment.stage.startswith("rows")]


@pytest.mark.gpu
@pytest.mark.parametrize("objective", ["worst", "average"])
def test_the_gpu_finds_what_the_cpu_finds(objective: str) -> None:
    torch = pytest.importorskip("torch")
    if not torch.cuda.is_available():
        pytest.skip("no CUDA device")
    on_gpu, on_cpu = (
        value_of(PREFIX, 1.0, objective, max_outputs=2 * CELLS, device=device) for device in ("cuda", "cpu")
    )
    assert on_gpu == pytest.approx(on_cpu, rel=0.03)
