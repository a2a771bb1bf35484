"""lowkey estimate: from counts to answers with intervals."""

from __future__ import annotations

import csv
import math
import sys
from collections.abc import Iterable
from enum import StrEnum
from functools import reduce
from itertools import islice
from operator import add
from pathlib import Path
from typing import Annotated

import typer

from lowkey.cli.options import AsJson, DeploymentFile
from lowkey.cli.output import print_json, show
from lowkey.counts import Counts
from lowkey.deployment import load
from lowkey.errors import InvalidInput
from lowkey.estimate import Estimate
from lowkey.estimate import estimate as estimate_answers
from lowkey.report.formats import share
from lowkey.report.tables import NONE, Column, Table
from lowkey.workloads.base import Family

FIELDS = ("family", "query", "answer", "low", "high")
Row = tuple[str, str, float, float, float]


class Method(StrEnum):
    UNBIASED = "unbiased"
    WNNLS = "wnnls"


CountsFiles = Annotated[
    list[Path], typer.Argument(help="One or more counts files; they are added.", show_default=False)
]
AMethod = Annotated[Method, typer.Option(help="wnnls: consistent answers, closer to the truth, without intervals.")]
Confidence = Annotated[float, typer.Option(help="Share of intervals that hold the true answer.")]
Total = Annotated[
    float | None,
    typer.Option(help="With wnnls: the number of people, where it is known for certain.", show_default=False),
]
Rows = Annotated[int, typer.Option(help="Answers shown of each family; --csv and --json give all.", min=0)]
AsCsv = Annotated[bool, typer.Option("--csv", help="Print CSV, and nothing else, on stdout.")]


def estimate(
    deployment: DeploymentFile,
    counts: CountsFiles,
    method: AMethod = Method.UNBIASED,
    confidence: Confidence = 0.95,
    total: Total = None,
    rows: Rows = 10,
    as_csv: AsCsv = False,
    as_json: AsJson = False,
) -> None:
    """Estimate the answers from counts.

    Prints them family by family, with intervals for the people who reported.

    Example:

        lowkey estimate survey.lowkey monday.json tuesday.json
    """
    if as_csv and as_json:
        raise InvalidInput("the form of the output", "both --csv and --json", "one of them")
    found = load(deployment)
    merged = reduce(add, [Counts.load(path) for path in counts])
    made = estimate_answers(found, merged, method.value, confidence, total)
    if as_csv:
        _print_csv(made.rows())
    elif as_json:
        print_json(_record(made))
    else:
        for family in made.workload.families:
            show(_family_table(family, rows, made))


def _record(made: Estimate) -> dict[str, object]:
    answers = [dict(zip(FIELDS, row, strict=True)) for row in made.rows()]
    basics = {"users": made.users, "method": made.method, "confidence": made.confidence}
    return {**basics, "provenance": made.provenance, "answers": answers}


def _print_csv(rows: Iterable[Row]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(FIELDS)
    writer.writerows([("" if value != value else value) for value in row] for row in rows)


def _family_table(family: Family, most: int, made: Estimate) -> Table:
    shown = tuple(_cells(row, made.users) for row in islice(made.family_rows(family), most))
    left = family.stop - family.start - len(shown)
    columns = (
        Column("query", False),
        Column("people"),
        Column("share"),
        Column(f"{100 * made.confidence:.4g}% interval"),
    )
    return Table(family.name, columns, shown, note=f"… and {left:,} more: --csv or --json gives all" if left else "")


def _cells(row: Row, users: int) -> tuple[str, ...]:
    _, query, answer, low, high = row
    interval = NONE if math.isnan(low) else f"{low:,.0f} to {high:,.0f}"
    return query, f"{answer:,.0f}", share(answer / users), interval
