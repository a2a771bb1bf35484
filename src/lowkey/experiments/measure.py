"""One task measured: a mechanism on a workload at ε, beside the bound that is proved for it."""

from __future__ import annotations

import math
import time
from functools import lru_cache

from lowkey.analysis import Analysis, LowerBound, analyze, lower_bound
from lowkey.analysis.compare import create_for
from lowkey.errors import LowkeyError, MissingDependency
from lowkey.experiments.mechanisms import LOWER_BOUND, LOWKEY, OPTIMIZED
from lowkey.experiments.paper_workloads import DEGREE, LOW_DEGREE, paper_workload
from lowkey.experiments.results import NOT_AVAILABLE, Outcome, Task
from lowkey.mechanisms import Mechanism, create
from lowkey.optimize import Status, optimize
from lowkey.workloads import Workload

ALPHA = 0.01  # the paper's normalized variance
EXACT = "exact"


def measure(task: Task) -> Outcome:
    """What the task asks for; a mechanism that does not exist there, or cannot answer, is an outcome too."""
    try:
        workload = paper_workload(task.workload, task.n)
        if task.mechanism == LOWER_BOUND:
            return _bound(task, workload)
        return _optimized(task, workload) if task.mechanism in OPTIMIZED else _competitor(task, workload)
    except MissingDependency:
        raise
    except LowkeyError as error:
        return Outcome(NOT_AVAILABLE, note=str(error))


@lru_cache(maxsize=1)
def proved(workload: str, n: int, epsilon: float) -> LowerBound:
    """The bound that the rows of one point of the grid share."""
    return lower_bound(paper_workload(workload, n), epsilon, objective="worst")


def _bound(task: Task, workload: Workload) -> Outcome:
    started = time.perf_counter()
    bound = proved(task.workload, task.n, task.epsilon)
    people = bound.sample_complexity(workload.shape[0], ALPHA)
    seconds = time.perf_counter() - started
    return Outcome(bound.kind, people, bound.value, bound=bound.value, seconds=seconds)


def _competitor(task: Task, workload: Workload) -> Outcome:
    started = time.perf_counter()
    analysis = analyze(workload, _mechanism(task, workload))
    seconds = time.perf_counter() - started
    return _judged(analysis, proved(task.workload, task.n, task.epsilon).value, EXACT, seconds)


def _mechanism(task: Task, workload: Workload) -> Mechanism:
    if task.mechanism == "fourier" and task.workload in LOW_DEGREE:
        return create("fourier", task.n, task.epsilon, degree=DEGREE)
    return create_for(workload, task.mechanism, task.epsilon)


def _optimized(task: Task, workload: Workload) -> Outcome:
    solution = optimize(
        workload,
        task.epsilon,
        objective="worst",
        method="auto" if task.mechanism == LOWKEY else "projected-gradient",
        seed=task.seed or 0,
        time_limit=None if task.time_limit in (None, math.inf) else task.time_limit,
        device=task.device or "auto",
        outputs=task.outputs_asked,
    )
    if solution.status is Status.INTERRUPTED:
        raise KeyboardInterrupt  # what was found is not what was asked for
    bound = max(solution.bound.value, proved(task.workload, task.n, task.epsilon).value)
    return _judged(solution.analysis, bound, solution.status.value, solution.seconds)


def _judged(analysis: Analysis, bound: float, status: str, seconds: float) -> Outcome:
    """The numbers of a mechanism; the bound is one for pure ε-LDP and says nothing of (ε, δ)."""
    mechanism, is_pure = analysis.mechanism, analysis.mechanism.delta == 0
    return Outcome(
        status,
        sample_complexity=analysis.sample_complexity(ALPHA),
        worst_case=analysis.worst_case,
        average=analysis.average,
        bound=bound if is_pure else None,
        gap=analysis.worst_case / bound - 1 if is_pure and bound > 0 else None,
        delta=mechanism.delta,
        outputs=None if mechanism.has_closed_form else mechanism.shape[0],
        seconds=seconds,
    )
