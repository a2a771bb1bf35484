"""Error against the number of outputs: the best mechanism with at most n, 2n, 4n … 64n of them.

`python -m benchmarks.outputs [cells] [seconds]`: Prefix, ε = 1, worst case; a picture is drawn beside the table.
"""

from __future__ import annotations

import sys
import time

import matplotlib.pyplot as plt

import lowkey as lk
from benchmarks.record import RESULTS, Record
from lowkey.experiments.grid import device_for
from lowkey.experiments.machine import machine_of
from lowkey.experiments.paper_workloads import paper_workload

FACTORS = (1, 2, 4, 8, 16, 32, 64)
EPSILON = 1.0


def main(cells: int = 512, seconds: float = 60.0) -> None:
    where = machine_of(device_for("auto", cells))
    title = f"Prefix, n = {cells}, ε = 1: worst case by outputs, up to {seconds:g} s"
    record = Record(f"outputs_n{cells}", title, where)
    record.say(f"{'outputs':>8} {'most':>8} {'value':>10} {'gap':>7} {'over the best':>14} {'seconds':>8}")
    workload = paper_workload("prefix", cells)
    found = []
    for factor in FACTORS:
        started = time.perf_counter()
        solution = lk.optimize(workload, EPSILON, max_outputs=factor * cells, time_limit=seconds, tolerance=1e-5)
        found.append((factor, solution, time.perf_counter() - started))
    best = min(solution.value for _, solution, _ in found)
    for factor, solution, took in found:
        record.say(
            f"{solution.mechanism.shape[0]:8,} {factor * cells:8,} {solution.value:10.6g} {solution.gap:7.2%} "
            f"{solution.value / best - 1:14.2%} {took:8.1f}"
        )
    record.write()
    _draw(cells, [(factor * cells, solution.value) for factor, solution, _ in found], found[0][1].bound.value)


def _draw(cells: int, points: list[tuple[int, float]], bound: float) -> None:
    figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
    axes.semilogx([most for most, _ in points], [value for _, value in points], "o-", color="#1f5fa8", base=2)
    axes.axhline(bound, color="#666666", linestyle="--", linewidth=1)
    axes.annotate(
        "proved lower bound", (points[0][0], bound), xytext=(0, -12), textcoords="offset points", color="#444444"
    )
    axes.set_xticks([most for most, _ in points], [f"{most // cells}n" for most, _ in points])
    axes.set_xlabel(f"outputs (n = {cells})")
    axes.set_ylabel("worst-case variance per user")
    axes.set_ylim(bottom=0.96 * bound)
    figure.savefig(RESULTS / f"outputs_n{cells}.svg")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:3]))
