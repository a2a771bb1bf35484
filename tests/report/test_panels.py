"""Curves in panels: marks, axes and layout."""

from __future__ import annotations

import io

import numpy as np
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.image import imread

from lowkey.report.panels import Curve, Look, Panel, Scales, panels
from lowkey.report.picture import Picture
from lowkey.report.theme import DARK, LIGHT

SOLID, HOLLOW = Look("solid", "estimate", "o"), Look("hollow", "rose", "s", dashed=True, hollow=True)
SCALES = Scales("n", "people", (8.0, 64.0, 1024.0), is_log_x=True)


def picture(count: int, top: float = 1000.0) -> Picture:
    lines = (Curve(SOLID, ((8.0, 1.0), (1024.0, top))), Curve(HOLLOW, ((8.0, 2.0),)))
    return panels("t", [Panel(f"panel {place}", lines) for place in range(count)], SCALES)


def drawn(made: Picture) -> Figure:
    figure = Figure()
    made.draw(figure, DARK)
    return figure


def test_two_panels_abreast_and_one_alone() -> None:
    for count, shape in ((1, (1, 1)), (3, (2, 2)), (6, (3, 2))):
        plots = drawn(picture(count)).axes
        assert len(plots) == count
        specs = [plot.get_subplotspec() for plot in plots]
        assert all(spec is not None and spec.get_gridspec().get_geometry() == shape for spec in specs)


def test_looks_differ_in_colour_marker_fill_and_line() -> None:
    solid, hollow = drawn(picture(1)).axes[0].lines
    assert (to_hex(solid.get_color()), solid.get_marker(), solid.get_linestyle()) == (DARK.estimate, "o", "-")
    assert (to_hex(hollow.get_color()), hollow.get_marker(), hollow.get_linestyle()) == (DARK.rose, "s", "--")
    assert (solid.get_markerfacecolor(), hollow.get_markerfacecolor()) == (DARK.estimate, "none")


def test_ticks_are_written_as_people_write_numbers() -> None:
    figure = drawn(picture(1))
    figure.canvas.draw()
    plot = figure.axes[0]
    assert [label.get_text() for label in plot.get_xticklabels()] == ["8", "64", "1024"]
    assert {"1", "10", "100", "1k"} <= {label.get_text() for label in plot.get_yticklabels()}


def test_less_than_two_decades_have_ticks_between_powers_of_ten() -> None:
    figure = drawn(picture(1, top=8.0))
    figure.canvas.draw()
    assert {"1", "2", "5"} <= {label.get_text() for label in figure.axes[0].get_yticklabels()}


def test_the_paper_shows_through_in_a_png() -> None:
    for theme in (LIGHT, DARK):
        pixels = imread(io.BytesIO(picture(1).png(theme, scale=1.0)))
        colours, counts = np.unique(pixels[..., :3].reshape(-1, 3), axis=0, return_counts=True)
        most = np.argsort(counts)[-1]
        assert to_hex(colours[most].tolist()) == theme.paper
        assert counts[most] > 0.85 * counts.sum()


def test_a_note_stands_in_the_middle_where_there_is_no_curve() -> None:
    figure = drawn(panels("t", [Panel("empty", (), "not available")], SCALES))
    (text,) = figure.axes[0].texts
    assert (text.get_text(), text.get_position()) == ("not available", (0.5, 0.5))
    assert figure.legends == []


def test_words_for_those_who_do_not_see_it() -> None:
    told = picture(1).description
    assert told == "Curves of people over n. panel 0: solid 1 at 8, 1,000 at 1024; hollow 2 at 8."
