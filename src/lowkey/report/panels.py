"""Curves in panels, one panel a problem: how a number changes with another, for several ways to do it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from lowkey.report.formats import short_people
from lowkey.report.marks import SMALL
from lowkey.report.picture import Picture
from lowkey.report.theme import Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

ABREAST = 2
PANEL_HEIGHT, SINGLE_HEIGHT = 150, 250
LEGEND_ROW = 17
WIDE = 100  # largest by smallest, from which on a log axis has only powers of ten


@dataclass(frozen=True)
class Look:
    """How a way to do it is drawn in every panel: its label, a role of the theme, and what tells it without colour."""

    label: str
    role: str
    marker: str
    width: float = 1.1
    size: float = 4.2
    dashed: bool = False
    hollow: bool = False

    def line(self, theme: Theme) -> dict[str, Any]:
        """Matplotlib's words for it."""
        colour = theme.roles[self.role]
        line: Any = (0, (4, 2.5)) if self.dashed else "-"
        fill = "none" if self.hollow else colour
        look: dict[str, Any] = {"color": colour, "linestyle": line, "linewidth": self.width, "marker": self.marker}
        return look | {"markersize": self.size, "markerfacecolor": fill, "markeredgewidth": 1.2}


@dataclass(frozen=True)
class Curve:
    """Points in the order of x; `spread` are the ends of a bar at each point."""

    look: Look
    points: tuple[tuple[float, float], ...]
    spread: tuple[tuple[float, float], ...] = ()

    def in_words(self) -> str:
        """Where it begins and ends."""
        (first, start), (last, end) = self.points[0], self.points[-1]
        text = f"{self.look.label} {start:,.4g} at {first:g}"
        return text if len(self.points) == 1 else f"{text}, {end:,.4g} at {last:g}"


@dataclass(frozen=True)
class Panel:
    """One problem's curves, those drawn last on top, and a few words in it."""

    title: str
    curves: tuple[Curve, ...]
    note: str = ""

    def in_words(self) -> str:
        told = [curve.in_words() for curve in self.curves] + [self.note] * bool(self.note)
        return f"{self.title}: {'; '.join(told)}."


@dataclass(frozen=True)
class Scales:
    """What the axes mean; ticks of x are written as they are."""

    x: str
    y: str
    ticks: tuple[float, ...]
    is_log_x: bool = False
    is_log_y: bool = True
    is_shared_y: bool = False


def panels(title: str, parts: Sequence[Panel], scales: Scales) -> Picture:
    """Two panels abreast, a legend above that names each curve once."""
    looks = list(dict.fromkeys(curve.look for part in reversed(parts) for curve in reversed(part.curves)))
    abreast = min(ABREAST, len(parts))
    rows = -(-len(parts) // abreast)

    def draw(figure: Figure, theme: Theme) -> None:
        grid = figure.subplots(rows, abreast, squeeze=False, sharex=True, sharey=scales.is_shared_y)
        for plot in grid.flat[len(parts) :]:
            plot.remove()
        for plot, part in zip(grid.flat, parts, strict=False):
            _draw_panel(plot, part, scales, theme)
        figure.supxlabel(scales.x, fontsize=SMALL, color=theme.muted)
        figure.supylabel(scales.y, fontsize=SMALL, color=theme.muted)
        if looks:
            _draw_legend(figure, looks, theme)

    height = (PANEL_HEIGHT if abreast > 1 else SINGLE_HEIGHT) * rows + LEGEND_ROW * -(-len(looks) // 2) + 40
    told = " ".join(part.in_words() for part in parts)
    return Picture(title, f"Curves of {scales.y} over {scales.x}. {told}", height, draw)


def _draw_panel(plot: Axes, part: Panel, scales: Scales, theme: Theme) -> None:
    for curve in part.curves:
        _draw_curve(plot, curve, theme)
    if part.note:
        place: dict[str, Any] = {"va": "top", "ha": "right"} if part.curves else {"va": "center", "ha": "center"}
        at = (0.97, 0.97) if part.curves else (0.5, 0.5)
        plot.text(*at, part.note, transform=plot.transAxes, fontsize=SMALL, color=theme.muted, **place)
    plot.set_title(part.title, fontsize=SMALL, color=theme.ink, loc="left")
    _set_x(plot, scales)
    _set_y(plot, part, scales)
    plot.grid(visible=True, color=theme.grid, linewidth=0.7)
    plot.set_axisbelow(True)
    plot.tick_params(axis="both", which="both", length=0, labelsize=SMALL)


def _draw_curve(plot: Axes, curve: Curve, theme: Theme) -> None:
    xs, ys = zip(*curve.points, strict=True)
    if curve.spread:
        low, high = zip(*curve.spread, strict=True)
        plot.vlines(xs, low, high, color=theme.roles[curve.look.role], linewidth=1.0)
    plot.plot(xs, ys, **curve.look.line(theme))


def _set_x(plot: Axes, scales: Scales) -> None:
    from matplotlib.ticker import NullLocator

    if scales.is_log_x:
        plot.set_xscale("log", base=2)
    plot.set_xticks(scales.ticks, [f"{tick:g}" for tick in scales.ticks])
    plot.xaxis.set_minor_locator(NullLocator())


def _set_y(plot: Axes, part: Panel, scales: Scales) -> None:
    from matplotlib.ticker import LogLocator, MaxNLocator, NullLocator

    numbers = [y for curve in part.curves for _, y in curve.points]
    if not scales.is_log_y or not numbers:
        plot.yaxis.set_major_locator(MaxNLocator(4))
        return
    plot.set_yscale("log")
    is_wide = max(numbers) > WIDE * min(numbers)
    plot.yaxis.set_major_locator(LogLocator(base=10, subs=(1.0,) if is_wide else (1.0, 2.0, 5.0), numticks=5))
    plot.yaxis.set_major_formatter(lambda value, _: short_people(value))
    plot.yaxis.set_minor_locator(NullLocator())


def _draw_legend(figure: Figure, looks: Sequence[Look], theme: Theme) -> None:
    from matplotlib.lines import Line2D

    handles = [Line2D([], [], label=look.label, **look.line(theme)) for look in looks]
    place: dict[str, Any] = {"frameon": False, "fontsize": SMALL, "labelspacing": 0.25, "borderaxespad": 0.2}
    figure.legend(handles=handles, loc="outside upper left", ncols=2, handlelength=2.2, columnspacing=1.2, **place)
