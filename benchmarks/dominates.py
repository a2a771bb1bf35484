"""What a round of the certified optimizer spends its time on: products, factorisations, pricing, bookkeeping.

`python -m benchmarks.dominates cpu 64 256 512 1024` or `python -m benchmarks.dominates cuda 512 1024 4096`: Prefix,
ε = 1, 16n patterns; the median of five.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

import numpy as np

from benchmarks.record import Record, gpu, machine
from lowkey.experiments.paper_workloads import paper_workload
from lowkey.optimize.arrays import arrays_on
from lowkey.optimize.column_generation import PARENTS_PER_CELL, STEPS, merged
from lowkey.optimize.gaussian_start import gaussian_patterns
from lowkey.optimize.information import Problem, evaluate, problem_on
from lowkey.optimize.pricing import climb
from lowkey.optimize.weights import Design

EPSILON, PATTERNS_PER_CELL, REPEATS = 1.0, 16, 5


def main(device: str, sizes: list[int]) -> None:
    record = Record(f"dominates_{device}", "Milliseconds of a round's parts", gpu() if device == "cuda" else machine())
    record.say(f"a round: {STEPS + 1} evaluations, one pricing of {PARENTS_PER_CELL}n patterns, one merge")
    record.say("")
    header = ("evaluation", "of it products", "inverse", "pricing", "merge")
    record.say(f"{'n':>5} {'patterns':>9} " + " ".join(f"{word:>14}" for word in header))
    for cells in sizes:
        problem, design = _start(device, cells)
        parts = (1e3 * _seconds(part, device) for part in _parts(problem, design))
        record.say(f"{cells:5} {design.outputs:9,} " + " ".join(f"{part:14.2f}" for part in parts))
    record.write()


def _start(device: str, cells: int) -> tuple[Problem, Design]:
    arrays = arrays_on(device, cells)
    gram = paper_workload("prefix", cells).gram()
    patterns = gaussian_patterns(gram, EPSILON, PATTERNS_PER_CELL * cells, 0, arrays)
    problem = problem_on(gram, EPSILON, arrays)
    levels = problem.levels(arrays.put(patterns))
    weights = arrays.put(np.full(len(patterns), cells / float(problem.xp.sum(levels))))
    return problem, Design(levels, weights, arrays.put(np.full(cells, 1 / cells)))


def _parts(problem: Problem, design: Design) -> tuple[Callable[[], object], ...]:
    """What is timed: a whole evaluation, its two large products, its inverse, pricing, merging."""
    xp, levels = problem.xp, design.levels
    point = evaluate(problem, *design)
    parents = levels[: PARENTS_PER_CELL * problem.cells, :]
    return (
        lambda: evaluate(problem, *design),
        lambda: (xp.matmul(levels.T, levels), xp.matmul(levels, point.middle)),
        lambda: xp.linalg.inv(point.middle + 1.0),
        lambda: climb(problem, parents, design.prior, point),
        lambda: merged(levels, design.weights, problem),
    )


def _seconds(part: Callable[[], object], device: str) -> float:
    part()
    found = []
    for _ in range(REPEATS):
        _wait(device)
        started = time.perf_counter()
        part()
        _wait(device)
        found.append(time.perf_counter() - started)
    return sorted(found)[REPEATS // 2]


def _wait(device: str) -> None:
    """Until the device has done what it was asked."""
    if device == "cuda":
        import torch

        torch.cuda.synchronize()


if __name__ == "__main__":
    where = sys.argv[1] if len(sys.argv) > 1 else "cpu"
    main(where, [int(size) for size in sys.argv[2:]] or [64, 256, 512, 1024])
