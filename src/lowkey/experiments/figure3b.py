"""Figure 3b: what random starts and the number of outputs m do to Algorithm 2, with n = 64 and ε = 1.

As in the paper: ten seeds for each m from 2n to 16n; worst cases divided by the best that Algorithm 2 found on the
workload in all of them; median, least and greatest. Beside it what lowkey finds, and what is proved.
"""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterator, Sequence

from lowkey.experiments.experiment import Experiment
from lowkey.experiments.grid import grid, optimized_task, rows_of, workloads_in
from lowkey.experiments.measure import measure
from lowkey.experiments.mechanisms import ALGORITHM_2, LOOKS, LOWER_BOUND, LOWKEY, WORKLOAD_NAMES
from lowkey.experiments.results import NOT_AVAILABLE, Row, Task
from lowkey.experiments.settings import QUICK_SECONDS, Settings
from lowkey.report import Picture, Table
from lowkey.report.panels import Curve, Panel, Scales, panels
from lowkey.report.tables import Column

TITLE = "Figure 3b: starts and outputs of Algorithm 2"
FAR_BELOW = 0.7  # a bound below this would press the curves together: it is written, not drawn
MECHANISMS = (LOWER_BOUND, LOWKEY, ALGORITHM_2)


def tasks(settings: Settings) -> list[Task]:
    """Bound and lowkey once for each workload, Algorithm 2 for each m and seed."""
    return [task for one in grid(settings) for task in _repeated(one, settings)]


def _repeated(task: Task, settings: Settings) -> Iterator[Task]:
    if task.mechanism != ALGORITHM_2:
        yield task
        return
    for multiple, seed in itertools.product(settings.multiples, range(settings.trials)):
        yield optimized_task(task, settings, seed, multiple * task.n)


def ratios(rows: Sequence[Row], workload: str) -> dict[float, list[float]]:
    """By m/n: Algorithm 2's worst cases, divided by its best on the workload, ascending."""
    found: dict[float, list[float]] = {}
    for row in rows_of(rows, workload, ALGORITHM_2):
        if row.outcome.worst_case is not None and row.task.outputs_asked is not None:
            found.setdefault(row.task.outputs_asked / row.task.n, []).append(row.outcome.worst_case)
    best = min((min(values) for values in found.values()), default=1.0)
    return {multiple: sorted(value / best for value in found[multiple]) for multiple in sorted(found)}


def level(rows: Sequence[Row], workload: str, mechanism: str) -> float | None:
    """The same ratio of lowkey, or of the largest proved bound."""
    known = [row.outcome.worst_case for row in rows_of(rows, workload, ALGORITHM_2) if row.outcome.worst_case]
    if mechanism == LOWKEY:
        found = [row.outcome.worst_case for row in rows_of(rows, workload, LOWKEY) if row.outcome.worst_case]
    else:
        found = [row.outcome.bound for row in rows_of(rows, workload) if row.outcome.bound]
    return max(found) / min(known) if found and known else None


def picture(rows: Sequence[Row]) -> Picture:
    """A panel for each workload; lines across for lowkey and the bound, which have no m."""
    multiples = sorted({x for workload in workloads_in(rows) for x in ratios(rows, workload)})
    scales = Scales(
        "outputs m of the start, as a multiple of n",
        "worst case / Algorithm 2’s best",
        tuple(multiples),
        is_log_y=False,
        is_shared_y=True,
    )
    return panels(TITLE, [_panel(rows, workload) for workload in workloads_in(rows)], scales)


def _panel(rows: Sequence[Row], workload: str) -> Panel:
    found = ratios(rows, workload)
    if not found:
        return Panel(WORKLOAD_NAMES[workload], (), NOT_AVAILABLE)
    bound, own = (level(rows, workload, mechanism) for mechanism in (LOWER_BOUND, LOWKEY))
    is_far = bound is not None and bound < FAR_BELOW
    levels = [(LOWER_BOUND, None if is_far else bound), (LOWKEY, own)]
    curves = [Curve(LOOKS[name], tuple((x, y) for x in found)) for name, y in levels if y is not None]
    medians = tuple((x, statistics.median(values)) for x, values in found.items())
    curves.append(Curve(LOOKS[ALGORITHM_2], medians, tuple((values[0], values[-1]) for values in found.values())))
    return Panel(WORKLOAD_NAMES[workload], tuple(curves), f"bound: {bound:.2f}" if is_far else "")


def table(rows: Sequence[Row]) -> Table:
    """Median (least to greatest) of each m, and lowkey."""
    columns = (Column("workload", False), Column("m/n"), Column("median"), Column("least"), Column("greatest"))
    lines = [
        (workload, f"{x:g}", *(f"{value:.3f}" for value in (statistics.median(values), values[0], values[-1])))
        for workload in workloads_in(rows)
        for x, values in ratios(rows, workload).items()
    ]
    levels = [(workload, level(rows, workload, LOWKEY)) for workload in workloads_in(rows)]
    own = ", ".join(f"{workload} {ratio:.3f}" for workload, ratio in levels if ratio is not None)
    note = f"worst case divided by Algorithm 2’s best of all; lowkey: {own or 'not asked for'}"
    return Table(TITLE, columns, tuple(lines), note=note)


FIGURE_3B = Experiment(
    name="figure3b",
    title=TITLE,
    full=Settings(sizes=(64,), mechanisms=MECHANISMS, multiples=(2, 4, 8, 12, 16), trials=10),
    quick=Settings(sizes=(16,), mechanisms=MECHANISMS, multiples=(2, 4, 8), trials=3, time_limit=QUICK_SECONDS),
    tasks=tasks,
    measure=measure,
    picture=picture,
    table=table,
)
