"""What the pictures share: the marks for interval and truth, value axes in percent, legends, labels that fit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from lowkey.report.formats import share
from lowkey.report.series import Series
from lowkey.report.theme import Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Places = npt.NDArray[np.float64]

SMALL = 11
LETTER = 6.6  # units that a letter takes at 12 units, on average
MOST_TICKS = 13
MOST_TURNED = 8  # ticks whose labels are turned by 30°: closer ones would touch
MANY = 24  # values from which on marks are smaller and lines have no ends
BAR: dict[str, Any] = {"alpha": 0.5, "linewidth": 0}
DIAMOND: dict[str, Any] = {"marker": "D", "markersize": 6, "markerfacecolor": "none", "markeredgewidth": 1.8}


def mark_size(values: int) -> float:
    """How large the marks of so many values may be."""
    return 6.0 if values <= MANY else max(6.0 * MANY / values, 1.5)


def draw_whiskers(plot: Axes, places: Places, series: Series, theme: Theme, *, across: bool) -> None:
    """The intervals as lines with short ends, without them where they are many."""
    from matplotlib.lines import Line2D

    lines, end = (plot.hlines, "|") if across else (plot.vlines, "_")
    lines(places, series.low, series.high, color=theme.ink, linewidth=1.4 if len(series) <= MANY else 0.8)
    for bound in (series.low, series.high) if len(series) <= MANY else ():
        xs, ys = (bound, places) if across else (places, bound)
        plot.add_line(Line2D(xs, ys, linestyle="none", marker=end, markersize=7, color=theme.ink, markeredgewidth=1.4))


def draw_truth(plot: Axes, places: Places, series: Series, theme: Theme, *, across: bool) -> None:
    """A hollow diamond at each true value."""
    if series.truth is not None:
        xs, ys = (series.truth, places) if across else (places, series.truth)
        size = mark_size(len(series))
        look = DIAMOND | {"markersize": size, "markeredgewidth": 0.3 * size}
        plot.plot(xs, ys, linestyle="none", markeredgecolor=theme.truth, clip_on=False, zorder=5, **look)


def set_percent_axis(plot: Axes, which: str, series: Series, theme: Theme) -> None:
    """The value axis: shares of the people with 0 in sight and a quiet grid."""
    from matplotlib.ticker import MaxNLocator

    low, high = series.reach
    margin = 0.04 * (high - low) or 0.01
    limits = (low - margin if low < 0 else 0.0, high + margin)
    axis = plot.xaxis if which == "x" else plot.yaxis
    plot.set(**{f"{which}lim": limits})
    digits = 0 if high - low > 0.15 else 1
    axis.set_major_locator(MaxNLocator(6, steps=[1, 2, 2.5, 5, 10]))
    axis.set_major_formatter(lambda value, _: share(value, digits))
    axis.grid(visible=True, color=theme.grid, linewidth=0.8)
    plot.set_axisbelow(True)
    plot.tick_params(axis="both", length=0)
    (plot.axhline if which == "y" else plot.axvline)(0, color=theme.muted, linewidth=1)
    for spine in plot.spines.values():
        spine.set_visible(False)


def set_labels(plot: Axes, labels: Sequence[str], width: float) -> None:
    """Labels below the values: thinned out where they are many, turned where they are long."""
    longest = max(map(len, labels)) * LETTER
    turn = longest > 0.95 * width / min(len(labels), MOST_TICKS)
    step = -(-len(labels) // (MOST_TURNED if turn else MOST_TICKS))
    places = range(0, len(labels), step)
    texts = [labels[place] for place in places]
    plot.set_xticks(list(places), texts, rotation=30 if turn else 0, ha="right" if turn else "center")


def add_legend(figure: Figure, theme: Theme, mark: str, has_truth: bool, confidence: float) -> None:
    """One row above the drawing that says what is what."""
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    interval = f"{100 * confidence:g}% interval"
    if mark == "bar":
        handles: list[Any] = [Patch(facecolor=theme.estimate, label="estimate", **BAR)]
        handles.append(Line2D([], [], color=theme.ink, linewidth=1.4, marker="|", markersize=7, label=interval))
    elif mark == "band":
        handles = [Line2D([], [], color=theme.estimate, marker="o", markersize=5, linewidth=1.8, label="estimate")]
        handles.append(Patch(facecolor=theme.estimate, alpha=0.25, linewidth=0, label=interval))
    else:
        handles = [Line2D([], [], color=theme.estimate, marker="o", linestyle="none", label="estimate")]
        handles.append(Line2D([], [], color=theme.estimate, linewidth=2.2, label=interval))
    if has_truth:
        handles.append(Line2D([], [], linestyle="none", markeredgecolor=theme.truth, label="truth", **DIAMOND))
    look = {"frameon": False, "fontsize": SMALL, "handlelength": 1.4, "columnspacing": 1.4, "borderaxespad": 0.2}
    figure.legend(handles=handles, loc="outside upper left", ncols=len(handles), **look)


def shortened(text: str, width: float) -> str:
    """The text, cut where it would be wider than `width` units."""
    limit = int(width / (LETTER * SMALL / 12))
    return text if len(text) <= limit else text[: limit - 1] + "…"
