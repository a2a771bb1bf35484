"""Sums over the reports of juntas of what each adds, f_S(c − t), for every set S of attributes at once.

Reports are tallied by set and shift, where they know all of the set; a Fourier transform then spreads each tally over
the cells. So a report costs a few steps for each set that it knows, however many sets and tables there are.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import scipy.fft

from lowkey.analysis.attribute_sets import AttributeSets, SetGroup, Type, distinct_rows
from lowkey.analysis.junta_kernels import part
from lowkey.checks import Matrix, Vector
from lowkey.mechanisms.base import Responses
from lowkey.mechanisms.junta import JuntaMechanism
from lowkey.mechanisms.outputs import Reports
from lowkey.mechanisms.places import Numbers, cells_of
from lowkey.mechanisms.ranks import subset_ranks
from lowkey.mechanisms.slots import Junta

AT_A_TIME = 2**20  # pairs of a report and a set that it knows

Waves = npt.NDArray[np.complex128]


@dataclass(frozen=True)
class Known:
    """Sets (M, q) that reports know, ascending, with the slots that stand for them and the shifts of these."""

    attributes: Numbers
    slots: Numbers
    shifts: Numbers
    counts: Vector


class Moments:
    """For each type of set the sums x̂_S: an array with a row a set and an axis an attribute."""

    def __init__(self, mechanism: JuntaMechanism, sets: AttributeSets) -> None:
        self.mechanism = mechanism
        self.sets = sets
        self._sums = {kind: self._zeros(group) for kind, group in sets.groups.items()}
        self._waves: dict[tuple[object, ...], Waves] = {}

    def add(self, responses: Responses) -> None:
        """Count the responses in."""
        for reports in self.mechanism.outputs.decode(*responses.tally()):
            for degree in self.sets.degrees:
                for known in known_sets(self.mechanism.juntas[reports.junta], reports, degree):
                    self._add(reports.junta, known)

    def sums(self, kind: Type) -> Matrix:
        """Over all reports that were added."""
        sizes = self._sizes(self.sets.groups[kind])
        return scipy.fft.irfftn(self._sums[kind], s=sizes, axes=_axes(sizes, 1))

    def _add(self, junta: int, known: Known) -> None:
        labels = self.mechanism.juntas[junta].labels[known.slots]
        kinds = np.array(self.mechanism.classes)[known.attributes]
        for rows in distinct_rows(np.hstack([labels, kinds])):
            group = self.sets.groups.get(tuple(kinds[rows[0]].tolist()))
            if group is not None:
                there, sets = group.find(subset_ranks(known.attributes[rows]))
                if len(there):
                    waves = self._kernel(junta, labels[rows[0]], known.slots[rows[0]], group)
                    shifts = cells_of(known.shifts[rows[there]], self._sizes(group))
                    self._spread(group, sets, shifts, known.counts[rows[there]], waves)

    def _spread(self, group: SetGroup, sets: Numbers, shifts: Numbers, counts: Vector, waves: Waves) -> None:
        touched, rows = np.unique(sets, return_inverse=True)
        sizes = self._sizes(group)
        cells = math.prod(sizes)
        tally = np.bincount(rows * cells + shifts, counts, minlength=len(touched) * cells)
        spread = scipy.fft.rfftn(tally.reshape(len(touched), *sizes), axes=_axes(sizes, 1))
        self._sums[group.type][touched] += waves * spread

    def _kernel(self, junta: int, labels: Numbers, slots: Numbers, group: SetGroup) -> Waves:
        key = (junta, tuple(labels.tolist()), group.type)
        if key not in self._waves:
            self._waves[key] = scipy.fft.rfftn(part(self.mechanism, junta, slots.tolist(), group.example))
        return self._waves[key]

    def _zeros(self, group: SetGroup) -> Waves:
        *sizes, last = self._sizes(group)
        return np.zeros((len(group.ranks), *sizes, last // 2 + 1), dtype=np.complex128)

    def _sizes(self, group: SetGroup) -> tuple[int, ...]:
        return tuple(self.mechanism.sizes[attribute] for attribute in group.example)


def known_sets(junta: Junta, reports: Reports, degree: int) -> Iterator[Known]:
    """All sets of `degree` attributes that the reports know, for some reports at a time."""
    choices = np.array(list(itertools.combinations(range(junta.pattern.ndim), degree)), dtype=np.int64)
    if not len(choices):
        return
    step = max(1, AT_A_TIME // len(choices))
    for start in range(0, len(reports.counts), step):
        rows = slice(start, start + step)
        attributes, shifts = reports.attributes[rows][:, choices], reports.shifts[rows][:, choices]
        order = np.argsort(attributes, axis=2)
        known = (attributes, np.broadcast_to(choices, attributes.shape), shifts)
        ascending = [np.take_along_axis(array, order, axis=2).reshape(-1, degree) for array in known]
        yield Known(ascending[0], ascending[1], ascending[2], np.repeat(reports.counts[rows], len(choices)))


def _axes(sizes: tuple[int, ...], first: int) -> tuple[int, ...]:
    return tuple(range(first, first + len(sizes)))
