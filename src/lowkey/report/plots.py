"""Pictures of answers, each as people read answers of that kind: bars, cumulative curves, dots with intervals."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from lowkey.report.marks import (
    BAR,
    MANY,
    SMALL,
    add_legend,
    draw_truth,
    draw_whiskers,
    set_labels,
    set_percent_axis,
    shortened,
)
from lowkey.report.picture import WIDTH, Picture
from lowkey.report.series import Series
from lowkey.report.theme import Theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure

HEIGHT = 260


def columns(title: str, series: Series, axis: str) -> Picture:
    """Upright bars, for values in an order: a histogram."""

    def draw(figure: Figure, theme: Theme) -> None:
        plot, places = figure.add_subplot(), np.arange(len(series), dtype=np.float64)
        plot.bar(places, series.values, width=0.7, color=theme.estimate, **BAR)
        draw_whiskers(plot, places, series, theme, across=False)
        draw_truth(plot, places, series, theme, across=False)
        set_percent_axis(plot, "y", series, theme)
        set_labels(plot, series.labels, 0.85 * WIDTH)
        plot.set_xlabel(axis)
        add_legend(figure, theme, "bar", series.truth is not None, series.confidence)

    return Picture(title, f"Bars by {axis}. {series.in_words()}", HEIGHT, draw)


def rows(title: str, series: Series) -> Picture:
    """Lying bars, for values with names."""

    def draw(figure: Figure, theme: Theme) -> None:
        plot, places = figure.add_subplot(), np.arange(len(series), dtype=np.float64)
        plot.barh(places, series.values, height=0.6, color=theme.estimate, **BAR)
        draw_whiskers(plot, places, series, theme, across=True)
        draw_truth(plot, places, series, theme, across=True)
        set_percent_axis(plot, "x", series, theme)
        plot.set_yticks(places, [shortened(label, 0.4 * WIDTH) for label in series.labels], color=theme.ink)
        plot.set_ylim(len(series) - 0.5, -0.5)
        add_legend(figure, theme, "bar", series.truth is not None, series.confidence)

    return Picture(title, f"Bars. {series.in_words()}", 76 + 46 * len(series), draw)


def cumulative(title: str, series: Series, axis: str) -> Picture:
    """A cumulative distribution with its band."""

    def draw(figure: Figure, theme: Theme) -> None:
        plot, places = figure.add_subplot(), np.arange(len(series), dtype=np.float64)
        plot.fill_between(places, series.low, series.high, color=theme.estimate, alpha=0.25, linewidth=0)
        dot = "o" if len(series) <= MANY else ""
        plot.plot(places, series.values, color=theme.estimate, marker=dot, markersize=5, linewidth=1.8)
        if series.truth is not None:
            plot.plot(places, series.truth, color=theme.truth, linestyle=(0, (4, 3)), linewidth=1.3)
        if dot:
            draw_truth(plot, places, series, theme, across=False)
        set_percent_axis(plot, "y", series, theme)
        set_labels(plot, series.labels, 0.85 * WIDTH)
        plot.set_xlabel(axis)
        add_legend(figure, theme, "band", series.truth is not None, series.confidence)

    return Picture(title, f"Cumulative curve over {axis}. {series.in_words()}", HEIGHT, draw)


def intervals(title: str, series: Series) -> Picture:
    """A dot and its interval for each query, the query in words above: for questions of any kind."""

    def draw(figure: Figure, theme: Theme) -> None:
        plot, places = figure.add_subplot(), np.arange(len(series), dtype=np.float64)
        plot.hlines(places, series.low, series.high, color=theme.estimate, linewidth=2.2)
        plot.plot(series.values, places, linestyle="none", marker="o", color=theme.estimate)
        draw_truth(plot, places, series, theme, across=True)
        set_percent_axis(plot, "x", series, theme)
        plot.set_ylim(len(series) - 0.6, -0.75)
        plot.set_yticks([])
        left = plot.get_yaxis_transform()
        for place, label in enumerate(series.labels):
            text = shortened(label, 0.94 * WIDTH)
            plot.annotate(text, (0, place - 0.28), (5, 0), left, "offset points", fontsize=SMALL, color=theme.ink)
        add_legend(figure, theme, "dot", series.truth is not None, series.confidence)

    return Picture(title, f"Dots with intervals. {series.in_words()}", 66 + 44 * len(series), draw)
