"""lowkey inspect: what a deployment asks, and how well."""

from __future__ import annotations

from lowkey.analysis import Analysis, analyze
from lowkey.analysis.variance import check_alpha
from lowkey.checks import check_size
from lowkey.cli import accuracy
from lowkey.cli.options import Alpha, AsJson, DeploymentFile, Users
from lowkey.cli.output import print_json, show
from lowkey.deployment import Deployment, load
from lowkey.errors import format_size
from lowkey.report.tables import Column, Table
from lowkey.schema import Attribute, Schema


def inspect(
    deployment: DeploymentFile,
    alpha: Alpha = 0.01,
    users: Users = 100_000,
    as_json: AsJson = False,
) -> None:
    """Show what a deployment asks, and how well.

    The file is checked first: its digest, that its strategy is one, and that it keeps the ε that it claims.

    Example:

        lowkey inspect survey.lowkey --users 5000
    """
    check_alpha(alpha)
    check_size("users", users)
    found = load(deployment)
    analysis = analyze(found.workload, found.mechanism)
    if as_json:
        print_json(_record(found, analysis, users, alpha))
    else:
        show(_headline(found), _schema_table(found.schema), accuracy.families_table(analysis, users, alpha))


def _record(found: Deployment, analysis: Analysis, users: int, alpha: float) -> dict[str, object]:
    queries, cells = found.workload.shape
    return {
        "digest": found.digest,
        "mechanism": found.mechanism.name,
        "epsilon": found.epsilon,
        "outputs": found.outputs,
        "cells": cells,
        "queries": queries,
        "attributes": [_attribute(one) for one in found.schema],
        "users": users,
        "alpha": alpha,
        **accuracy.overall(analysis, users, alpha),
        "families": accuracy.families(analysis, users, alpha),
    }


def _attribute(one: Attribute) -> dict[str, object]:
    return {"name": one.name, "size": one.size, "labels": list(one.labels)}


def _headline(found: Deployment) -> str:
    queries, cells = found.workload.shape
    return (
        f"ε = {found.epsilon:g}, mechanism “{found.mechanism.name}”: {found.outputs:,} outputs, "
        f"{format_size(cells)} cells, {queries:,} queries\ndigest {found.digest}"
    )


def _schema_table(schema: Schema) -> Table:
    rows = tuple((one.name, f"{one.size:,}", ", ".join(map(str, one.labels))) for one in schema)
    return Table("Attributes", (Column("attribute", False), Column("values"), Column("which", False)), rows)
