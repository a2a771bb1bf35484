"""A row's numbers are the paper's formulas and the library's own; what cannot be measured says why."""

from __future__ import annotations

import importlib
import math

import pytest

import lowkey as lk
from benchmarks.authors import COMPETITORS, figures
from lowkey.experiments import Settings, Task, experiment
from lowkey.experiments.measure import measure
from lowkey.experiments.paper_workloads import paper_workload


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 4.0])
@pytest.mark.parametrize("n", [8, 512])
def test_randomized_response_is_the_paper_s_closed_form(n: int, epsilon: float) -> None:
    found = measure(Task("histogram", epsilon, n, "randomized_response"))
    gain = math.exp(epsilon) - 1
    people = (n - 1) / (0.01 * n) * (n / gain**2 + 2 / gain)  # its example on sample complexity
    assert found.sample_complexity == pytest.approx(people, rel=1e-9)
    assert found.worst_case == pytest.approx(people * n * 0.01, rel=1e-9)
    assert found.average == pytest.approx(found.worst_case, rel=1e-9)
    assert (found.status, found.outputs, found.delta) == ("exact", n, 0.0)


def test_competitors_are_the_authors_strategies() -> None:
    for figure in figures(*COMPETITORS, cells=64):
        found = measure(Task(figure["workload"], figure["epsilon"], 64, figure["mechanism"]))
        assert found.worst_case == pytest.approx(figure["worst_case"], rel=1e-6)
        assert found.outputs == figure["outputs"]


def test_the_bound_is_the_library_s_and_stands_in_every_pure_row() -> None:
    bound = lk.lower_bound(paper_workload("all_range", 16), 1.0)
    found = measure(Task("all_range", 1.0, 16, "lower_bound"))
    assert (found.worst_case, found.bound, found.gap) == (bound.value, bound.value, None)
    assert found.sample_complexity == pytest.approx(bound.value / (136 * 0.01), rel=1e-12)
    beside = measure(Task("all_range", 1.0, 16, "hadamard"))
    assert beside.bound == bound.value
    assert beside.worst_case is not None
    assert beside.gap == beside.worst_case / bound.value - 1


def test_a_bound_for_pure_epsilon_says_nothing_of_weaker_promises() -> None:
    found = measure(Task("prefix", 1.0, 8, "matrix_mechanism_l2"))
    assert (found.bound, found.gap, found.delta, found.outputs) == (None, None, 1e-9, None)


def test_the_optimizer_is_asked_as_the_row_says() -> None:
    task = Task("prefix", 1.0, 8, "algorithm_2", 24, 7, 60.0, "cpu")
    direct = lk.optimize(paper_workload("prefix", 8), 1.0, method="projected-gradient", seed=7, outputs=24)
    found = measure(task)
    assert found.worst_case == pytest.approx(direct.analysis.worst_case, rel=1e-9)
    assert (found.outputs, found.status) == (direct.mechanism.shape[0], direct.status.value)
    assert found.average == pytest.approx(direct.analysis.average, rel=1e-9)


@pytest.mark.parametrize(
    ("task", "reason"),
    [
        (Task("parity", 1.0, 12, "hadamard"), "a power of two"),
        (Task("parity", 1.0, 12, "lowkey", None, 0, 1.0, "cpu"), "a power of two"),
        (Task("3way_marginals", 1.0, 4, "lower_bound"), ""),
    ],
)
def test_what_is_not_available_says_why(task: Task, reason: str) -> None:
    found = measure(task)
    assert (found.status, found.worst_case) == ("not available", None)
    assert reason in found.note
    assert found.note


def test_an_interrupted_search_is_no_row(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(*args: object) -> None:
        raise KeyboardInterrupt

    module = importlib.import_module("lowkey.optimize.projected_gradient")  # its namesake in the package is a function
    monkeypatch.setattr(module.Descent, "step", interrupt)
    for name, mechanism in (("figure1", "algorithm_2"), ("figure3c", "algorithm_2")):
        with pytest.raises(KeyboardInterrupt):
            experiment(name).measure(Task("histogram", 1.0, 8, mechanism, None, 0, 1.0, "cpu"))


def test_figure_3c_measures_fifteen_iterations() -> None:
    found = experiment("figure3c").measure(Task("histogram", 1.0, 16, "algorithm_2", None, 0, 60.0, "cpu"))
    assert found.note == "mean of 15 iterations"
    assert found.iteration_seconds is not None
    assert found.seconds is not None
    assert 0 < 15 * found.iteration_seconds < found.seconds


def check_order(name: str, settings: Settings) -> None:
    """lowkey needs no more people than any competitor that keeps pure ε, and no fewer than is proved."""
    one = experiment(name)
    found = [(task, one.measure(task)) for task in one.tasks(settings)]
    for task, outcome in found:
        if task.mechanism != "lowkey":
            continue
        rivals = [
            other.worst_case
            for rival, other in found
            if (rival.workload, rival.epsilon, rival.n) == (task.workload, task.epsilon, task.n)
            and rival.mechanism != "lower_bound"
            and rival.outputs_asked in (None, 4 * rival.n)
            and rival.seed in (None, 0)
            and other.worst_case is not None
        ]
        assert outcome.worst_case is not None
        assert outcome.bound is not None
        assert outcome.bound <= outcome.worst_case <= min(rivals) * (1 + 1e-3), task


@pytest.mark.parametrize("name", ["figure1", "figure2", "figure3b"])
def test_lowkey_is_best_and_above_the_bound(name: str) -> None:
    check_order(name, experiment(name).quick.changed(sizes=(8,), epsilons=(2.0,), workloads=("prefix", "parity")))


@pytest.mark.slow
@pytest.mark.parametrize("name", ["figure1", "figure2", "figure3b"])
def test_lowkey_is_best_in_every_quick_setting(name: str) -> None:
    check_order(name, experiment(name).quick)
