"""The outputs of a mixture of juntas, numbered from 0: the junta, the attributes drawn, and the shift as one number.

output  =  offset of the junta  +  rank of the draw · cells of the pattern  +  shift (row-major over the slots)
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from lowkey.checks import Vector
from lowkey.errors import InvalidInput, TooLarge, format_size
from lowkey.mechanisms.places import Numbers, places_of
from lowkey.mechanisms.ranks import MOST_RANKS
from lowkey.mechanisms.slots import Junta

DENSE_TALLY = 2**24  # outputs up to which they are counted in an array of all


@dataclass(frozen=True)
class Reports:
    """Reports of one junta: how many people sent each, the attributes (R, slots) drawn, the shifts (R, slots)."""

    junta: int
    counts: Vector
    attributes: Numbers
    shifts: Numbers


class Outputs:
    """Numbers for the outputs of these juntas."""

    def __init__(self, juntas: Sequence[Junta]) -> None:
        self._juntas = juntas
        self.offsets = [0, *itertools.accumulate(junta.outputs for junta in juntas)]
        if self.total > MOST_RANKS:
            raise TooLarge(
                "the number of outputs",
                format_size(self.total),
                "at most 2^62, which 64 bits number",
                "Use patterns with fewer slots, smaller pools, or patterns that do not change when slots swap places.",
            )

    @property
    def total(self) -> int:
        return self.offsets[-1]

    def numbers(self, junta: int, draws: Numbers, shifts: Numbers) -> Numbers:
        """Of a junta's draws (by rank) and shifts (by cell of the pattern)."""
        return self.offsets[junta] + draws * self._juntas[junta].pattern.size + shifts

    def decode(self, outputs: Numbers, counts: Vector) -> Iterator[Reports]:
        """Reports with these numbers that came `counts` times, junta by junta."""
        if len(outputs) and not (outputs.min() >= 0 and outputs.max() < self.total):
            raise InvalidInput("the outputs", "out of range", f"numbers from 0 to {self.total - 1}")
        owners = np.searchsorted(np.array(self.offsets[1:]), outputs, side="right")
        order = np.argsort(owners, kind="stable")
        ends = np.searchsorted(owners[order], np.arange(len(self._juntas) + 1))
        for number, junta in enumerate(self._juntas):
            rows = order[ends[number] : ends[number + 1]]
            if len(rows):
                draws, shifts = np.divmod(outputs[rows] - self.offsets[number], junta.pattern.size)
                yield Reports(number, counts[rows], junta.attributes(draws), places_of(shifts, junta.pattern.shape))


def tallied(groups: Iterator[Numbers], outputs: int) -> tuple[Numbers, Numbers]:
    """The outputs that occurred, and how often."""
    if outputs <= DENSE_TALLY:
        counts = np.zeros(outputs, dtype=np.int64)
        for group in groups:
            counts += np.bincount(group, minlength=outputs)
        seen = np.flatnonzero(counts)
        return seen, counts[seen]
    return np.unique(np.concatenate([np.zeros(0, dtype=np.int64), *groups]), return_counts=True)
