"""Algorithm 2 here against the authors' code: six workloads × four ε at n = 64, worst case and seconds.

Run with OPENBLAS_NUM_THREADS=1: their seconds are of one thread (of an AMD EPYC). Both start at random with 4n rows
(seed 0); ours also starts at the best strategy of the catalogue, and the better of the two counts.
"""

from __future__ import annotations

import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # before NumPy loads

import statistics
import time

import lowkey as lk
from benchmarks.authors import ALGORITHM_2, COMPETITORS, figures, paper_workload
from benchmarks.record import Record

TARGET = 1.02


def main() -> None:
    record = Record("authors_n64", "Worst-case variance per user at n = 64: Algorithm 2 against the authors' code")
    record.say(
        f"{'workload':15} {'ε':>4} {'authors':>10} {'ours':>10} {'ratio':>6} {'seconds':>8} {'theirs':>7}  "
        f"{'best other':>10} {'start'}"
    )
    ratios, times = [], []
    for figure in figures(ALGORITHM_2):
        name, epsilon = figure["workload"], figure["epsilon"]
        workload = paper_workload(name)
        workload.gram()  # they, too, are given WᵀW
        started = time.perf_counter()
        solution = lk.optimize(workload, epsilon)
        seconds = time.perf_counter() - started
        ratio = solution.analysis.worst_case / figure["worst_case"]
        others = [f["worst_case"] for f in figures(*COMPETITORS) if (f["workload"], f["epsilon"]) == (name, epsilon)]
        record.say(
            f"{name:15} {epsilon:4} {figure['worst_case']:10.6g} {solution.analysis.worst_case:10.6g} {ratio:6.3f} "
            f"{seconds:8.2f} {figure['seconds']:7.2f}  {min(others):10.6g} {solution.origin}"
        )
        ratios.append(ratio)
        times.append(seconds / figure["seconds"])
    record.say("")
    record.say(
        f"worst ratio {max(ratios):.3f} (target {TARGET}), geometric mean {statistics.geometric_mean(ratios):.3f}"
    )
    record.say(f"seconds, ours/theirs: largest {max(times):.2f} (target 1), mean {statistics.mean(times):.2f}")
    record.write()


if __name__ == "__main__":
    main()
