"""The grids are the paper's, and what can be asked of one is bounded by it."""

from __future__ import annotations

from collections import Counter

import pytest

from lowkey.errors import InvalidInput
from lowkey.experiments import Settings, Task, experiment, names

PAPER_MECHANISMS = {
    "randomized_response",
    "hadamard",
    "hierarchical",
    "fourier",
    "matrix_mechanism_l1",
    "matrix_mechanism_l2",
}
SIX = {"histogram", "prefix", "all_range", "all_marginals", "3way_marginals", "parity"}


def asked(name: str) -> list[Task]:
    return list(experiment(name).tasks(experiment(name).full.changed(device="cpu")))


def test_the_figures_that_there_are() -> None:
    assert names() == ("figure1", "figure2", "figure3b", "figure3c")
    for name in names():
        assert experiment(name).name == name


def test_an_unknown_figure_says_which_exist() -> None:
    with pytest.raises(InvalidInput, match=r"one of figure1, figure2, figure3b, figure3c\. Did you mean figure1\?"):
        experiment("fig1")


@pytest.mark.parametrize(
    ("name", "epsilons", "sizes"),
    [
        ("figure1", (0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 3.5, 4.0), (512,)),
        ("figure2", (1.0,), (8, 16, 32, 64, 128, 256, 512, 1024)),
    ],
)
def test_figures_1_and_2(name: str, epsilons: tuple[float, ...], sizes: tuple[int, ...]) -> None:
    tasks = asked(name)
    assert len(tasks) == len(set(tasks)) == 6 * 8 * 9
    assert {task.workload for task in tasks} == SIX
    assert tuple(sorted({task.epsilon for task in tasks})) == epsilons
    assert tuple(sorted({task.n for task in tasks})) == sizes
    assert {task.mechanism for task in tasks} == {*PAPER_MECHANISMS, "algorithm_2", "lowkey", "lower_bound"}


def test_figure_3b_has_ten_starts_for_each_m() -> None:
    runs = [task for task in asked("figure3b") if task.mechanism == "algorithm_2"]
    assert {(task.n, task.epsilon) for task in runs} == {(64, 1.0)}
    by_outputs = Counter((task.workload, task.outputs_asked) for task in runs)
    assert by_outputs == {(workload, m * 64): 10 for workload in SIX for m in (2, 4, 8, 12, 16)}
    assert {task.seed for task in runs} == set(range(10))


def test_figure_3c_goes_to_the_paper_s_largest_domain() -> None:
    assert [task.n for task in asked("figure3c")] == [64, 128, 256, 512, 1024, 2048, 4096]


def test_only_what_matters_to_a_row_is_in_its_key() -> None:
    one, other = (
        experiment("figure1").tasks(Settings(sizes=(8,), device="cpu", time_limit=limit)) for limit in (1.0, 2.0)
    )
    changed = {task.mechanism for task in set(one) ^ set(other)}
    assert changed == {"algorithm_2", "lowkey"}
    assert {task.time_limit for task in one if task.mechanism == "lowkey"} == {1.0}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sizes": (8, 16)}, "expected one size"),
        ({"epsilons": (-1.0,)}, "epsilon is -1.0; expected a positive"),
        ({"epsilons": ()}, "epsilons is an empty list"),
        ({"workloads": ("cdf",)}, "one of the workloads is 'cdf'; expected one of histogram"),
        ({"mechanisms": ("rappor",)}, "one of the mechanisms is 'rappor'"),
        ({"time_limit": 0.0}, "a positive number of seconds"),
        ({"time_limit": float("nan")}, "a positive number of seconds"),
        ({"device": "tpu"}, "expected one of auto, cpu, cuda"),
    ],
)
def test_what_cannot_be_asked_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        experiment("figure1").full.changed(**options)


def test_figure_3c_has_one_workload() -> None:
    with pytest.raises(InvalidInput, match="expected one of histogram"):
        experiment("figure3c").full.changed(workloads=("prefix",))
