"""Pictures: the right kind for each family, drawn at the values, sound SVG and PNG in every theme."""

from __future__ import annotations

import re
import struct
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from report_cases import SCHEMA, results

import lowkey as lk
from lowkey.report.families import pictures
from lowkey.report.people_needed import needs, people_needed
from lowkey.report.picture import Picture
from lowkey.report.plots import columns, cumulative, intervals, rows
from lowkey.report.results import FamilyResult
from lowkey.report.series import Series
from lowkey.report.theme import DARK, LIGHT, TOKENS, Theme
from lowkey.workloads import Workload

SERIES = Series(
    ["low", "middle", "high"],
    np.array([0.2, 0.5, -0.01]),
    np.array([0.15, 0.4, -0.05]),
    np.array([0.25, 0.6, 0.03]),
    np.array([0.21, 0.55, 0.0]),
    0.9,
)


def drawn(picture: Picture) -> Figure:
    figure = Figure()
    picture.draw(figure, LIGHT)
    return figure


def result(workload: Workload) -> FamilyResult:
    """A family's result with every answer 0.3 ± 0.1 and the truth 0.25."""
    (family,) = workload.families
    values = np.full(workload.shape[0], 0.3)
    flags = np.ones(len(values), dtype=bool)
    return FamilyResult(family, workload.labels, 0.1, values, values - 0.1, values + 0.1, None, values - 0.05, flags)


def kinds(workload: Workload, schema: lk.Schema) -> list[tuple[str, str]]:
    """(title, first word of the description) of each picture."""
    return [(p.title, p.description.split()[0].rstrip(":.")) for p in pictures(result(workload), schema, 0.95)]


@pytest.mark.parametrize("make", [columns, cumulative])
def test_upright_pictures_stand_at_the_values(make: type) -> None:
    plot = drawn(make("t", SERIES, "size")).axes[0]
    heights = [bar.get_height() for bar in plot.patches if isinstance(bar, Rectangle)]
    line = [np.asarray(curve.get_ydata()).tolist() for curve in plot.lines]
    assert [0.2, 0.5, -0.01] in [heights, *line]
    assert [0.21, 0.55, 0.0] in line
    assert [text.get_text() for text in plot.get_xticklabels()] == ["low", "middle", "high"]
    assert plot.get_xlabel() == "size"
    bottom, top = plot.get_ylim()
    assert bottom < -0.05
    assert top > 0.6


def test_bars_lie_at_the_values_with_their_intervals() -> None:
    plot = drawn(rows("t", SERIES)).axes[0]
    assert [bar.get_width() for bar in plot.patches if isinstance(bar, Rectangle)] == [0.2, 0.5, -0.01]
    (lines,) = [found for found in plot.collections if isinstance(found, LineCollection)]
    ends = [segment[:, 0].tolist() for segment in lines.get_segments()]
    assert ends == [[0.15, 0.25], [0.4, 0.6], [-0.05, 0.03]]


def test_intervals_write_every_query_out() -> None:
    plot = drawn(intervals("t", SERIES)).axes[0]
    assert [text.get_text() for text in plot.texts] == ["low", "middle", "high"]


def test_descriptions_tell_the_values() -> None:
    assert rows("t", SERIES).description == (
        "Bars. low: 20.0%, between 15.0% and 25.0%, truth 21.0%; middle: 50.0%, between 40.0% and 60.0%, truth 55.0%; "
        "high: −1.0%, between −5.0% and 3.0%, truth 0.0%."
    )
    zeros = np.zeros(15)
    many = Series([f"q{i}" for i in range(15)], zeros, zeros, zeros, None, 0.95)
    assert many.in_words().endswith("q11: 0.0%; and 3 more.")


def test_every_family_gets_its_kind_of_picture() -> None:
    found = [[(p.title, p.description.split()[0]) for p in pictures(one, SCHEMA, 0.95)] for one in results().families]
    assert found == [
        [("Plans <all>", "Bars.")],
        [("Ages so far", "Cumulative")],
        [("Ages: single values", "Bars"), ("Ages: wider ranges", "Dots")],
        [("plan and age", "Heat"), ("plan and member", "Heat"), ("age and member", "Heat")],
        [("Parities", "Dots")],
        [("Questions", "Dots")],
    ]


def test_one_way_marginals_are_bars_and_the_total_is_not_drawn() -> None:
    schema = lk.Schema([lk.Categorical("a", ["x", "y"]), lk.Ordered("b", edges=[0, 1, 2])])
    found = kinds(lk.workloads.all_marginals([2, 2]).on(schema, "a", "b"), schema)
    assert found == [("a", "Bars"), ("b", "Bars"), ("a and b", "Heat")]


def test_three_way_marginals_are_questions() -> None:
    schema = lk.Schema([lk.Categorical(name, ["x", "y"]) for name in "abc"])
    assert kinds(lk.workloads.k_way_marginals([2, 2, 2], 3), schema) == [("3-way marginals", "Dots")]


def test_many_queries_are_cut_to_the_largest() -> None:
    schema = lk.Schema([lk.Ordered("x", edges=range(31))])
    assert kinds(lk.workloads.ranges(30, 2, 3), schema) == [("ranges of 2 to 3 cells: the 20 largest", "Dots")]
    assert kinds(lk.workloads.all_range(30), schema) == [("all ranges: single values", "Bars")]


def test_a_workload_without_attributes_of_its_size_is_questions() -> None:
    schema = lk.Schema([lk.Categorical("a", ["x", "y"])])
    assert kinds(lk.workloads.histogram(4), schema) == [("histogram", "Dots")]


def test_heat_maps_show_both_tables_row_by_row() -> None:
    one = results().families[3]
    figure = drawn(pictures(one, SCHEMA, 0.95)[0])  # plan and age: 3 × 3
    estimate, truth = figure.axes
    written = [text.get_text() for text in truth.texts]
    assert one.truth is not None
    assert written == [f"{100 * value:.1f}" for value in one.truth[:9]]
    assert len([cell for cell in estimate.patches if isinstance(cell, Rectangle)]) == 9
    hottest = max(estimate.patches, key=lambda cell: cell.get_alpha() or 0)
    assert int(np.argmax(one.answers[:9])) == estimate.patches.index(hottest)
    assert [label.get_text() for label in estimate.get_xticklabels()] == ["0–18", "18–65", "65+"]
    assert [label.get_text() for label in estimate.get_yticklabels()] == ["free", "pro & co", "team"]


def test_people_needed_stand_on_a_log_scale_with_the_bound() -> None:
    known = results()
    plot = drawn(people_needed(known)).axes[0]
    assert plot.get_xscale() == "log"
    dots = [float(np.asarray(line.get_xdata())[0]) for line in plot.lines if line.get_marker() == "o"]
    assert dots == [need.people for need in needs(known)]
    dashed = [float(np.asarray(line.get_xdata())[0]) for line in plot.lines if line.get_marker() != "o"]
    assert dashed == [known.people_at_least]
    bold = [label.get_text() for label in plot.get_yticklabels() if label.get_fontweight() == "bold"]
    assert bold == ["hadamard (this survey)"]


def test_svg_files_stand_alone_in_one_theme() -> None:
    picture = columns("Sizes & shares", SERIES, "size")
    for theme in (LIGHT, DARK):
        source = picture.svg(theme)
        root = ET.fromstring(source)
        assert root.tag == "{http://www.w3.org/2000/svg}svg"
        assert root.attrib["width"] == "400"
        colours = set(re.findall(r"#[0-9a-f]{6}", source))
        assert theme.estimate in colours
        assert colours <= set(theme.roles.values())
        assert "<title>Sizes &amp; shares. Bars by size." in source
        assert "middle" in source


def test_the_same_picture_is_the_same_file() -> None:
    assert columns("t", SERIES, "size").svg() == columns("t", SERIES, "size").svg()


def test_png_files_have_the_size_asked_for() -> None:
    content = rows("t", SERIES).png(DARK, scale=1.5)
    assert content[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", content[16:24]) == (600, round(1.5 * (76 + 46 * 3)))


def luminance(colour: str) -> float:
    """WCAG 2's relative luminance."""
    channels = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return float(np.dot([0.2126, 0.7152, 0.0722], linear))


def contrast(one: str, other: str) -> float:
    dark, light = sorted([luminance(one), luminance(other)])
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK])
def test_text_has_the_contrast_that_wcag_asks_for(theme: Theme) -> None:
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    for role in ("ink", "muted", "estimate", "truth"):
        assert contrast(theme.roles[role], theme.paper) >= 4.5, role
    assert contrast(theme.ink, theme.heat) >= 4.5
    for role in ("green", "purple", "gold", "cyan", "rose"):
        assert contrast(theme.roles[role], theme.paper) >= 4.5, role


def test_tokens_are_colours_that_no_theme_has() -> None:
    tokens = set(TOKENS.roles.values())
    assert len(tokens) == len(TOKENS.roles)
    assert not tokens & (set(LIGHT.roles.values()) | set(DARK.roles.values()))
