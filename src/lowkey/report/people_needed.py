"""How many people each mechanism needs, on a log scale, the survey's own among its competitors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from lowkey.analysis.per_query import users_needed
from lowkey.report.formats import people, short_people, words
from lowkey.report.picture import Picture
from lowkey.report.results import Results
from lowkey.report.theme import Theme

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Need(NamedTuple):
    """A mechanism and the people that it needs; `is_own` is the survey's, `is_weaker` keeps only (ε, δ)."""

    name: str
    people: float
    is_own: bool = False
    is_weaker: bool = False


def needs(results: Results) -> list[Need]:
    """The survey's mechanism and its competitors that can answer the workload, fewest people first."""
    own = Need(f"{words(results.deployment.mechanism.name)} (this survey)", results.people_needed, is_own=True)
    others = [
        Need(words(one.name), users_needed(one.analysis, results.alpha), False, one.analysis.mechanism.delta > 0)
        for one in results.competitors
        if one.analysis is not None
    ]
    return sorted([own, *others], key=lambda need: need.people)


def people_needed(results: Results) -> Picture:
    """A dot for each mechanism on a log scale of people, and the proved bound that none can beat."""
    entries = needs(results)
    bound = results.people_at_least
    goal = f"for a standard error of {100 * results.target:g} percentage points"

    def draw(figure: Figure, theme: Theme) -> None:
        plot = figure.add_subplot()
        plot.set_xscale("log")
        _draw_dots(plot, entries, theme)
        _draw_bound(plot, bound, theme)
        _set_people_axis(plot, [need.people for need in entries], bound, theme)
        plot.set_yticks(range(len(entries)), [need.name for need in entries])
        for text, need in zip(plot.get_yticklabels(), entries, strict=True):
            text.set(color=theme.estimate if need.is_own else theme.ink, weight="bold" if need.is_own else "normal")
        plot.set_xlabel(f"people needed, log scale\n{goal}")

    told = "; ".join(f"{need.name}: {people(need.people)}" for need in entries)
    limit = f" No mechanism can do with fewer than {people(bound)}." if bound > 0 else ""
    return Picture("People needed", f"Dots on a log scale, {goal}. {told}.{limit}", 92 + 25 * len(entries), draw)


def _draw_dots(plot: Axes, entries: list[Need], theme: Theme) -> None:
    for place, need in enumerate(entries):
        colour = theme.estimate if need.is_own else theme.muted
        fill = "none" if need.is_weaker else colour
        plot.plot(need.people, place, "o", markersize=9 if need.is_own else 7, color=colour, markerfacecolor=fill)
        look: dict[str, Any] = {"va": "center", "fontsize": 11, "color": theme.estimate if need.is_own else theme.muted}
        weight = "bold" if need.is_own else "normal"
        plot.annotate(
            people(need.people), (need.people, place), (8, 0), textcoords="offset points", weight=weight, **look
        )
    plot.set_ylim(len(entries) - 0.4, -0.7)


def _draw_bound(plot: Axes, bound: float, theme: Theme) -> None:
    if bound > 0:
        plot.axvline(bound, color=theme.truth, linestyle=(0, (4, 3)), linewidth=1.3)
        words = f"none can do with\nfewer than {people(bound)}"
        look: dict[str, Any] = {"color": theme.truth, "fontsize": 11, "va": "bottom"}
        plot.annotate(words, (bound, 0.01), (6, 0), plot.get_xaxis_transform(), "offset points", **look)


def _set_people_axis(plot: Axes, values: list[float], bound: float, theme: Theme) -> None:
    from matplotlib.ticker import LogLocator

    low, high = min(values), max(values)
    if bound > 0:
        low = min(low, bound)
    plot.set_xlim(low / 1.6, high * (high / low) ** 0.25 * 1.3)  # room for the last number
    plot.xaxis.set_major_formatter(lambda value, _: short_people(value))
    plot.xaxis.set_minor_formatter(lambda value, _: "")
    is_wide = plot.get_xlim()[1] > 30 * plot.get_xlim()[0]
    plot.xaxis.set_major_locator(LogLocator(base=10, subs=(1.0,) if is_wide else (1.0, 2.0, 5.0)))
    plot.grid(axis="x", which="major", color=theme.grid, linewidth=0.8)
    plot.set_axisbelow(True)
    plot.tick_params(which="both", length=0)
    for side in ("left", "bottom"):
        plot.spines[side].set_visible(False)
