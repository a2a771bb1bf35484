"""What lower_bound proves at n = 64 for the paper's workloads, in how many seconds: `python -m benchmarks.bounds`.

Beside it the smallest worst-case variance per user that searches over strategies have reached: the truth lies between.
"""

from __future__ import annotations

import time

import lowkey as lk
from benchmarks.record import Record

EPSILONS = (0.5, 1.0, 2.0, 4.0)
REACHED = {
    "histogram": (lk.workloads.histogram(64), (970.88, 227.42, 43.952, 3.7544)),
    "prefix": (lk.workloads.prefix(64), (2576.3, 600.97, 112.40, 14.032)),
    "all_range": (lk.workloads.all_range(64), (122_993, 28_648, 5445.0, 580.19)),
    "all_marginals": (lk.workloads.all_marginals([2] * 6), (36_971.1, 8648.6, 1659.25, 155.30)),
    "3way_marginals": (lk.workloads.k_way_marginals([2] * 6, 3), (9301.74, 2177.82, 413.465, 46.901)),
    "parity": (lk.workloads.parity(6, 3), (26_302.4, 6164.7, 1198.3, 136.77)),
}


def main() -> None:
    record = Record("bounds", "Lower bounds on the worst-case variance per user, n = 64")
    record.say(f"{'workload':15} {'ε':>4} {'paper':>10} {'bound':>10} {'reached':>10} {'gap':>6} {'seconds':>8}  kind")
    for name, (workload, figures) in REACHED.items():
        for epsilon, reached in zip(EPSILONS, figures, strict=True):
            paper = lk.lower_bound(workload, epsilon, kind="singular values").value
            started = time.perf_counter()
            bound = lk.lower_bound(workload, epsilon)
            seconds = time.perf_counter() - started
            record.say(
                f"{name:15} {epsilon:4} {paper:10.5g} {bound.value:10.6g} {reached:10.6g} "
                f"{bound.gap(reached):6.2%} {seconds:8.2f}  {bound.kind}"
            )
    record.write()


if __name__ == "__main__":
    main()
