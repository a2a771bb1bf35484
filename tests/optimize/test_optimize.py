"""The verb: quality against known optima and the authors' optimizer, and its promises on seeds, limits and Ctrl-C."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

import lowkey as lk
from lowkey.errors import InvalidInput, NotAvailable
from lowkey.optimize import Progress, Status, candidates, two_level_search
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


@pytest.mark.parametrize("stage", ["patterns", "cutting to size", "last digits"])
@pytest.mark.parametrize("at", [1, 2, 5])
@pytest.mark.parametrize("objective", ["worst", "average"])
def test_ctrl_c_in_any_stage_leaves_a_strategy_of_the_size_asked_for(stage: str, at: int, objective: str) -> None:
    seen: list[str] = []

    def impatient(moment: Progress) -> None:
        seen.append(moment.stage)
        if seen.count(stage) == at:
            raise KeyboardInterrupt

    solution = lk.optimize(PREFIX, 1.0, objective, progress=impatient, max_outputs=12, iterations=50)
    if seen.count(stage) >= at:
        assert solution.status is Status.INTERRUPTED
    assert "patterns" in seen
    assert solution.mechanism.shape[0] <= 12
    assert solution.mechanism.is_ldp(1.0)
    simple = lk.analyze(PREFIX, lk.mechanisms.create("randomized_response", 8, 1.0))
    assert solution.value <= (simple.worst_case if objective == "worst" else simple.average) * (1 + 1e-9)


def test_ctrl_c_during_the_cut_gives_up_nothing_that_was_not_asked_for() -> None:
    """Without max_outputs the size is a convenience: the uncut design is the better answer."""

    def impatient(moment: Progress) -> None:
        if moment.stage == "cutting to size":
            raise KeyboardInterrupt

    workload = lk.workloads.prefix(8)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(two_level_search, "default_outputs", lambda cells: 2 * cells)
        solution = lk.optimize(workload, 1.0, progress=impatient)
    grown = [moment.value for moment in solution.history if moment.stage == "patterns"]
    assert solution.status is Status.INTERRUPTED
    assert solution.value <= 1.5 * grown[-1]


def test_ctrl_c_in_the_catalogue_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def impatient(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(candidates, "create_for", impatient)
    solution = lk.optimize(PREFIX, 1.0)
    assert solution.status is Status.INTERRUPTED
    assert solution.origin == "randomized_response"
    assert solution.history == ()


@pytest.mark.parametrize("cells", [1, 2, 8, 300])
def test_no_time_at_all_still_gives_a_strategy(cells: int) -> None:
    workload = lk.workloads.prefix(cells)
    solution = lk.optimize(workload, 1.0, time_limit=1e-9)
    assert solution.mechanism.is_ldp(1.0)
    simple = lk.analyze(workload, lk.mechanisms.create("randomized_response", cells, 1.0)).worst_case
    assert solution.value <= simple * (1 + 1e-9)


def test_who_watches_sees_a_proved_gap() -> None:
    seen: list[Progress] = []
    solution = lk.optimize(PREFIX, 1.0, progress=seen.append)
    assert all(0 < moment.bound <= solution.value for moment in seen)
    assert seen[-1].gap == seen[-1].value / seen[-1].bound - 1


def test_a_gap_that_is_proved_ends_the_search() -> None:
    """And it is proved: by the bound that the solution carries."""
    workload = lk.workloads.histogram(12)
    patient = lk.optimize(workload, 1.0)
    asked = 0.05 + patient.gap
    eager = lk.optimize(workload, 1.0, target_gap=asked)
    assert eager.status is Status.GAP_REACHED
    assert eager.gap <= asked
    assert len(eager.history) < len(patient.history)
    assert "gap asked for is proved" in eager.advice


@pytest.mark.parametrize("objective", ["worst", "average"])
@pytest.mark.parametrize("outputs", [None, [24, 48]])
def test_a_gap_that_is_proved_ends_algorithm_2(outputs: list[int] | None, objective: str) -> None:
    options: dict[str, Any] = {"method": "projected-gradient", "outputs": outputs}
    workload = lk.workloads.prefix(12)
    patient = lk.optimize(workload, 1.0, objective, **options)
    eager = lk.optimize(workload, 1.0, objective, target_gap=1.5 * patient.gap, **options)
    assert eager.status is Status.GAP_REACHED
    assert patient.gap < eager.gap <= 1.5 * patient.gap
    assert len(eager.history) < len(patient.history)


def test_a_gap_that_cannot_be_proved_is_not_claimed() -> None:
    solution = lk.optimize(PREFIX, 1.0, target_gap=0.0, iterations=60)
    assert solution.status is not Status.GAP_REACHED
    assert solution.gap > 0


@pytest.mark.parametrize("objective", ["worst", "average"])
@pytest.mark.parametrize("iterations", [1, 40])
def test_going_on_from_a_solution_is_never_worse(objective: str, iterations: int) -> None:
    workload = lk.workloads.prefix(20)
    first = lk.optimize(workload, 1.0, objective, max_outputs=60)
    after = lk.optimize(workload, 1.0, objective, start=first, max_outputs=60, iterations=iterations)
    assert after.value <= first.value * (1 + 1e-12)
    assert after.mechanism.shape[0] <= 60


def test_a_solution_of_another_epsilon_is_a_start() -> None:
    """Its patterns, not its levels: the result is private at the ε asked for, and as good as any."""
    for other in (0.5, 3.0):
        start = lk.optimize(PREFIX, other)
        solution = lk.optimize(PREFIX, 1.0, start=start)
        assert solution.mechanism.is_ldp(1.0)
        assert solution.value == pytest.approx(lk.optimize(PREFIX, 1.0).value, rel=1e-5)


@pytest.mark.parametrize("name", ["hadamard", "hierarchical", "rappor", "square_wave"])
def test_a_start_by_name_is_never_worse_than_it(name: str) -> None:
    start = lk.analyze(PREFIX, lk.mechanisms.create(name, 8, 1.0))
    assert lk.optimize(PREFIX, 1.0, start=name, iterations=1).value <= start.worst_case * (1 + 1e-12)


@pytest.mark.parametrize("objective", ["worst", "average"])
@pytest.mark.parametrize("most", [None, 12])
def test_the_same_seed_repeats_bit_for_bit(objective: str, most: int | None) -> None:
    one, same = (lk.optimize(PREFIX, 1.0, objective, seed=5, max_outputs=most) for _ in range(2))
    np.testing.assert_array_equal(one.mechanism.to_dense(), same.mechanism.to_dense())
    assert [moment.value for moment in one.history] == [moment.value for moment in same.history]


def test_the_history_is_what_progress_saw() -> None:
    seen: list[Progress] = []
    solution = lk.optimize(PREFIX, 1.0, progress=seen.append)
    assert tuple(seen) == solution.history
    growing = [moment for moment in seen if moment.stage == "patterns"]
    assert [moment.iteration for moment in growing] == list(range(1, len(growing) + 1))
    assert (np.diff([moment.value for moment in growing]) <= 0).all()
    assert (np.diff([moment.seconds for moment in seen]) >= 0).all()
    assert solution.value <= growing[-1].value * (1 + 1e-6)
    assert solution.history[-1].value == pytest.approx(solution.value, rel=1e-6)


@pytest.mark.parametrize("epsilon", [1.0, 1.5])
def test_a_start_whose_outputs_cannot_be_listed_only_competes(epsilon: float) -> None:
    """Subset selection among 40 cells has 2,311,801,440 outputs at ε = 1."""
    workload = lk.workloads.histogram(40)
    start = lk.optimize(workload, 1.0, iterations=1)
    assert start.mechanism.has_closed_form
    after = lk.optimize(workload, epsilon, start=start, iterations=1)
    assert after.value <= lk.optimize(workload, epsilon, iterations=1).value * (1 + 1e-9)


NOISE = ("matrix_mechanism_l1", "matrix_mechanism_l2", "gaussian")
RIVALS = [name for name in lk.mechanisms.names() if name not in NOISE]


def check_that_auto_never_loses(seed: int, epsilon: float, objective: str) -> None:
    """Against every mechanism of the catalogue and Algorithm 2, on a random workload of up to 20 cells."""
    rng = np.random.default_rng(seed)
    queries, cells = rng.integers(1, 30), int(rng.integers(2, 21))
    kinds = (rng.normal(size=(queries, cells)), (rng.random((queries, cells)) < 0.4) + 0.0, np.tri(cells))
    workload = lk.workloads.from_matrix(kinds[seed % 3])
    best = lk.optimize(workload, epsilon, objective)
    paper = lk.optimize(workload, epsilon, objective, method="projected-gradient", iterations=300)
    values = [paper.value]
    for rival in lk.compare(workload, epsilon, RIVALS):
        if rival.analysis is not None:
            values.append(rival.analysis.worst_case if objective == "worst" else rival.analysis.average)
    assert len(values) > 3
    assert best.value <= min(values) * (1 + 1e-9)


@pytest.mark.parametrize("objective", ["worst", "average"])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.0, 4.0, 8.0])
def test_auto_never_loses(epsilon: float, objective: str) -> None:
    check_that_auto_never_loses(int(10 * epsilon), epsilon, objective)


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["worst", "average"])
@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.0, 4.0, 8.0])
@pytest.mark.parametrize("seed", range(6))
def test_auto_never_loses_on_many_workloads(seed: int, epsilon: float, objective: str) -> None:
    check_that_auto_never_loses(seed, epsilon, objective)


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
