"""The optimization behind `design` and `compare`: how it is run, and how its end is told."""

from __future__ import annotations

import math
import sys

import typer

from lowkey.cli.failures import INTERRUPTED
from lowkey.cli.options import Device, Method, Objective
from lowkey.cli.output import is_watched
from lowkey.errors import format_size
from lowkey.optimize import Solution, Status, optimize
from lowkey.survey import Survey


def optimized(
    asked: Survey,
    epsilon: float | None,
    objective: Objective,
    method: Method,
    seed: int,
    time_limit: float,
    device: Device,
    max_outputs: int | None = None,
    target_gap: float | None = None,
) -> Solution:
    """The best mechanism for the survey at its ε or the one given; one that can be deployed."""
    return optimize(
        asked.workload,
        asked.epsilon if epsilon is None else epsilon,
        objective=objective.value,
        method=method.value,
        seed=seed,
        time_limit=seconds(time_limit),
        max_outputs=max_outputs,
        deployable=True,
        target_gap=target_gap,
        device=device.value,
        progress=is_watched(),
    )


def seconds(time_limit: float) -> float | None:
    """The library's time limit."""
    return None if time_limit == math.inf else time_limit


def headline(asked: Survey, epsilon: float) -> str:
    """What is asked, in a line."""
    queries, cells = asked.workload.shape
    return f"{asked.name}: {queries:,} queries over {format_size(cells)} cells, ε = {epsilon:g}"


def outcome(solution: Solution) -> str:
    """How the optimization ended, and what to try."""
    advice = solution.advice.replace("time_limit", "--time-limit")
    return f"Optimized in {solution.seconds:.1f} s, best from {solution.origin}: {solution.status}. {advice}"


def ending(solution: Solution) -> dict[str, object]:
    """The same as values."""
    return {
        "objective": solution.objective,
        "origin": solution.origin,
        "status": solution.status.value,
        "advice": solution.advice,
        "seconds": solution.seconds,
    }


def leave_if_interrupted(solution: Solution) -> None:
    """What was found is told and kept, but a script that goes on should know."""
    if solution.status is Status.INTERRUPTED:
        print("Interrupted: this is the best found so far.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED)
