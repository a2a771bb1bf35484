"""The optimized mechanism among the known ones."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Sequence
from dataclasses import dataclass

from lowkey.analysis import Analysis, Competitor
from lowkey.analysis.compare import compare, refuse_many_cells
from lowkey.analysis.per_query import users_needed
from lowkey.cli.formats import enough, variance
from lowkey.cli.output import spinning
from lowkey.errors import TooLarge
from lowkey.mechanisms import names
from lowkey.optimize import Solution
from lowkey.optimize.candidates import CATALOGUE_LIMIT
from lowkey.report.formats import factor, words
from lowkey.report.tables import Column, Table

OWN = "optimized"
REASON_WIDTH = 100
COMPARED_CELLS = CATALOGUE_LIMIT


@dataclass(frozen=True)
class Rival:
    """A mechanism on the workload, `ratio` to the optimized one; one that cannot answer has a reason instead."""

    name: str
    worst_case: float = math.inf
    users_needed: float = math.inf
    ratio: float = math.inf
    delta: float = 0.0
    reason: str = ""

    @property
    def is_able(self) -> bool:
        return not self.reason


def rivals(solution: Solution, alpha: float) -> list[Rival]:
    """The catalogue and the optimized mechanism, best first; one after the other, so that a watcher sees which."""
    own = solution.analysis
    found = [Competitor(OWN, own)]
    for name in names():
        with spinning(f"comparing with {words(name)}"):
            found.append(_competitor(own, name))
    return [_rival(one, own, alpha) for one in sorted(found, key=lambda one: one.worst_case)]


def _competitor(own: Analysis, name: str) -> Competitor:
    """A mechanism of the catalogue; none where listing it would take longer than anyone waits."""
    try:
        refuse_many_cells(own.workload.shape[1], COMPARED_CELLS)
    except TooLarge as error:
        return Competitor(name, None, str(error))
    return compare(own.workload, own.mechanism.epsilon, [name])[0]


def _rival(one: Competitor, own: Analysis, alpha: float) -> Rival:
    if one.analysis is None:
        return Rival(one.name, reason=one.reason)
    needed = users_needed(one.analysis, alpha)
    ratio = _ratio(one.worst_case, own.worst_case)
    return Rival(one.name, one.worst_case, needed, ratio, one.analysis.mechanism.delta)


def _ratio(other: float, own: float) -> float:
    """other/own; two mechanisms without any error are equal."""
    return other / own if own > 0 else (1.0 if other == own else math.inf)


def rivals_table(found: Sequence[Rival], alpha: float) -> Table:
    """Those that can answer the workload; the note says what keeps the others from it."""
    able = [one for one in found if one.is_able]
    own = frozenset(place for place, one in enumerate(able) if one.name == OWN)
    columns = (
        Column("mechanism", False),
        Column("variance"),
        Column("people needed"),
        Column("× ours"),
        Column("promise", False),
    )
    note = f"variance: worst case, per user; people needed: for α = {alpha:g}"
    reasons: dict[str, list[str]] = {}
    for one in found:
        if not one.is_able:
            reasons.setdefault(_shortened(one), []).append(words(one.name))
    missing = [f"{', '.join(those)}: not here ({reason})" for reason, those in reasons.items()]
    return Table("Mechanisms", columns, tuple(map(_row, able)), own, "\n".join([note, *missing]))


def _row(one: Rival) -> tuple[str, ...]:
    promise = "(ε, δ)" if one.delta else "ε"
    return words(one.name), variance(one.worst_case), enough(one.users_needed), factor(one.ratio), promise


def _shortened(one: Rival) -> str:
    """The first half of the reason, which says what arrived."""
    return textwrap.shorten(one.reason.split(";")[0], REASON_WIDTH, placeholder=" …")
