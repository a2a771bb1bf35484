"""lowkey design: from a survey to its deployment."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from lowkey.analysis.variance import check_alpha
from lowkey.checks import check_size
from lowkey.cli import accuracy
from lowkey.cli.optimization import ending, headline, leave_if_interrupted, optimized, outcome
from lowkey.cli.options import (
    ADevice,
    Alpha,
    AMethod,
    AnObjective,
    AsJson,
    Device,
    Epsilon,
    MaxOutputs,
    Method,
    Objective,
    Seed,
    SurveyFile,
    TargetGap,
    TimeLimit,
    Users,
)
from lowkey.cli.output import print_json, show
from lowkey.cli.rivals import Rival, rivals, rivals_table
from lowkey.cli.target import check_target, keep_earlier
from lowkey.deployment import Deployment, deploy, load
from lowkey.optimize import Solution
from lowkey.survey import load_survey

Output = Annotated[
    Path | None,
    typer.Option("--output", "-o", help="The deployment file to write; next to the survey unless given."),
]


def design(
    survey: SurveyFile,
    output: Output = None,
    epsilon: Epsilon = None,
    objective: AnObjective = Objective.WORST,
    method: AMethod = Method.AUTO,
    alpha: Alpha = 0.01,
    users: Users = 100_000,
    seed: Seed = 0,
    time_limit: TimeLimit = 60.0,
    device: ADevice = Device.AUTO,
    max_outputs: MaxOutputs = None,
    target_gap: TargetGap = None,
    as_json: AsJson = False,
) -> None:
    """Design the best mechanism for a survey.

    Writes the deployment file, and prints the error of each family of queries, the people needed, other mechanisms
    beside this one and how much better any could be. Ctrl-C ends the search and keeps the best mechanism so far. A
    different design that stands in the file to write is put aside, never lost.

    Example:

        lowkey design survey.toml -o survey.lowkey --time-limit 300
    """
    check_alpha(alpha)
    check_size("users", users)
    asked = load_survey(survey)
    target = output or survey.with_suffix(".lowkey")
    check_target(target, "a deployment", load)
    solution = optimized(asked, epsilon, objective, method, seed, time_limit, device, max_outputs, target_gap)
    deployment = deploy(asked.schema, asked.workload, solution.mechanism)
    aside = keep_earlier(target, deployment.digest)
    deployment.save(target)
    found = rivals(solution, alpha)
    if as_json:
        file = {"deployment": str(target), "digest": deployment.digest, "kept": str(aside) if aside else None}
        print_json({"survey": asked.name, **_record(deployment, solution, found, users, alpha), **file})
    else:
        show(headline(asked, deployment.epsilon), accuracy.families_table(solution.analysis, users, alpha))
        show(rivals_table(found, alpha), accuracy.bound_words(solution, alpha))
        show(outcome(solution), _written(deployment, target, aside))
    leave_if_interrupted(solution)


def _record(
    deployment: Deployment, solution: Solution, found: list[Rival], users: int, alpha: float
) -> dict[str, object]:
    queries, cells = deployment.workload.shape
    return {
        "epsilon": deployment.epsilon,
        "cells": cells,
        "queries": queries,
        "outputs": deployment.outputs,
        "users": users,
        "alpha": alpha,
        **accuracy.overall(solution.analysis, users, alpha),
        "families": accuracy.families(solution.analysis, users, alpha),
        "competitors": found,
        "bound": accuracy.bound(solution, alpha),
        **ending(solution),
    }


def _written(deployment: Deployment, target: Path, aside: Path | None) -> str:
    text = f"Wrote {target}: {deployment.outputs:,} outputs, digest {deployment.digest[:12]}."
    return text if aside is None else f"{text} The earlier design is kept in {aside}."
