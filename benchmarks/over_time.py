"""What the certified optimizer has after so many seconds on larger domains, against targets and proved bounds.

`python -m benchmarks.over_time cpu` or `python -m benchmarks.over_time cuda`. Each row is a run of its own.
"""

from __future__ import annotations

import sys
import time
from typing import NamedTuple

import lowkey as lk
from benchmarks.record import Record, gpu, machine
from lowkey.experiments.paper_workloads import paper_workload


class Task(NamedTuple):
    """A workload, its size, ε, the seconds given, and the worst case (or the gap) to reach."""

    workload: str
    cells: int
    epsilon: float
    seconds: float
    value: float | None = None
    gap: float | None = None
    outputs: int | None = None  # at most; None is the default


TASKS = {
    "cpu": (
        Task("prefix", 512, 1.0, 15, 11_200),
        Task("prefix", 512, 1.0, 60, 10_150),
        Task("prefix", 512, 1.0, 120, 9_880),
        Task("all_range", 512, 1.0, 60, 4.05e6),
        Task("prefix", 512, 4.0, 60, 260),
        Task("prefix", 1024, 1.0, 120, 26_000),
    ),
    "cuda": (
        Task("prefix", 512, 1.0, 3, 10_050),
        Task("prefix", 512, 1.0, 30),
        Task("prefix", 512, 1.0, 150, 9_680, 0.012, outputs=65_536),
        Task("prefix", 4096, 1.0, 150, None, 0.08),
    ),
}


def main(device: str = "cpu", cells: int | None = None) -> None:
    where = gpu() if device == "cuda" else machine()
    record = Record(f"over_time_{device}", "Worst-case variance per user after a time limit", where)
    header = (
        "workload",
        "n",
        "ε",
        "limit",
        "seconds",
        "value",
        "target",
        "average",
        "bound",
        "gap",
        "target",
        "outputs",
    )
    record.say("{:9} {:>4} {:>3} {:>5} {:>7} {:>10} {:>8} {:>10} {:>10} {:>7} {:>6} {:>8}".format(*header))
    if device == "cuda":  # a first call loads the libraries of the device
        lk.optimize(paper_workload("prefix", 512), 1.0, time_limit=1, device=device)
    for task in TASKS[device]:
        if cells is None or task.cells == cells:
            _row(record, task, device)
    record.write()


def _row(record: Record, task: Task, device: str) -> None:
    workload = paper_workload(task.workload, task.cells)
    workload.gram()
    started = time.perf_counter()
    solution = lk.optimize(
        workload,
        task.epsilon,
        time_limit=task.seconds,
        max_outputs=task.outputs,
        device=device,
        tolerance=0,
        iterations=10**6,
    )
    took = time.perf_counter() - started
    value = "" if task.value is None else f"{task.value:.6g}"
    gap = "" if task.gap is None else f"{task.gap:.1%}"
    record.say(
        f"{task.workload:9} {task.cells:4} {task.epsilon:3g} {task.seconds:5g} {took:7.1f} {solution.value:10.6g} "
        f"{value:>8} {solution.analysis.average:10.6g} {solution.bound.value:10.6g} {solution.gap:7.2%} {gap:>6} "
        f"{solution.mechanism.shape[0]:8,}"
    )


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "cpu", int(sys.argv[2]) if len(sys.argv) > 2 else None)
