"""Where outputs are few: rows of many levels, from what the search over patterns found and from a random start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from lowkey.checks import Vector, check_prior
from lowkey.optimize.arrays import Arrays
from lowkey.optimize.budget import Budget
from lowkey.optimize.candidates import FEW, PATTERNS, RANDOM, Candidate, Question
from lowkey.optimize.many_levels import Walk
from lowkey.optimize.projected_gradient import Status, Stopping
from lowkey.optimize.start import Start, mechanism_start, random_start

FEWER, FEWEST = 3, 2  # outputs a cell: below the first a random start can win, below the second it does
SHARE_OF_PATTERNS, SHARE_OF_PATTERNS_FEWEST = 0.5, 0.1  # of a time limit, before the walks


class Origin(NamedTuple):
    """Where a walk starts, and the prior that it starts with."""

    name: str
    start: Start
    prior: Vector


def share_of_patterns(question: Question) -> float:
    """The share of a time limit that the search over patterns has."""
    if question.outputs_per_cell > FEW:
        return 1.0
    return SHARE_OF_PATTERNS if question.outputs_per_cell >= FEWEST else SHARE_OF_PATTERNS_FEWEST


@dataclass(frozen=True)
class FewOutputs:
    """What the walks of one optimization share."""

    question: Question
    arrays: Arrays
    budget: Budget
    stopping: Stopping
    seed: int
    target: float

    def improved(self, best: Candidate) -> Candidate:
        """Nothing worse than the best known so far."""
        for origin in self._origins(best):
            if self.budget.is_spent:
                break
            walk = Walk(self.question, self.arrays, self.budget, self.stopping, self.target, f"rows, {origin.name}")
            walk.go(origin.start, origin.prior)
            found = walk.candidate(origin.name)
            if found is not None and self.question.value(found) < self.question.value(best):
                best = found
            best = best._replace(status=walk.status)
            if walk.status is not Status.CONVERGED or self.question.value(best) <= self.target:
                break
        return best

    def _origins(self, best: Candidate) -> Iterator[Origin]:
        """Those that are likelier to win first: there may be no time for the others."""
        per_cell = self.question.outputs_per_cell
        if per_cell < FEWEST:
            yield self._at_random
        if best.origin == PATTERNS or (per_cell >= FEWEST and not best.mechanism.has_closed_form):
            start = mechanism_start(best.mechanism, self.question.epsilon, self.arrays)
            yield Origin(best.origin, start, self._first_prior(best.mechanism.design_prior))
        if FEWEST <= per_cell < FEWER:
            yield self._at_random

    @property
    def _at_random(self) -> Origin:
        question = self.question
        assert question.max_outputs is not None
        start = random_start(question.max_outputs, question.cells, question.epsilon, self.seed, self.arrays)
        return Origin(RANDOM, start, self._first_prior(None))

    def _first_prior(self, designed_for: Vector | None) -> Vector:
        return check_prior(designed_for, self.question.cells) if self.question.worst else self.question.prior
