"""How often each shift is reported: exact for a billion people, whatever their cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from lowkey.mechanisms.base_pattern import BasePattern
from lowkey.mechanisms.places import Numbers, subtract

PEOPLE_AT_A_TIME = 2**20


def shift_counts(base: BasePattern, people: Numbers, sizes: Sequence[int], rng: np.random.Generator) -> Numbers:
    """(n,): reports u − v of people[u] people in each cell u, with v drawn from the base pattern.

    Those whose v is uniform over all cells are alike. Of the others, whose v is uniform over the pattern, many in one
    cell take one multinomial draw, few a draw each.
    """
    cells = base.bits.size
    inside = rng.binomial(people, base.extra)
    counts = rng.multinomial(int((people - inside).sum()), np.full(cells, 1 / cells))
    many = inside > len(base.favoured)
    chances = np.full(len(base.favoured), 1 / max(len(base.favoured), 1))
    for cell in np.flatnonzero(many):
        shifts = subtract(np.int64(cell), base.favoured, sizes)  # type: ignore[arg-type]
        counts[shifts] += rng.multinomial(inside[cell], chances)
    for group in one_by_one(np.where(many, 0, inside)):
        own = base.favoured[rng.integers(len(base.favoured), size=len(group))]
        counts += np.bincount(subtract(group, own, sizes), minlength=cells)
    return counts


def one_by_one(people: Numbers) -> Iterator[Numbers]:
    """The cell of each person, for groups of bounded size."""
    edges = np.concatenate([[0], np.cumsum(people)])
    for start in range(0, int(edges[-1]), PEOPLE_AT_A_TIME):
        yield np.repeat(np.arange(len(people)), np.diff(np.clip(edges, start, start + PEOPLE_AT_A_TIME)))
