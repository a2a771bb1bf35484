"""Tables of results, once as text for the terminal (Rich) and once as values for a page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import rich.box
import rich.table
import rich.text

from lowkey.analysis import Competitor
from lowkey.checks import Vector
from lowkey.report.formats import factor, people, points, share, words
from lowkey.report.people_needed import needs
from lowkey.report.results import FamilyResult, Results

NONE = "–"


@dataclass(frozen=True)
class Column:
    """A column's heading; numbers stand on the right."""

    heading: str
    is_number: bool = True


@dataclass(frozen=True)
class Table:
    """A table of finished texts. Rows in `strong` stand out."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    strong: frozenset[int] = frozenset()
    note: str = ""

    def to_rich(self) -> rich.table.Table:
        """The table for a terminal."""
        title = rich.text.Text(self.title)
        table = rich.table.Table(title=title, title_justify="left", title_style="bold", box=rich.box.SIMPLE_HEAD)
        for column in self.columns:
            table.add_column(column.heading, justify="right" if column.is_number else "left")
        for place, row in enumerate(self.rows):
            style = "bold" if place in self.strong else None
            table.add_row(*(rich.text.Text(cell) for cell in row), style=style)
        table.caption = rich.text.Text(self.note) if self.note else None
        table.caption_justify = "left"
        return table


def design_table(results: Results) -> Table:
    """What was asked, and how far off each family's answers are expected to be."""
    rows = [
        (one.name, f"{one.family.workload.shape[0]:,}", f"{one.family.weight:g}", points(one.designed_error))
        for one in results.families
    ]
    columns = (Column("questions", False), Column("queries"), Column("weight"), Column("standard error"))
    note = f"Of one query with {people(results.users)} people, root mean square, for whichever people suffer most."
    return Table("What was asked", columns, tuple(rows), note=note)


def competitors_table(results: Results) -> Table:
    """The mechanisms by the number of people that they need."""
    entries = needs(results)
    rows = [
        (
            need.name,
            people(need.people),
            factor(need.people / results.people_needed),
            "(ε, δ)" if need.is_weaker else "ε",
        )
        for need in entries
    ]
    columns = (Column("mechanism", False), Column("people needed"), Column("× this survey"), Column("promise", False))
    own = frozenset(place for place, need in enumerate(entries) if need.is_own)
    return Table("People needed", columns, tuple(rows), own, _left_out(results.competitors))


def accuracy_table(results: Results) -> Table:
    """What was promised against what came out; errors are of one query, root mean square."""
    columns = [Column("questions", False), Column("designed"), Column("unbiased"), Column("consistent")]
    columns.append(Column("intervals that hold"))
    if results.repeats is not None:
        columns.append(Column(f"in {results.repeats.runs:,} repeats"))
    rows = [_accuracy_row(one, results) for one in results.families]
    return Table("Truth against estimate", tuple(columns), tuple(rows))


def _accuracy_row(one: FamilyResult, results: Results) -> tuple[str, ...]:
    is_open = one.is_open
    held = f"{int((one.holds & is_open).sum()):,} of {int(is_open.sum()):,}" if one.truth is not None else NONE
    row = (one.name, points(one.designed_error), points(one.error), points(one.consistent_error), held)
    if results.repeats is None:
        return row
    return (*row, coverage(results.repeats.coverage[one.family.start : one.family.stop]))


def coverage(shares: Vector) -> str:
    """The mean share of repeats whose interval held the truth."""
    known = shares[~np.isnan(shares)]
    return share(float(known.mean())) if known.size else NONE


def answers_table(one: FamilyResult, most: int = 200) -> Table:
    """Each query's answer, of large families the first ones."""
    shown = range(min(most, len(one.answers)))
    columns = [Column("query", False)]
    columns += [Column("truth")] * (one.truth is not None)
    columns += [Column("estimate"), Column("interval")]
    columns += [Column("consistent")] * (one.consistent is not None)
    rows = tuple(_answer_row(one, place) for place in shown)
    left = len(one.answers) - len(rows)
    note = f"The first {len(rows):,} of {len(one.answers):,} queries." if left else ""
    return Table(one.name, tuple(columns), rows, note=note)


def _answer_row(one: FamilyResult, place: int) -> tuple[str, ...]:
    between = f"{share(one.low[place])} to {share(one.high[place])}"
    cells = [one.labels[place]]
    cells += [] if one.truth is None else [share(one.truth[place])]
    cells += [share(one.answers[place]), between if one.is_open[place] else "known"]
    cells += [] if one.consistent is None else [share(one.consistent[place])]
    return tuple(cells)


def _left_out(competitors: Sequence[Competitor]) -> str:
    """Those that do not exist here or cannot answer."""
    names = [words(one.name) for one in competitors if math.isinf(one.worst_case)]
    return f"Not for this domain or these queries: {', '.join(names)}." if names else ""
