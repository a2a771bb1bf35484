"""Pictures and tables of the people that mechanisms need, over ε (figure 1) or over n (figure 2)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Literal

from lowkey.experiments.grid import rows_of, workloads_in
from lowkey.experiments.mechanisms import ALGORITHM_2, COMPETITORS, LOOKS, LOWER_BOUND, LOWKEY, WORKLOAD_NAMES
from lowkey.experiments.results import NOT_AVAILABLE, Row
from lowkey.report import Picture, Table
from lowkey.report.formats import factor, words
from lowkey.report.panels import Curve, Panel, Scales, panels
from lowkey.report.tables import NONE, Column

Over = Literal["epsilon", "n"]
Draw = Callable[[Sequence[Row]], Picture]
Tell = Callable[[Sequence[Row]], Table]
SIGNS = {"epsilon": "ε", "n": "n"}
DRAWN = tuple(reversed(LOOKS))


def picture_over(over: Over, title: str, meaning: str) -> Draw:
    """A panel for each workload, a curve for each mechanism."""

    def picture(rows: Sequence[Row]) -> Picture:
        xs = sorted({_x(row, over) for row in rows})
        ticks = tuple(x for x in xs if x == int(x)) or tuple(xs)
        scales = Scales(meaning, "people needed (α = 0.01)", ticks[:: -(-len(ticks) // 4)], is_log_x=over == "n")
        return panels(title, [_panel(rows, workload, over) for workload in workloads_in(rows)], scales)

    return picture


def _panel(rows: Sequence[Row], workload: str, over: Over) -> Panel:
    drawn = {name: _points(rows_of(rows, workload, name), over) for name in DRAWN if name != LOWER_BOUND}
    drawn[LOWER_BOUND] = _bound_points(rows_of(rows, workload), over)
    curves = tuple(Curve(LOOKS[name], drawn[name]) for name in DRAWN if drawn[name])
    return Panel(WORKLOAD_NAMES[workload], curves, "" if curves else NOT_AVAILABLE)


def _points(rows: Sequence[Row], over: Over) -> tuple[tuple[float, float], ...]:
    people = [(_x(row, over), row.outcome.sample_complexity) for row in rows]
    return tuple((x, y) for x, y in people if y)  # neither None nor 0, which a log axis has not


def _bound_points(rows: Sequence[Row], over: Over) -> tuple[tuple[float, float], ...]:
    """The largest bound that was proved at each point, by whichever row."""
    best: dict[float, float] = {}
    for row in rows:
        bound, outcome = row.outcome.bound, row.outcome
        if bound and outcome.worst_case and outcome.sample_complexity:
            people = bound * outcome.sample_complexity / outcome.worst_case
            best[_x(row, over)] = max(people, best.get(_x(row, over), 0.0))
    return tuple(sorted(best.items()))


def _x(row: Row, over: Over) -> float:
    return row.task.epsilon if over == "epsilon" else row.task.n


def table_over(over: Over, title: str) -> Tell:
    """A row for each point: lowkey, Algorithm 2 and the best of the others that keep pure ε."""
    columns = (
        Column("workload", False),
        Column(SIGNS[over]),
        Column("lowkey"),
        Column("Alg. 2"),
        Column("best other", False),
        Column("gap"),
    )

    def table(rows: Sequence[Row]) -> Table:
        note = "people needed; best other: times as many; gap: how far lowkey may be above the best possible (proved)"
        return Table(title, columns, tuple(_told(rows, over)), note=note)

    return table


def _told(rows: Sequence[Row], over: Over) -> Iterator[tuple[str, ...]]:
    for workload in workloads_in(rows):
        points = sorted({_x(row, over) for row in rows_of(rows, workload)})
        for x in points:
            yield _line(workload, x, {row.task.mechanism: row for row in rows_of(rows, workload) if _x(row, over) == x})


def _line(workload: str, x: float, rows: dict[str, Row]) -> tuple[str, ...]:
    able = [row for name, row in rows.items() if name in COMPETITORS and not row.outcome.delta]
    best = min(able, key=_people, default=None)
    own, theirs = (_people(rows[name]) if name in rows else math.inf for name in (LOWKEY, ALGORITHM_2))
    gap = rows[LOWKEY].outcome.gap if LOWKEY in rows else None
    other = NONE
    if best is not None and math.isfinite(_people(best)):
        ratio = f"{factor(_people(best) / own)} " if math.isfinite(own) else ""
        other = ratio + words(best.task.mechanism)
    return workload, f"{x:g}", _text(own), _text(theirs), other, NONE if gap is None else _percent(gap)


def _people(row: Row) -> float:
    return math.inf if row.outcome.sample_complexity is None else row.outcome.sample_complexity


def _percent(gap: float) -> str:
    """
    >>> _percent(0.00123), _percent(9.4711)
    ('0.12%', '947%')
    """
    return f"{gap:.2%}" if gap < 0.1 else f"{gap:.0%}"


def _text(people: float) -> str:
    """
    >>> _text(12345.6), _text(7.3789)
    ('12,346', '7.38')
    """
    if not math.isfinite(people):
        return NONE
    return f"{people:,.0f}" if people >= 1000 else f"{people:.3g}"
