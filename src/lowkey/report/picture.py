"""Picture: a drawing with words for those who cannot see it, as SVG in any theme or as PNG."""

from __future__ import annotations

import importlib.util
import io
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from lowkey.errors import MissingDependency
from lowkey.report.svg import inline_svg, standalone_svg
from lowkey.report.theme import LIGHT, TOKENS, Theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Draw = Callable[["Figure", Theme], None]

WIDTH = 400  # user units: nearly 1:1 on a phone, two abreast on a desk
UNITS_PER_INCH = 72  # of Matplotlib's SVG
SETTINGS: dict[str, Any] = {
    "svg.fonttype": "none",  # text stays text
    "svg.hashsalt": "lowkey",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 12,
    "axes.facecolor": "none",  # the paper shows through, also in a PNG
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "hatch.linewidth": 0.8,
}


@dataclass(frozen=True)
class Picture:
    """A drawing of `height` units (400 wide), its title, and a description that stands for it where it is not seen."""

    title: str
    description: str
    height: float
    draw: Draw = field(repr=False, compare=False)

    def inline(self, key: str) -> str:
        """An <svg> element for a page with the style variables of `theme.style_variables`."""
        return inline_svg(self._source(TOKENS), key, self.description)

    def svg(self, theme: Theme = LIGHT) -> str:
        """An SVG file's content."""
        return standalone_svg(self._source(TOKENS), f"{self.title}. {self.description}", theme)

    def png(self, theme: Theme = LIGHT, scale: float = 2.0) -> bytes:
        """A PNG file's content; scale 1 is 400 pixels wide."""
        with self._drawn(theme) as figure:
            content = io.BytesIO()
            figure.savefig(content, format="png", dpi=scale * UNITS_PER_INCH, facecolor=theme.paper)
            return content.getvalue()

    def _source(self, theme: Theme) -> str:
        with self._drawn(theme) as figure:
            content = io.StringIO()
            figure.savefig(content, format="svg", transparent=True, metadata={"Date": None})
            return content.getvalue()

    @contextmanager
    def _drawn(self, theme: Theme) -> Iterator[Figure]:
        if importlib.util.find_spec("matplotlib") is None:
            raise MissingDependency("Matplotlib", "drawing", "report")
        from matplotlib import rc_context
        from matplotlib.figure import Figure

        with rc_context(_settings(theme)):
            size = (WIDTH / UNITS_PER_INCH, self.height / UNITS_PER_INCH)
            figure = Figure(figsize=size, layout="constrained")
            self.draw(figure, theme)
            yield figure


def _settings(theme: Theme) -> Any:
    colours = {"text.color": theme.ink, "axes.edgecolor": theme.muted, "axes.labelcolor": theme.muted}
    ticks = {f"{axis}tick.{what}": theme.muted for axis in "xy" for what in ("color", "labelcolor")}
    return {**SETTINGS, **colours, **ticks}
