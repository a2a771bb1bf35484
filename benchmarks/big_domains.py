"""Domains beyond any list: seconds, memory, value and proved gap at ε = 1, and the rivals that exist there.

`python -m benchmarks.big_domains [name ...]`. The Fourier mechanism sends a random character that the workload needs;
"a marginal each" answers one random marginal by randomized response. Both have the best decoder there is for them.
"""

from __future__ import annotations

import math
import resource
import subprocess
import sys
import time
from collections.abc import Callable

import numpy as np

import lowkey as lk
from benchmarks.record import Record
from lowkey.mechanisms import Junta, JuntaMechanism
from lowkey.workloads import Workload

EPSILON = 1.0
CENSUS = (2, 2, 3, 4, 5, 6, 7, 8, 10, 12, 16, 24, 41, 52, 100)
CASES: dict[str, tuple[Callable[[], Workload], float, int]] = {  # the workload, its time limit, degree for the rivals
    "all marginals of 16 binary": (lambda: lk.workloads.all_marginals([2] * 16), 100.0, 0),
    "3-way marginals of 16 binary": (lambda: lk.workloads.k_way_marginals([2] * 16, 3), 100.0, 3),
    "all marginals of 20 binary": (lambda: lk.workloads.all_marginals([2] * 20), 100.0, 0),
    "3-way marginals of 20 binary": (lambda: lk.workloads.k_way_marginals([2] * 20, 3), 100.0, 3),
    "3-way marginals of 100 binary": (lambda: lk.workloads.k_way_marginals([2] * 100, 3), 250.0, 3),
    "2-way marginals of 15 categorical": (lambda: lk.workloads.k_way_marginals(CENSUS, 2), 100.0, 0),
}


def main(names: list[str]) -> None:
    record = Record("big_domains", "Domains beyond any list, ε = 1: worst case per user")
    record.say("15 categorical: sizes " + ", ".join(map(str, CENSUS)))
    record.say("")
    record.say(f"{'':34}{'cells':>8} {'value':>11} {'gap':>7} {'seconds':>8} {'GiB':>5}  rivals: times as many people")
    for name in names:
        command = [sys.executable, "-m", "benchmarks.big_domains", "--alone", name]
        record.say(subprocess.run(command, check=True, capture_output=True, text=True).stdout.rstrip())
    record.write()


def alone(name: str) -> None:
    """One case in a process of its own, so that its memory can be read."""
    make, limit, degree = CASES[name]
    started = time.perf_counter()
    workload = make()
    solution = lk.optimize(workload, EPSILON, time_limit=limit)
    seconds = time.perf_counter() - started
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20
    cells = f"10^{math.log10(workload.shape[1]):.1f}"
    line = f"{name:34}{cells:>8} {solution.value:11.6g} {solution.gap:7.2%} {seconds:8.1f} {memory:5.2f}"
    print(line + "".join(f"  {rival} {value / solution.value:.2f}×" for rival, value in _rivals(workload, degree)))


def _rivals(workload: Workload, degree: int) -> list[tuple[str, float]]:
    interactions = workload.interactions
    if not degree or interactions is None:
        return []
    attributes = range(len(interactions.sizes))
    characters = [math.comb(len(attributes), count) for count in range(1, degree + 1)]
    parities = [
        Junta(_even(count), [attributes] * count, share / sum(characters)) for count, share in enumerate(characters, 1)
    ]
    one_cell = np.zeros((2,) * degree, dtype=bool)
    one_cell.flat[0] = True
    rivals = {"Fourier": parities, "a marginal each": [Junta(one_cell, [attributes] * degree, 1.0)]}
    return [
        (name, JuntaMechanism(interactions.sizes, juntas, EPSILON).variance(interactions))
        for name, juntas in rivals.items()
    ]


def _even(count: int) -> np.ndarray:
    """The cells of `count` binary attributes with an even number of ones."""
    even: np.ndarray = np.indices((2,) * count).sum(axis=0) % 2 == 0
    return even


if __name__ == "__main__":
    if sys.argv[1:2] == ["--alone"]:
        alone(sys.argv[2])
    else:
        main(sys.argv[1:] or list(CASES))
