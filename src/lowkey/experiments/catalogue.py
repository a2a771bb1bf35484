"""The catalogue: every experiment by name, one line each."""

from __future__ import annotations

import difflib
from types import MappingProxyType

from lowkey.errors import InvalidInput
from lowkey.experiments.experiment import Experiment
from lowkey.experiments.figure1 import FIGURE_1
from lowkey.experiments.figure2 import FIGURE_2
from lowkey.experiments.figure3b import FIGURE_3B
from lowkey.experiments.figure3c import FIGURE_3C

CATALOGUE = MappingProxyType({one.name: one for one in (FIGURE_1, FIGURE_2, FIGURE_3B, FIGURE_3C)})


def names() -> tuple[str, ...]:
    """Every experiment that there is."""
    return tuple(CATALOGUE)


def experiment(name: str) -> Experiment:
    """The named experiment.

    >>> experiment("figure2").full.sizes
    (8, 16, 32, 64, 128, 256, 512, 1024)
    """
    if name in CATALOGUE:
        return CATALOGUE[name]
    close = difflib.get_close_matches(str(name), CATALOGUE, n=1)
    advice = f"Did you mean {close[0]}?" if close else ""
    raise InvalidInput("the figure's name", name, "one of " + ", ".join(CATALOGUE), advice)
