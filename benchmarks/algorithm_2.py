"""Algorithm 2 here against the authors' code on the paper's workloads: worst case and seconds.

`python -m benchmarks.algorithm_2` (n = 64, one thread, as theirs was) or `python -m benchmarks.algorithm_2 512 cuda`;
a third argument names another method of `lk.optimize`, such as auto.
Both start at random with 4n rows (seed 0); ours goes on from a catalogue strategy where that start ends above it.
"""

from __future__ import annotations

import os
import sys

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy loads

import statistics
import time

import lowkey as lk
from benchmarks.authors import ALGORITHM_2, COMPETITORS, Figure, figures, paper_workload
from benchmarks.record import Record, gpu, machine

TARGET = 1.02


def main(cells: int = 64, device: str = "cpu", method: str = "projected-gradient") -> None:
    where = gpu() if device == "cuda" else machine()
    title = f"Worst-case variance per user at n = {cells}: Algorithm 2 ({method}) against the authors' code"
    record = Record(f"algorithm_2_n{cells}", title, where)
    header = ("workload", "ε", "authors", "ours", "ratio", "seconds", "theirs", "best other", "start")
    record.say("{:15} {:>4} {:>10} {:>10} {:>6} {:>8} {:>7}  {:>10} {}".format(*header))
    results = [_row(record, figure, cells, device, method) for figure in figures(ALGORITHM_2, cells=cells)]
    ratios, times = [ratio for ratio, _ in results], [seconds for _, seconds in results]
    record.say("")
    record.say(
        f"ratio: largest {max(ratios):.3f} (target {TARGET}), geometric mean {statistics.geometric_mean(ratios):.3f}"
    )
    record.say(f"seconds, ours/theirs: largest {max(times):.2f} (target 1), mean {statistics.mean(times):.2f}")
    record.write()


def _row(record: Record, figure: Figure, cells: int, device: str, method: str) -> tuple[float, float]:
    name, epsilon = figure["workload"], figure["epsilon"]
    workload = paper_workload(name, cells)
    workload.gram()  # they, too, are given WᵀW
    started = time.perf_counter()
    solution = lk.optimize(workload, epsilon, method=method, device=device)
    seconds = time.perf_counter() - started
    ratio = solution.analysis.worst_case / figure["worst_case"]
    others = figures(*COMPETITORS, cells=cells)
    best = min(other["worst_case"] for other in others if (other["workload"], other["epsilon"]) == (name, epsilon))
    record.say(
        f"{name:15} {epsilon:4} {figure['worst_case']:10.6g} {solution.analysis.worst_case:10.6g} {ratio:6.3f} "
        f"{seconds:8.2f} {figure['seconds']:7.2f}  {best:10.6g} {solution.history[-1].stage}"
    )
    return ratio, seconds / figure["seconds"]


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 64, *sys.argv[2:])
