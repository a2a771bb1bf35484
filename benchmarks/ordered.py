"""Ordered attributes beside yes-or-no questions: value, bound and gap of lk.optimize: `python -m benchmarks.ordered`.

Where all cells can be listed, what the method for large domains finds stands beside what the general method finds.
"""

from __future__ import annotations

import time

import lowkey as lk
from benchmarks.record import Record
from lowkey.optimize import default_outputs
from lowkey.optimize.arrays import arrays_on
from lowkey.optimize.budget import Budget
from lowkey.optimize.projected_gradient import Stopping
from lowkey.optimize.sampled.layout import layout_of
from lowkey.optimize.sampled.search import SampledSearch

LIMIT = 30.0  # seconds of search
SMALL = ((3, 3), (4, 4), (8, 4), (8, 5), (8, 7))  # values of the ordered attribute, questions
LARGE = ((16, 10), (32, 10), (32, 12), (64, 12), (16, 100))
EPSILONS = (0.5, 1.0, 2.0, 4.0)


def main() -> None:
    record = Record(
        "ordered", f"prefix(values) × 2-way marginals of yes-or-no questions, at most {LIMIT:g} s of search"
    )
    record.say("ε = 1, where the general method lists all cells: attributes drawn at random beside it")
    record.say(
        f"{'values':>6} {'questions':>9} {'cells':>6} {'drawn':>10} {'seconds':>8} {'general':>10} {'seconds':>8}"
    )
    for values, questions in SMALL:
        _small(record, values, questions)
    record.say("")
    record.say(
        f"{'values':>6} {'questions':>9} {'cells':>9} {'ε':>4} {'value':>12} {'bound':>12} {'gap':>8} {'seconds':>8}"
    )
    for values, questions in LARGE:
        _large(record, values, questions, 1.0)
    for epsilon in EPSILONS:
        _large(record, 32, 12, epsilon)
    record.write()


def workload_of(values: int, questions: int) -> lk.workloads.Workload:
    pairs = lk.workloads.k_way_marginals([2] * questions, 2)
    return lk.workloads.product([lk.workloads.prefix(values), pairs])


def _small(record: Record, values: int, questions: int) -> None:
    workload = workload_of(values, questions)
    started = time.perf_counter()
    drawn = _drawn(workload)
    between = time.perf_counter()
    general = lk.optimize(workload, 1.0, time_limit=LIMIT, max_outputs=default_outputs(workload.shape[1])).value
    ended = time.perf_counter()
    record.say(
        f"{values:6} {questions:9} {workload.shape[1]:6,} {drawn:10.6g} {between - started:8.1f} "
        f"{general:10.6g} {ended - between:8.1f}"
    )


def _drawn(workload: lk.workloads.Workload) -> float:
    assert workload.ordered_interactions is not None
    layout = layout_of(workload.ordered_interactions, 1.0)
    arrays = arrays_on("auto", layout.cells)
    return SampledSearch(workload, layout, 1.0, "worst", arrays, Budget(LIMIT), Stopping(), 0).best().worst_case


def _large(record: Record, values: int, questions: int, epsilon: float) -> None:
    workload = workload_of(values, questions)
    started = time.perf_counter()
    solution = lk.optimize(workload, epsilon, time_limit=LIMIT)
    took = time.perf_counter() - started
    record.say(
        f"{values:6} {questions:9} {workload.shape[1]:9.3g} {epsilon:4} {solution.value:12.6g} "
        f"{solution.bound.value:12.6g} {solution.gap:8.2%} {took:8.1f}"
    )


if __name__ == "__main__":
    main()
