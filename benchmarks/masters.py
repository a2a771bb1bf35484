"""The two masters over n: the interior point against first-order steps, on the patterns of the closed-form start.

`python -m benchmarks.masters`: Prefix, ε = 1, average. Seconds until the value is within 0.1% and 0.01% of the optimum
over these patterns (8n of them), which the interior point gives.
"""

from __future__ import annotations

import math
import sys
import time

import array_api_compat.numpy
import numpy as np

from benchmarks.record import Record
from lowkey.experiments.paper_workloads import paper_workload
from lowkey.optimize.arrays import Arrays
from lowkey.optimize.budget import Budget
from lowkey.optimize.gaussian_start import gaussian_patterns
from lowkey.optimize.information import Problem, evaluate, problem_on
from lowkey.optimize.interior_point import interior_point
from lowkey.optimize.weights import Design, Pace, step

EPSILON, PATTERNS_PER_CELL, MOST_STEPS = 1.0, 8, 400
ACCURACIES = (1e-3, 1e-4)


def main(sizes: list[int]) -> None:
    record = Record("masters", "Seconds of the master problem: Prefix, ε = 1, average, 8n Gaussian patterns")
    record.say(f"{'n':>5} {'patterns':>9} {'interior point':>15}   first order: to 0.1%; to 0.01%")
    for cells in sizes:
        problem, design = _start(cells)
        started = time.perf_counter()
        _, point = interior_point(problem, design, False, Budget())
        seconds = time.perf_counter() - started
        reached = "; ".join(f"{took:.3f} s, {steps}" for took, steps in _first_order(problem, design, point.value))
        record.say(f"{cells:5} {design.outputs:9,} {seconds:15.2f}   {reached}")
    record.write()


def _start(cells: int) -> tuple[Problem, Design]:
    gram = paper_workload("prefix", cells).gram()
    problem = problem_on(gram, EPSILON, Arrays(array_api_compat.numpy))
    patterns = gaussian_patterns(gram, EPSILON, PATTERNS_PER_CELL * cells, seed=0)
    levels = problem.levels(np.vstack([patterns, np.eye(cells, dtype=np.bool_)]))
    weights = np.full(len(levels), cells / float(levels.sum()))
    return problem, Design(levels, weights, np.full(cells, 1 / cells))


def _first_order(problem: Problem, design: Design, best: float) -> list[tuple[float, int]]:
    """Seconds and steps to each accuracy."""
    found: list[tuple[float, int]] = []
    pace, started = Pace(prior_rate=0.0), time.perf_counter()
    point = evaluate(problem, *design)
    for number in range(1, MOST_STEPS + 1):
        design = step(problem, design, point, pace)
        point = evaluate(problem, *design)
        pace.adapt(point.value)
        while len(found) < len(ACCURACIES) and point.value <= best * (1 + ACCURACIES[len(found)]):
            found.append((time.perf_counter() - started, number))
        if len(found) == len(ACCURACIES):
            return found
    return found + [(math.inf, MOST_STEPS)] * (len(ACCURACIES) - len(found))


if __name__ == "__main__":
    main([int(size) for size in sys.argv[1:]] or [16, 32, 64, 128, 256])
