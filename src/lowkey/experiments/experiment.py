"""Experiment: a figure of the paper as a grid of tasks, a way to measure one, a picture and a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from lowkey.experiments.results import Outcome, Row, Task
from lowkey.experiments.settings import Settings
from lowkey.report import Picture, Table


@dataclass(frozen=True)
class Experiment:
    """`full` is the paper's grid, `quick` one that takes a minute or two.

    `compares_devices`: rows of different devices are different results, not better or worse ones.
    """

    name: str
    title: str
    full: Settings
    quick: Settings
    tasks: Callable[[Settings], Sequence[Task]]
    measure: Callable[[Task], Outcome]
    picture: Callable[[Sequence[Row]], Picture]
    table: Callable[[Sequence[Row]], Table]
    compares_devices: bool = False

    def best_rows(self, rows: Sequence[Row], settings: Settings) -> list[Row]:
        """Of rows computed with whatever time limit and device, the best one for each task of the grid."""
        tasks = self.tasks(replace(settings, device="cpu"))  # any: the point leaves it out
        asked = {self._point(task): place for place, task in enumerate(tasks)}
        best: dict[Task, Row] = {}
        for row in sorted(rows, key=_rank):
            if self._point(row.task) in asked:
                best.setdefault(self._point(row.task, self.compares_devices), row)
        return sorted(best.values(), key=lambda row: asked[self._point(row.task)])

    def _point(self, task: Task, with_device: bool = False) -> Task:
        return replace(task, time_limit=None, device=task.device if with_device else None)


def _rank(row: Row) -> float:
    measured = row.outcome.worst_case if row.outcome.worst_case is not None else row.outcome.iteration_seconds
    return float("inf") if measured is None else measured
