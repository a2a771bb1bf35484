"""lowkey simulate: a collection of a known population, truth against estimate."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from lowkey.analysis import analyze
from lowkey.analysis.variance import FamilyVariance
from lowkey.checks import Vector, check_size
from lowkey.cli.formats import percent
from lowkey.cli.options import AsJson, DeploymentFile, Seed
from lowkey.cli.output import print_json, show
from lowkey.cli.people import people_of
from lowkey.cli.target import check_target
from lowkey.counts import Counts
from lowkey.deployment import load
from lowkey.estimate import Estimate, estimate
from lowkey.report.tables import Column, Table

ROUNDING = 1e-9  # of the users: where the answer is known beforehand, an interval is a point

Users = Annotated[
    int | None,
    typer.Option(help="Number of people: 100,000 unless given, or all of --population.", show_default=False),
]
PopulationFile = Annotated[
    Path | None,
    typer.Option(
        help="CSV file of records, a column an attribute (a column `count` says how many people a row stands for). "
        "With --users so many are drawn from it. Unless given, everyone is of any type alike.",
        show_default=False,
    ),
]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="Write the counts here.", show_default=False)]


def simulate(
    deployment: DeploymentFile,
    users: Users = None,
    population: PopulationFile = None,
    seed: Seed = 0,
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Simulate a collection of reports.

    Every person of the population reports once. For each family of queries, the error of the answers stands beside
    the one designed for.

    Example:

        lowkey simulate survey.lowkey --users 100000 -o counts.json
    """
    found = load(deployment)
    if output is not None:
        check_target(output, "a counts file", Counts.load)
    people = people_of(found.schema, population, users, seed)
    counts = people.reports(found, check_size("the seed", seed, minimum=0))
    if output is not None:
        counts.save(output)
    made = estimate(found, counts)
    analysis = analyze(found.workload, found.mechanism)
    truth = people.answers(found.workload)
    families = [_compared(one, made, truth) for one in analysis.families]
    if as_json:
        written = None if output is None else str(output)
        print_json({"digest": found.digest, "users": counts.users, "families": families, "counts": written})
    else:
        show(_table(families, counts.users))
        if output is not None:
            show(f"Wrote {output}.")


@dataclass(frozen=True)
class Compared:
    """A family's answers against the truth: the error of a query, the one designed for, intervals that hold."""

    name: str
    queries: int
    error: float
    designed_error: float
    intervals_that_hold: int


def _compared(one: FamilyVariance, made: Estimate, truth: Vector) -> Compared:
    family = one.family
    rows = slice(family.start, family.stop)
    exact, answers, low, high = (values[rows] / family.weight for values in (truth, made.answers, made.low, made.high))
    slack = ROUNDING * made.users
    held = int(((low - slack <= exact) & (exact <= high + slack)).sum())
    error = float(np.sqrt(np.mean((answers - exact) ** 2))) / made.users
    return Compared(family.name, len(exact), error, one.error(made.users), held)


def _table(families: list[Compared], users: int) -> Table:
    rows = tuple(
        (
            one.name,
            f"{one.queries:,}",
            percent(one.error),
            percent(one.designed_error),
            f"{one.intervals_that_hold:,} of {one.queries:,}",
        )
        for one in families
    )
    columns = (
        Column("family", False),
        Column("queries"),
        Column("error"),
        Column("worst case"),
        Column("intervals that hold"),
    )
    note = (
        "error: of a query, root mean square, as a share of the people; worst case: what was designed for, whoever "
        "they are; intervals: at 95% confidence"
    )
    return Table(f"Truth against estimate: {users:,} people", columns, rows, note=note)
