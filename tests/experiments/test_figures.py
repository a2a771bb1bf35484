"""The figures' pictures hold every series at its values, and their tables say the same."""

from __future__ import annotations

import numpy as np
import pytest
from experiment_cases import row
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from lowkey.experiments import Row, Task, experiment
from lowkey.experiments.mechanisms import LOOKS, LOWER_BOUND
from lowkey.report import Picture
from lowkey.report.theme import LIGHT

Points = list[tuple[float, float]]


def drawn(picture: Picture) -> Figure:
    figure = Figure()
    picture.draw(figure, LIGHT)
    return figure


def curves(plot: Axes) -> dict[tuple[str, str], Points]:
    """By colour and marker."""
    found = {}
    for line in plot.lines:
        points = list(zip(np.asarray(line.get_xdata()).tolist(), np.asarray(line.get_ydata()).tolist(), strict=True))
        found[str(line.get_color()), str(line.get_marker())] = points
    return found


def curve(plot: Axes, name: str) -> Points:
    return curves(plot)[LIGHT.roles[LOOKS[name].role], LOOKS[name].marker]


def grid_rows(name: str) -> list[Row]:
    """Made-up numbers for every task: the place of the task, with a better bound in lowkey's row."""
    settings = experiment(name).full.changed(device="cpu", workloads=("histogram", "parity"))
    made = []
    for place, task in enumerate(experiment(name).tasks(settings), start=1):
        bound = 0.5 if task.mechanism == "lowkey" else 0.25
        made.append(row(task, 0.25 if task.mechanism == LOWER_BOUND else float(place), bound=bound, gap=0.1))
    return made


@pytest.mark.parametrize("name", ["figure1", "figure2"])
def test_every_mechanism_is_drawn_at_its_values(name: str) -> None:
    rows = grid_rows(name)
    plots = drawn(experiment(name).picture(rows)).axes
    assert [plot.get_title(loc="left") for plot in plots] == ["Histogram", "Parity"]
    for plot, workload in zip(plots, ("histogram", "parity"), strict=True):
        assert len(curves(plot)) == 9
        for mechanism in LOOKS:
            own = [one for one in rows if (one.task.workload, one.task.mechanism) == (workload, mechanism)]
            xs = [one.task.epsilon if name == "figure1" else one.task.n for one in own]
            people = [50.0 if mechanism == LOWER_BOUND else one.outcome.sample_complexity for one in own]
            assert np.array(curve(plot, mechanism)) == pytest.approx(np.array([xs, people]).T)
        assert plot.get_yscale() == "log"
        assert plot.get_xscale() == ("linear" if name == "figure1" else "log")


def test_the_legend_names_every_mechanism_once_lowkey_first() -> None:
    figure = drawn(experiment("figure1").picture(grid_rows("figure1")))
    (legend,) = figure.legends
    assert [text.get_text() for text in legend.get_texts()] == [look.label for look in LOOKS.values()]


def test_no_two_mechanisms_look_alike() -> None:
    assert len({look.role for look in LOOKS.values()}) == len(LOOKS)
    assert len({(look.marker, look.hollow) for look in LOOKS.values()}) == len(LOOKS)


def test_rows_that_are_not_available_leave_a_gap_and_the_panel_says_so() -> None:
    tasks = [Task(workload, 1.0, 4, "hadamard") for workload in ("histogram", "3way_marginals")]
    rows = [row(tasks[0]), row(tasks[1], None)]
    first, second = drawn(experiment("figure2").picture(rows)).axes
    assert len(first.lines) == 1
    assert [text.get_text() for text in second.texts] == ["not available"]
    (line,) = [line for line in experiment("figure2").table(rows).rows if line[0] == "3way_marginals"]
    assert set(line[2:]) == {"–"}


def test_the_table_compares_with_the_best_that_keeps_pure_epsilon() -> None:
    made = {
        "lowkey": row(Task("prefix", 1.0, 8, "lowkey"), 10.0, gap=0.0123),
        "algorithm_2": row(Task("prefix", 1.0, 8, "algorithm_2"), 11.0),
        "hadamard": row(Task("prefix", 1.0, 8, "hadamard"), 25.0),
        "fourier": row(Task("prefix", 1.0, 8, "fourier"), 30.0),
        "matrix_mechanism_l2": row(Task("prefix", 1.0, 8, "matrix_mechanism_l2"), 5.0, delta=1e-9),
    }
    (line,) = experiment("figure2").table(list(made.values())).rows
    assert line == ("prefix", "8", "1,000", "1,100", "2.5× hadamard", "1.23%")


def three_b() -> list[Row]:
    tries = {128: (30.0, 20.0, 22.0), 256: (10.0, 12.0, 11.0)}
    rows = [
        row(Task("prefix", 1.0, 64, "algorithm_2", m, seed), worst_case, bound=8.0)
        for m, found in tries.items()
        for seed, worst_case in enumerate(found)
    ]
    return [*rows, row(Task("prefix", 1.0, 64, "lowkey"), 9.0, bound=8.5)]


def test_figure_3b_is_relative_to_the_best_of_all_starts() -> None:
    (plot,) = drawn(experiment("figure3b").picture(three_b())).axes
    assert curve(plot, "algorithm_2") == [(2.0, 2.2), (4.0, 1.1)]  # medians
    (bars,) = plot.collections
    ends = np.array([path.vertices for path in bars.get_paths()])
    assert ends.tolist() == [[[2.0, 2.0], [2.0, 3.0]], [[4.0, 1.0], [4.0, 1.2]]]  # least and greatest
    assert curve(plot, "lowkey") == [(2.0, 0.9), (4.0, 0.9)]
    assert curve(plot, LOWER_BOUND) == [(2.0, 0.85), (4.0, 0.85)]
    assert experiment("figure3b").table(three_b()).rows == (
        ("prefix", "2", "2.200", "2.000", "3.000"),
        ("prefix", "4", "1.100", "1.000", "1.200"),
    )


def test_figure_3b_writes_a_bound_that_is_far_below() -> None:
    rows = [row(Task("prefix", 1.0, 64, "algorithm_2", 128, 0), 10.0, bound=2.5)]
    (plot,) = drawn(experiment("figure3b").picture(rows)).axes
    assert [text.get_text() for text in plot.texts] == ["bound: 0.25"]
    assert len(plot.lines) == 1


def test_figure_3c_stands_beside_the_paper_s_figures() -> None:
    tasks = [Task("histogram", 1.0, n, "algorithm_2", None, 0, 1.0, "cpu") for n in (64, 1024)]
    rows = [row(task, None, iteration_seconds=task.n / 2048) for task in tasks]
    (plot,) = drawn(experiment("figure3c").picture(rows)).axes
    assert list(curves(plot).values()) == [
        [(1024.0, 2.5), (2048.0, 19.0), (4096.0, 139.0)],
        [(64.0, 64 / 2048), (1024.0, 0.5)],
    ]
    assert experiment("figure3c").table(rows).rows[1] == ("1,024", "cpu", "0.5", "2.5", "5.0×")


def test_descriptions_tell_where_curves_begin_and_end() -> None:
    told = experiment("figure3b").picture(three_b()).description
    assert "Prefix: proved lower bound 0.85 at 2, 0.85 at 4; lowkey 0.9 at 2, 0.9 at 4;" in told
