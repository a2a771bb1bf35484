"""A table of two attributes as a heat map, the estimate beside the truth."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from lowkey.checks import Matrix
from lowkey.report.formats import share
from lowkey.report.marks import LETTER, SMALL, shortened
from lowkey.report.picture import WIDTH, Picture
from lowkey.report.theme import Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

MOST_WRITTEN = 6  # columns whose numbers fit into their cells
MOST_LABELS = 16
LEAST_STEP = 18  # units between turned labels


@dataclass(frozen=True, eq=False)
class Grid:
    """Shares of the people by two attributes: (rows, columns)."""

    row_name: str
    column_name: str
    row_labels: Sequence[str]
    column_labels: Sequence[str]
    values: Matrix
    truth: Matrix | None = None

    def in_words(self) -> str:
        text = f"{self.row_name} by {self.column_name}. " + self._extreme("Largest estimate", self.values)
        if self.truth is None:
            return text
        furthest = float(np.abs(self.values - self.truth).max())
        return f"{text} {self._extreme('Largest true share', self.truth)} They differ by at most {share(furthest)}."

    def _extreme(self, what: str, values: Matrix) -> str:
        row, column = divmod(int(np.argmax(values)), values.shape[1])
        place = f"{self.row_name} {self.row_labels[row]}, {self.column_name} {self.column_labels[column]}"
        return f"{what}: {share(float(values[row, column]))} at {place}."


def heat_map(title: str, grid: Grid) -> Picture:
    """Cells as dark as their shares are large, the numbers written in where they fit."""
    panels = [("estimate", grid.values)] + ([] if grid.truth is None else [("truth", grid.truth)])
    top = max(float(values.max()) for _, values in panels) or 1.0
    tall = 26 if len(grid.row_labels) <= MOST_LABELS else max(4.0, 26 * MOST_LABELS / len(grid.row_labels))

    def draw(figure: Figure, theme: Theme) -> None:
        plots = figure.subplots(1, len(panels), sharey=True, squeeze=False)[0]
        for plot, (name, values) in zip(plots, panels, strict=True):
            _draw_cells(plot, values, top, theme)
            _label_columns(plot, grid, len(panels))
            plot.set_title(
                f"{name}, %", fontsize=SMALL, color=theme.truth if name == "truth" else theme.estimate, loc="left"
            )
        _label_rows(plots[0], grid, theme)

    turned = max(map(len, grid.column_labels)) * LETTER * 0.71 + 34
    return Picture(title, f"Heat map: {grid.in_words()}", 40 + tall * len(grid.row_labels) + turned, draw)


def _draw_cells(plot: Axes, values: Matrix, top: float, theme: Theme) -> None:
    from matplotlib.patches import Rectangle

    rows, columns = values.shape
    for row, column in np.ndindex(rows, columns):
        value = float(values[row, column])
        heat = float(np.clip(value / top, 0.0, 1.0))
        plot.add_patch(
            Rectangle((column, row), 0.96, 0.94, facecolor=theme.heat, alpha=0.06 + 0.94 * heat, linewidth=0)
        )
        if columns <= MOST_WRITTEN and rows <= MOST_LABELS:
            middle = (column + 0.48, row + 0.47)
            plot.text(*middle, share(value)[:-1], ha="center", va="center", fontsize=SMALL, color=theme.ink)
    plot.set(xlim=(0, columns), ylim=(rows, 0))
    plot.tick_params(length=0)
    for spine in plot.spines.values():
        spine.set_visible(False)


def _label_columns(plot: Axes, grid: Grid, panels: int) -> None:
    left = min(max(map(len, grid.row_labels)) * LETTER, 0.3 * WIDTH) + 40  # row labels, their name, gaps
    column = (WIDTH - left) / panels / len(grid.column_labels)
    fits = max(map(len, grid.column_labels)) * LETTER < 0.95 * column
    step = math.ceil(LEAST_STEP / column)
    places = range(0, len(grid.column_labels), step)
    labels = [shortened(grid.column_labels[place], 0.4 * WIDTH) for place in places]
    turn: dict[str, Any] = {} if fits else {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    plot.set_xticks([place + 0.5 for place in places], labels, fontsize=SMALL, **turn)
    plot.set_xlabel(grid.column_name)


def _label_rows(plot: Axes, grid: Grid, theme: Theme) -> None:
    step = -(-len(grid.row_labels) // MOST_LABELS)
    places = range(0, len(grid.row_labels), step)
    labels = [shortened(grid.row_labels[place], 0.3 * WIDTH) for place in places]
    plot.set_yticks([place + 0.5 for place in places], labels, fontsize=SMALL, color=theme.ink)
    plot.set_ylabel(grid.row_name)
