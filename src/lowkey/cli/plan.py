"""lowkey plan: privacy, people, error; two are given, the third follows."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from lowkey.cli.formats import percent
from lowkey.cli.optimization import ending, leave_if_interrupted, outcome, seconds
from lowkey.cli.options import ADevice, AMethod, AsJson, Device, Epsilon, Method, Seed, SurveyFile, TimeLimit
from lowkey.cli.output import is_watched, print_json, show
from lowkey.optimize import planning
from lowkey.report.tables import Column, Table
from lowkey.survey import load_survey

Users = Annotated[int | None, typer.Option(help="Number of people who will answer.", show_default=False)]
Error = Annotated[
    float | None,
    typer.Option(help="Error of an average query as a share of the people: 0.02 is ±2%.", show_default=False),
]


def plan(
    survey: SurveyFile,
    epsilon: Epsilon = None,
    users: Users = None,
    error: Error = None,
    method: AMethod = Method.AUTO,
    seed: Seed = 0,
    time_limit: TimeLimit = 60.0,
    device: ADevice = Device.AUTO,
    as_json: AsJson = False,
) -> None:
    """Find ε, the people or the error.

    Two are given, the third follows: with --users and --error the answer is ε; with one of them alone ε is the
    survey's. The error is the root mean squared error of an average query, whoever the people are: the square root
    of the normalized variance α.

    Example:

        lowkey plan survey.toml --users 100000 --error 0.02
    """
    asked = load_survey(survey)
    is_open = (users is None) != (error is None)
    found = planning.plan(
        asked.workload,
        epsilon=asked.epsilon if epsilon is None and is_open else epsilon,
        users=users,
        error=error,
        method=method.value,
        seed=seed,
        time_limit=seconds(time_limit),
        device=device.value,
        progress=is_watched(),
    )
    if as_json:
        answer = {"survey": asked.name, "solved": found.solved, **asdict(found.answer)}
        print_json({**answer, "curve": found.curve, **ending(found.solution)})
    else:
        show(_answer(found), _curve_table(found), outcome(found.solution))
    leave_if_interrupted(found.solution)


def _answer(found: planning.Plan) -> str:
    epsilon, users, error = _texts(found.answer)
    answers = {"epsilon": f"ε = {epsilon}", "users": f"{users} people", "error": f"error {error}"}
    first = answers.pop(found.solved)
    return f"{first}, for {' and '.join(answers.values())}"


def _curve_table(found: planning.Plan) -> Table:
    columns = (Column("ε"), Column("people"), Column("error"))
    answer = frozenset(place for place, point in enumerate(found.curve) if point == found.answer)
    note = "error: of an average query, root mean square, as a share of the people, whoever they are"
    return Table("Around it", columns, tuple(map(_texts, found.curve)), answer, note)


def _texts(point: planning.PlanPoint) -> tuple[str, str, str]:
    return f"{point.epsilon:.4g}", f"{point.users:,}", percent(point.error)
