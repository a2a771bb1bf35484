"""Marginals and parities at n = 64 and 512: the default optimizer against what prototypes of group strategies reached.

`python -m benchmarks.group`: worst case per user, proved gap, and how the mechanism's outputs are given.
"""

from __future__ import annotations

import time

import lowkey as lk
from benchmarks.record import Record
from lowkey.experiments.paper_workloads import paper_workload

EPSILONS = (0.5, 1.0, 2.0, 4.0)
PROTOTYPES = {  # worst case per user, by ε
    ("all_marginals", 64): (36_971.1, 8_648.6, 1_659.25, 155.30),
    ("3way_marginals", 64): (9_301.74, 2_177.82, 413.465, 46.901),
    ("parity", 64): (26_302.4, 6_164.7, 1_198.3, 136.77),
    ("all_marginals", 512): (2.12845e6, 499_946, 97_885.6, 9_856.6),
    ("3way_marginals", 512): (107_183, 24_344.6, 4_762.2, 585.30),
    ("parity", 512): (277_290, 64_892, 13_466, 1_946.2),
}
LIMIT, TARGET = 20.0, 1.005


def main() -> None:
    record = Record("group", f"Marginals and parities: at most {LIMIT:g} s each, worst case per user")
    header = (
        f"{'n':>4} {'workload':<15}{'ε':>4} {'prototype':>10} {'here':>10} {'ratio':>7} {'gap':>7} {'seconds':>8}  "
    )
    record.say(header + "outputs")
    ratios = []
    for (name, cells), known in PROTOTYPES.items():
        workload = paper_workload(name, cells)
        for epsilon, prototype in zip(EPSILONS, known, strict=True):
            started = time.perf_counter()
            solution = lk.optimize(workload, epsilon, time_limit=LIMIT)
            seconds = time.perf_counter() - started
            ratios.append(solution.value / prototype)
            record.say(
                f"{cells:4} {name:<15}{epsilon:4} {prototype:10.6g} {solution.value:10.6g} {ratios[-1]:7.4f} "
                f"{solution.gap:7.2%} {seconds:8.1f}  {solution.mechanism.shape[0]:,} ({solution.origin})"
            )
    record.say("")
    record.say(f"largest ratio {max(ratios):.4f} (target {TARGET})")
    record.write()


if __name__ == "__main__":
    main()
