"""The grid of tasks that figures 1 and 2 share, and rows put back into it."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from lowkey.experiments.mechanisms import OPTIMIZED
from lowkey.experiments.results import Row, Task
from lowkey.experiments.settings import Settings
from lowkey.optimize.arrays import arrays_on


def grid(settings: Settings) -> list[Task]:
    """A task for each n, ε, workload and mechanism, small domains first."""
    points = itertools.product(settings.sizes, settings.epsilons, settings.workloads, settings.mechanisms)
    return [_task(settings, *point) for point in points]


def _task(settings: Settings, n: int, epsilon: float, workload: str, mechanism: str) -> Task:
    task = Task(workload, epsilon, n, mechanism)
    return optimized_task(task, settings) if mechanism in OPTIMIZED else task


def optimized_task(task: Task, settings: Settings, seed: int = 0, outputs: int | None = None) -> Task:
    """The task with what matters to an optimizer alone."""
    device = device_for(settings.device, task.n)
    return Task(task.workload, task.epsilon, task.n, task.mechanism, outputs, seed, settings.time_limit, device)


def device_for(asked: str, n: int) -> str:
    """Where "auto" computes here: "cpu" or "cuda", so that a row says what its numbers were made on."""
    return "cuda" if arrays_on(asked, n).device == "cuda" else "cpu"


def rows_of(rows: Sequence[Row], workload: str, mechanism: str | None = None) -> list[Row]:
    """A workload's rows, of one mechanism or of all, by ε and n."""
    found = [row for row in rows if row.task.workload == workload and mechanism in (None, row.task.mechanism)]
    return sorted(found, key=lambda row: (row.task.epsilon, row.task.n))


def workloads_in(rows: Sequence[Row]) -> list[str]:
    """The workloads that there are rows of, in order."""
    return list(dict.fromkeys(row.task.workload for row in rows))
