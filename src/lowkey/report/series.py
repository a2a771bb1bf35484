"""Series: labelled answers with their intervals and, in simulations, the truth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from lowkey.checks import Vector
from lowkey.report.formats import share

TOLD = 12  # values that a description lists


@dataclass(frozen=True, eq=False)
class Series:
    """One answer a label, as shares of the people; the intervals hold the truth with probability `confidence`."""

    labels: Sequence[str]
    values: Vector
    low: Vector
    high: Vector
    truth: Vector | None
    confidence: float

    def __len__(self) -> int:
        return len(self.values)

    def taken(self, places: Sequence[int]) -> Series:
        """Some of the entries, in the order of `places`."""
        chosen = np.asarray(places, dtype=np.intp)
        labels = [self.labels[place] for place in places]
        truth = None if self.truth is None else self.truth[chosen]
        return Series(labels, self.values[chosen], self.low[chosen], self.high[chosen], truth, self.confidence)

    def relabelled(self, labels: Sequence[str]) -> Series:
        return replace(self, labels=labels)

    @property
    def reach(self) -> tuple[float, float]:
        """The smallest and the largest number to be drawn, and 0."""
        numbers = [self.values, self.low, self.high] + ([] if self.truth is None else [self.truth])
        drawn = np.concatenate(numbers)
        return min(0.0, float(drawn.min())), max(0.0, float(drawn.max()))

    def in_words(self) -> str:
        """The values, for those who do not see the drawing."""
        told = "; ".join(self._entry(place) for place in range(min(TOLD, len(self))))
        left = len(self) - TOLD
        return told + (f"; and {left:,} more." if left > 0 else ".")

    def _entry(self, place: int) -> str:
        text = f"{self.labels[place]}: {share(self.values[place])}"
        if self.high[place] > self.low[place]:
            text += f", between {share(self.low[place])} and {share(self.high[place])}"
        return text if self.truth is None else f"{text}, truth {share(self.truth[place])}"
