"""The arguments and options that several verbs share, each written once."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

SurveyFile = Annotated[Path, typer.Argument(help="The survey, in TOML.", show_default=False)]
DeploymentFile = Annotated[Path, typer.Argument(help="The deployment, as `design` wrote it.", show_default=False)]
Epsilon = Annotated[float | None, typer.Option(help="Privacy budget ε instead of the survey's.", show_default=False)]
Alpha = Annotated[
    float,
    typer.Option(help="Normalized variance to reach: the squared error of a query, as a share of the users."),
]
Users = Annotated[int, typer.Option(help="Number of people for which errors are stated.")]
Seed = Annotated[int, typer.Option(help="Seed of everything random.")]
TimeLimit = Annotated[float, typer.Option(help="Seconds for the optimization; inf for no limit.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON, and nothing else, on stdout.")]


class Objective(StrEnum):
    WORST = "worst"
    AVERAGE = "average"


class Method(StrEnum):
    AUTO = "auto"
    PROJECTED_GRADIENT = "projected-gradient"


class Device(StrEnum):
    AUTO = "auto"
    CPU = "cpu"
    CUDA = "cuda"


MaxOutputs = Annotated[
    int | None,
    typer.Option(
        help="Most outputs of the mechanism; unless given 32 a cell, or any number that need no list.",
        show_default=False,
    ),
]
TargetGap = Annotated[
    float | None,
    typer.Option(help="Stop when this gap to the best possible is proved, such as 0.02.", show_default=False),
]
AnObjective = Annotated[Objective, typer.Option(help="Whose variance is to be small.")]
AMethod = Annotated[Method, typer.Option(help="How to optimize.")]
ADevice = Annotated[Device, typer.Option(help="Where to compute.")]
