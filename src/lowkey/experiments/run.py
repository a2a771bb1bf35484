"""reproduce: an experiment's rows, those that are not there yet computed, and its picture."""

from __future__ import annotations

import datetime
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import lowkey
from lowkey.errors import InvalidInput, MissingDependency
from lowkey.experiments.experiment import Experiment
from lowkey.experiments.machine import machine_of
from lowkey.experiments.results import Row, Task
from lowkey.experiments.results_file import ResultsFile
from lowkey.experiments.settings import Settings
from lowkey.report.theme import DARK, LIGHT

PNG_SCALE = 2.0


@dataclass(frozen=True)
class Moment:
    """`done` of `total` rows are there; `task` is computed next, or `row` has just been."""

    done: int
    total: int
    task: Task
    row: Row | None = None


@dataclass(frozen=True)
class Reproduction:
    """The rows asked for, how many of them were computed now, the files written, and why there is no picture."""

    rows: tuple[Row, ...]
    computed: int
    files: tuple[Path, ...]
    undrawn: str = ""


def reproduce(
    experiment: Experiment,
    settings: Settings,
    folder: Path,
    name: str | None = None,
    progress: Callable[[Moment], None] = lambda moment: None,
    is_drawn_only: bool = False,
) -> Reproduction:
    """Compute the rows that `folder` does not hold yet, then draw all those asked for.

    is_drawn_only: compute nothing; draw the best rows that are there, whatever their time limit and device.
    Ctrl-C may come at any time: the rows so far are kept, and the same call goes on from there.
    """
    stem = name or experiment.name
    if not is_drawn_only:
        folder.mkdir(parents=True, exist_ok=True)
    table = ResultsFile(folder / f"{stem}.csv")
    if is_drawn_only:
        rows, computed = experiment.best_rows(list(table.rows.values()), settings), 0
    else:
        rows, computed = _completed(experiment, table, experiment.tasks(settings), progress)
    if not rows:
        raise InvalidInput("the results file", f"{str(table.path)!r}, with no such row", "rows to draw")
    try:
        return Reproduction(tuple(rows), computed, (table.path, *_drawn(experiment, rows, folder / stem)))
    except MissingDependency as error:
        if is_drawn_only:
            raise
        return Reproduction(tuple(rows), computed, (table.path,), str(error))  # a machine that only computes


def _completed(
    experiment: Experiment, table: ResultsFile, tasks: Sequence[Task], progress: Callable[[Moment], None]
) -> tuple[list[Row], int]:
    missing = [task for task in tasks if task not in table.rows]
    known = len(tasks) - len(missing)
    for place, task in enumerate(missing, start=known):
        progress(Moment(place, len(tasks), task))
        outcome = experiment.measure(task)
        row = Row(task, outcome, machine_of(task.device), lowkey.__version__, _today())
        table.append(row)
        progress(Moment(place + 1, len(tasks), task, row))
    return [table.rows[task] for task in tasks], len(missing)


def _today() -> str:
    return f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}"


def _drawn(experiment: Experiment, rows: Sequence[Row], stem: Path) -> list[Path]:
    """The picture for bright and dark pages, as SVG and as PNG."""
    picture, files = experiment.picture(rows), []
    for shade, theme in (("light", LIGHT), ("dark", DARK)):
        svg, png = (stem.with_name(f"{stem.name}-{shade}.{kind}") for kind in ("svg", "png"))
        svg.write_text(picture.svg(theme), encoding="utf-8")
        png.write_bytes(picture.png(theme, PNG_SCALE))
        files += [svg, png]
    return files
