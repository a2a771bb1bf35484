"""Seconds for one iteration of Algorithm 2, as the paper's figure 3c measures them: W = I, m = 4n, 15 iterations.

`python -m benchmarks.iteration cpu 1024` or `python -m benchmarks.iteration cuda 1024 2048 4096`.
"""

from __future__ import annotations

import math
import sys
import time

import numpy as np

from benchmarks.record import Record, gpu, machine
from lowkey.experiments.figure3c import EPSILON, PAPER, seconds_an_iteration
from lowkey.optimize.arrays import Arrays, arrays_on
from lowkey.optimize.objective import Objective
from lowkey.optimize.projection import project
from lowkey.optimize.start import random_start


def main(device: str, sizes: list[int]) -> None:
    where = gpu() if device == "cuda" else machine()
    record = Record(f"iteration_{device}", "Seconds for one iteration of Algorithm 2 (W = I, m = 4n, ε = 1)", where)
    record.say(
        f"{'n':>5} {'seconds':>8} {'paper':>6} {'faster':>7}   of which: value, gradient, projection (each once)"
    )
    for cells in sizes:
        arrays = arrays_on(device, cells)
        seconds = seconds_an_iteration(cells, arrays)[0]
        parts = ", ".join(f"{part:.3f}" for part in _parts(cells, arrays))
        paper = PAPER.get(cells, math.nan)
        record.say(f"{cells:5} {seconds:8.3f} {paper:6.1f} {paper / seconds:6.1f}×   {parts}")
    record.write()


def _parts(cells: int, arrays: Arrays) -> tuple[float, float, float]:
    objective = Objective(np.eye(cells), np.full(cells, 1 / cells), arrays)
    start = random_start(4 * cells, cells, EPSILON, 0, arrays)
    strategy = start.projection.strategy
    began = time.perf_counter()
    point = objective.at(strategy)
    valued = time.perf_counter()
    gradient = objective.gradient(point)
    _finish(gradient)
    sloped = time.perf_counter()
    _finish(project(strategy - 1e-9 * gradient, start.floor, math.exp(EPSILON), arrays.xp).strategy)
    return valued - began, sloped - valued, time.perf_counter() - sloped


def _finish(array: object) -> None:
    """Wait for a GPU: reading one number back does."""
    float(array[0, 0])  # type: ignore[index]


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "cpu", [int(size) for size in sys.argv[2:]] or [1024])
