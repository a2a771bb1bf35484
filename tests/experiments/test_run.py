"""reproduce: what is there is not computed again, what is asked differently is, and nothing is lost on the way."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from experiment_cases import TINY, row

from lowkey.errors import InvalidInput, MissingDependency
from lowkey.experiments import Experiment, Moment, Outcome, Settings, Task, experiment, reproduce
from lowkey.experiments.results_file import ResultsFile
from lowkey.report.panels import Panel, Scales, panels

EMPTY = panels("Nothing", [Panel("empty", ())], Scales("x", "y", (1.0,)))


@dataclass
class Counting:
    """An experiment like figure 1 that computes nothing and remembers what it was asked."""

    asked: list[Task] = field(default_factory=list)
    interrupted_at: int = -1

    @property
    def experiment(self) -> Experiment:
        return replace(experiment("figure1"), measure=self.measure, picture=lambda rows: EMPTY)

    def measure(self, task: Task) -> Outcome:
        if len(self.asked) == self.interrupted_at:
            raise KeyboardInterrupt
        self.asked.append(task)
        worst_case = float(len(self.asked))
        return row(task, worst_case, bound=0.5, delta=0.0).outcome


def run(counting: Counting, folder: Path, settings: Settings = TINY, **options: object) -> list[Task]:
    """What is computed."""
    before = len(counting.asked)
    reproduce(counting.experiment, settings, folder, **options)  # type: ignore[arg-type]
    return counting.asked[before:]


def test_only_missing_rows_are_computed(tmp_path: Path) -> None:
    counting = Counting()
    tasks = experiment("figure1").tasks(TINY)
    assert run(counting, tmp_path) == tasks
    assert run(counting, tmp_path) == []
    lines = (tmp_path / "figure1.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (tmp_path / "figure1.csv").write_text("".join(lines[:3] + lines[5:]), encoding="utf-8")
    assert run(counting, tmp_path) == tasks[2:4]


def test_a_changed_setting_computes_what_depends_on_it_and_keeps_the_rest(tmp_path: Path) -> None:
    counting = Counting()
    run(counting, tmp_path)
    changed = run(counting, tmp_path, replace(TINY, time_limit=3.0))
    assert {task.mechanism for task in changed} == {"algorithm_2", "lowkey"}
    assert run(counting, tmp_path) == []
    assert {task.epsilon for task in run(counting, tmp_path, replace(TINY, epsilons=(1.0, 2.0)))} == {2.0}


def test_an_interruption_keeps_the_rows_before_it(tmp_path: Path) -> None:
    counting = Counting(interrupted_at=5)
    with pytest.raises(KeyboardInterrupt):
        run(counting, tmp_path)
    assert len(ResultsFile(tmp_path / "figure1.csv").rows) == 5
    counting.interrupted_at = -1
    assert run(counting, tmp_path) == experiment("figure1").tasks(TINY)[5:]


def test_a_half_line_is_computed_again(tmp_path: Path) -> None:
    counting = Counting()
    run(counting, tmp_path)
    path = tmp_path / "figure1.csv"
    path.write_bytes(path.read_bytes()[:-7])
    assert run(counting, tmp_path) == [experiment("figure1").tasks(TINY)[-1]]


def test_rows_say_what_was_found_where_and_when(tmp_path: Path) -> None:
    found = reproduce(Counting().experiment, TINY, tmp_path)
    assert [one.task for one in found.rows] == experiment("figure1").tasks(TINY)
    assert [one.outcome.worst_case for one in found.rows] == list(range(1, 19))
    for one in found.rows:
        assert "Python" in one.machine
        assert len(one.date) == len("2026-01-02")
    assert tuple(ResultsFile(tmp_path / "figure1.csv").rows.values()) == found.rows


def test_the_files(tmp_path: Path) -> None:
    found = reproduce(Counting().experiment, TINY, tmp_path / "new" / "folder", "taste")
    names = [path.name for path in found.files]
    assert names == ["taste.csv", "taste-light.svg", "taste-light.png", "taste-dark.svg", "taste-dark.png"]
    assert all(path.stat().st_size > 500 for path in found.files)
    assert found.files[1].read_text(encoding="utf-8").startswith("<svg")


def test_progress_tells_each_row_before_and_after(tmp_path: Path) -> None:
    moments: list[Moment] = []
    run(Counting(), tmp_path, progress=moments.append)
    assert [moment.done for moment in moments] == [count // 2 for count in range(1, 37)]
    assert [moment.row is None for moment in moments] == [True, False] * 18
    assert {moment.total for moment in moments} == {18}


def test_drawing_only_takes_the_best_of_all_settings(tmp_path: Path) -> None:
    counting = Counting()
    for limit in (1.0, 2.0):
        run(counting, tmp_path, replace(TINY, time_limit=limit))
    found = reproduce(counting.experiment, replace(TINY, device="cuda"), tmp_path, is_drawn_only=True)
    assert found.computed == 0
    assert [replace(one.task, time_limit=None, device=None) for one in found.rows] == [
        replace(task, time_limit=None, device=None) for task in experiment("figure1").tasks(TINY)
    ]
    own = [one for one in found.rows if one.task.mechanism == "lowkey"]
    assert {one.task.time_limit for one in own} == {1.0}  # computed first, and so the smaller number here


def test_drawing_only_keeps_devices_apart_where_they_are_compared() -> None:
    tasks = [Task("histogram", 1.0, 64, "algorithm_2", None, 0, 9.0, device) for device in ("cpu", "cuda")]
    rows = [row(task, None, iteration_seconds=seconds) for task, seconds in zip(tasks, (2.0, 1.0), strict=True)]
    figure = experiment("figure3c")
    assert {one.task.device for one in figure.best_rows(rows, figure.full)} == {"cpu", "cuda"}


def test_a_machine_without_matplotlib_computes_all_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    counting = Counting()
    found = reproduce(counting.experiment, TINY, tmp_path)
    assert (found.computed, [path.name for path in found.files]) == (18, ["figure1.csv"])
    assert "drawing needs Matplotlib" in found.undrawn
    with pytest.raises(MissingDependency):
        reproduce(counting.experiment, TINY, tmp_path, is_drawn_only=True)


def test_drawing_needs_rows(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="with no such row; expected rows to draw"):
        reproduce(experiment("figure1"), TINY, tmp_path / "none", is_drawn_only=True)
    assert not (tmp_path / "none").exists()
