"""Figure 3c: seconds for one iteration of Algorithm 2 over n; W = I, a random start with m = 4n, 15 iterations."""

from __future__ import annotations

import time
from collections.abc import Sequence

import numpy as np

from lowkey.experiments.experiment import Experiment
from lowkey.experiments.grid import grid
from lowkey.experiments.mechanisms import ALGORITHM_2
from lowkey.experiments.results import Outcome, Row, Task
from lowkey.experiments.settings import QUICK_SECONDS, Settings
from lowkey.optimize.arrays import Arrays, arrays_on
from lowkey.optimize.budget import Budget
from lowkey.optimize.objective import Objective
from lowkey.optimize.projected_gradient import Status, Stopping, projected_gradient
from lowkey.optimize.start import random_start
from lowkey.report import Picture, Table
from lowkey.report.formats import factor
from lowkey.report.panels import Curve, Look, Panel, Scales, panels
from lowkey.report.tables import NONE, Column

TITLE = "Figure 3c: seconds an iteration over n"
PAPER = {1024: 2.5, 2048: 19.0, 4096: 139.0}  # what its text says
EPSILON = 1.0
ITERATIONS = 15
PRINTED = Look("the paper’s text", "truth", "s", width=1.6, size=4.5)
MEASURED = {"cpu": Look("here, on CPUs", "estimate", "o", 2.2, 5.0), "cuda": Look("here, on a GPU", "green", "^", 1.6)}


def seconds_an_iteration(
    n: int, arrays: Arrays, epsilon: float = EPSILON, time_limit: float | None = None
) -> tuple[float, int]:
    """The mean over 15 iterations (fewer if the time is up), trial steps of the line search included; and how many."""
    objective = Objective(np.eye(n), np.full(n, 1 / n), arrays)
    start = random_start(4 * n, n, epsilon, 0, arrays)
    projected_gradient(objective, epsilon, start, Stopping(1), Budget(), "warm-up")
    started = time.perf_counter()
    result = projected_gradient(objective, epsilon, start, Stopping(ITERATIONS, 0.0), Budget(time_limit), "timing")
    if result.status is Status.INTERRUPTED:
        raise KeyboardInterrupt
    count = max(result.iterations, 1)
    return (time.perf_counter() - started) / count, count


def measure(task: Task) -> Outcome:
    """The time at the task's n, on its device."""
    started = time.perf_counter()
    arrays = arrays_on(task.device or "auto", task.n)
    mean, count = seconds_an_iteration(task.n, arrays, task.epsilon, task.time_limit)
    seconds = time.perf_counter() - started
    return Outcome("measured", iteration_seconds=mean, seconds=seconds, note=f"mean of {count} iterations")


def picture(rows: Sequence[Row]) -> Picture:
    """A curve for each device, beside the paper's figures."""
    measured = {device: _points(rows, device) for device in MEASURED}
    curves = [Curve(PRINTED, tuple((float(n), seconds) for n, seconds in PAPER.items()))]
    curves += [Curve(MEASURED[device], points) for device, points in measured.items() if points]
    sizes = sorted({x for curve in curves for x, _ in curve.points})
    scales = Scales("domain size n", "seconds an iteration", tuple(sizes[:: -(-len(sizes) // 8)]), is_log_x=True)
    return panels(TITLE, [Panel("Algorithm 2, W = I, m = 4n", tuple(curves))], scales)


def _points(rows: Sequence[Row], device: str) -> tuple[tuple[float, float], ...]:
    found = [(row.task.n, row.outcome.iteration_seconds) for row in rows if row.task.device == device]
    return tuple(sorted((float(n), seconds) for n, seconds in found if seconds))


def table(rows: Sequence[Row]) -> Table:
    """Each n beside the paper's."""
    columns = (Column("n"), Column("device", False), Column("seconds"), Column("paper"), Column("faster"))
    return Table(TITLE, columns, tuple(map(_line, sorted(rows, key=lambda row: row.task.n))))


def _line(row: Row) -> tuple[str, ...]:
    seconds, paper = row.outcome.iteration_seconds, PAPER.get(row.task.n)
    told = NONE if seconds is None else f"{seconds:.4g}"
    faster = factor(paper / seconds) if paper and seconds else NONE
    return f"{row.task.n:,}", row.task.device or "", told, f"{paper:g}" if paper else NONE, faster


FIGURE_3C = Experiment(
    name="figure3c",
    title=TITLE,
    full=Settings(("histogram",), (EPSILON,), (64, 128, 256, 512, 1024, 2048, 4096), (ALGORITHM_2,)),
    quick=Settings(("histogram",), (EPSILON,), (16, 32, 64, 128), (ALGORITHM_2,), time_limit=QUICK_SECONDS),
    tasks=grid,
    measure=measure,
    picture=picture,
    table=table,
    compares_devices=True,
)
