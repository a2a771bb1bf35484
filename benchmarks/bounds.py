"""What lower_bound proves for the paper's workloads, in how many seconds: `python -m benchmarks.bounds`.

Beside it the smallest worst-case variance per user that searches over strategies have reached: the truth lies between.
"""

from __future__ import annotations

import time

import lowkey as lk
from benchmarks.record import Record

EPSILONS = (0.5, 1.0, 2.0, 4.0)
REACHED: dict[int, dict[str, tuple[lk.workloads.Workload, tuple[float | None, ...]]]] = {
    64: {
        "histogram": (lk.workloads.histogram(64), (970.88, 227.42, 43.952, 3.7544)),
        "prefix": (lk.workloads.prefix(64), (2576.3, 600.97, 112.40, 14.032)),
        "all_range": (lk.workloads.all_range(64), (122_993, 28_648, 5445.0, 580.19)),
        "all_marginals": (lk.workloads.all_marginals([2] * 6), (36_971.1, 8648.6, 1659.25, 155.30)),
        "3way_marginals": (lk.workloads.k_way_marginals([2] * 6, 3), (9301.74, 2177.82, 413.465, 46.901)),
        "parity": (lk.workloads.parity(6, 3), (26_302.4, 6164.7, 1198.3, 136.77)),
    },
    512: {
        "prefix": (lk.workloads.prefix(512), (None, 9689, None, None)),
        "all_marginals": (lk.workloads.all_marginals([2] * 9), (2.12845e6, 499_946, 97_885.6, 9856.6)),
        "3way_marginals": (lk.workloads.k_way_marginals([2] * 9, 3), (107_183, 24_344.6, 4762.2, 585.30)),
        "parity": (lk.workloads.parity(9, 3), (277_290, 64_892, 13_466, 1946.2)),
    },
}


def main() -> None:
    record = Record("bounds", "Lower bounds on the worst-case variance per user")
    for n, workloads in REACHED.items():
        record.say(f"n = {n}")
        record.say(
            f"{'workload':15} {'ε':>4} {'paper':>10} {'bound':>10} {'reached':>10} {'gap':>6} {'seconds':>8}  kind"
        )
        for name, (workload, figures) in workloads.items():
            for epsilon, reached in zip(EPSILONS, figures, strict=True):
                record.say(f"{name:15} {_line(workload, epsilon, reached)}")
        record.say("")
    record.write()


def _line(workload: lk.workloads.Workload, epsilon: float, reached: float | None) -> str:
    paper = lk.lower_bound(workload, epsilon, kind="singular values").value
    started = time.perf_counter()
    bound = lk.lower_bound(workload, epsilon)
    seconds = time.perf_counter() - started
    known = "         –      –" if reached is None else f"{reached:10.6g} {bound.gap(reached):6.2%}"
    return f"{epsilon:4} {paper:10.5g} {bound.value:10.6g} {known} {seconds:8.2f}  {bound.kind}"


if __name__ == "__main__":
    main()
