"""How accurate a mechanism is: its families of queries, an average query, and what no mechanism can beat."""

from __future__ import annotations

import math
from dataclasses import dataclass

from lowkey.analysis import Analysis
from lowkey.analysis.per_query import query_error, users_needed, weighted_queries
from lowkey.cli.formats import enough, percent
from lowkey.optimize import Solution
from lowkey.report.tables import Column, Table


@dataclass(frozen=True)
class Accuracy:
    """A family's error at a number of users, and the users needed for α, without its weight."""

    name: str
    queries: int
    weight: float
    error: float
    users_needed: float


@dataclass(frozen=True)
class Bound:
    """The proved bound on the variance per user, and the people that every mechanism needs for α."""

    value: float
    kind: str
    objective: str
    users_needed: float
    gap: float


def families(analysis: Analysis, users: int, alpha: float) -> list[Accuracy]:
    """Each family of queries by itself."""
    return [
        Accuracy(
            one.family.name,
            one.family.workload.shape[0],
            one.family.weight,
            one.error(users),
            one.error(1) ** 2 / alpha,
        )
        for one in analysis.families
    ]


def overall(analysis: Analysis, users: int, alpha: float) -> dict[str, float]:
    """All queries together: the variance per user, the error of an average query, the users needed."""
    return {
        "worst_case": analysis.worst_case,
        "average": analysis.average,
        "error": query_error(analysis, users),
        "users_needed": users_needed(analysis, alpha),
    }


def families_table(analysis: Analysis, users: int, alpha: float) -> Table:
    """A row a family, the average query below."""
    rows = [
        (one.name, f"{one.queries:,}", f"{one.weight:g}", percent(one.error), enough(one.users_needed))
        for one in families(analysis, users, alpha)
    ]
    everything = (
        "an average query",
        f"{analysis.workload.shape[0]:,}",
        "",
        percent(query_error(analysis, users)),
        enough(users_needed(analysis, alpha)),
    )
    columns = (Column("family", False), Column("queries"), Column("weight"), Column("error"), Column("people needed"))
    note = (
        f"error: of a query, root mean square, as a share of {users:,} people, whoever they are; "
        f"people needed: for an error of ±{100 * math.sqrt(alpha):.3g}% (α = {alpha:g})"
    )
    return Table("Accuracy", columns, (*rows, everything), frozenset({len(rows)}), note)


def bound(solution: Solution, alpha: float) -> Bound:
    """What no mechanism can beat, for the solution's workload, ε and objective."""
    found = solution.bound
    least = found.value / (weighted_queries(solution.analysis.workload) * alpha)
    return Bound(found.value, found.kind, found.objective, least, solution.gap)


def bound_words(solution: Solution, alpha: float) -> str:
    """The bound for people who decide whether to look further."""
    found = bound(solution, alpha)
    if found.value <= 0:
        return f"Lower bound: the {found.kind} bound says nothing here (it is 0)."
    of_whom = "in the worst case" if found.objective == "worst" else "on average over the types of people"
    return (
        f"Lower bound: no mechanism can do with fewer than {enough(found.users_needed)} people {of_whom} "
        f"({found.kind}). This one takes at most {1 + found.gap:.3g} × the best possible number."
    )
