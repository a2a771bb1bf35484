"""Where outputs are few: rows of many levels, from what the search over patterns found and from a random start."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import NamedTuple

from lowkey.checks import Vector, check_prior
from lowkey.optimize.arrays import Arrays
from lowkey.optimize.budget import Budget
from lowkey.optimize.candidates import ALGORITHM_2, FEW, PATTERNS, RANDOM, Candidate, Question
from lowkey.optimize.many_levels import Walk
from lowkey.optimize.objective import Objective
from lowkey.optimize.projected_gradient import Status, Stopping, projected_gradient
from lowkey.optimize.start import Start, mechanism_start, random_start

FEWER, FEWEST = 3, 2  # outputs a cell: below the first a random start can win, below the second it does
SHARE_OF_PATTERNS, SHARE_OF_PATTERNS_FEWEST = 0.5, 0.1  # of a time limit, before the walks


class Origin(NamedTuple):
    """Where a walk starts, and the prior that it starts with."""

    name: str
    start: Start
    prior: Vector
    status: Status = Status.CONVERGED  # of the run that led there: once interrupted, none follows


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
            found, status = self._walked(origin)
            if found is not None and self.question.value(found) < self.question.value(best):
                best = found
            best = best._replace(status=status)
            if status is Status.INTERRUPTED or self.budget.is_spent or self.question.value(best) <= self.target:
                break
        return best

    def _walked(self, origin: Origin) -> tuple[Candidate | None, Status]:
        is_last = origin.status is Status.INTERRUPTED
        stopping = replace(self.stopping, iterations=0) if is_last else self.stopping
        walk = Walk(self.question, self.arrays, self.budget, stopping, self.target, f"rows, {origin.name}")
        walk.go(origin.start, origin.prior)
        return walk.candidate(origin.name), origin.status if is_last else walk.status

    def _origins(self, best: Candidate) -> Iterator[Origin]:
        """Those that are likelier to win first: there may be no time for the others."""
        per_cell = self.question.outputs_per_cell
        if self.budget.is_spent:
            return
        if per_cell < FEWEST:
            yield self._at_random
        if best.origin == PATTERNS or (per_cell >= FEWEST and not best.mechanism.has_closed_form):
            start = mechanism_start(best.mechanism, self.question.epsilon, self.arrays)
            yield Origin(best.origin, start, self._first_prior(best.mechanism.design_prior))
        if FEWEST <= per_cell < FEWER:
            yield self._at_random
        if per_cell < FEWER:
            yield self._by_algorithm_2

    @property
    def _at_random(self) -> Origin:
        question = self.question
        assert question.max_outputs is not None
        start = random_start(question.max_outputs, question.cells, question.epsilon, self.seed, self.arrays)
        return Origin(RANDOM, start, self._first_prior(None))

    @property
    def _by_algorithm_2(self) -> Origin:
        """Where Algorithm 2 ends from the same random start: momentum can lead to a worse local optimum."""
        start = self._at_random.start
        objective = Objective(self.question.workload.gram(), self.question.prior, self.arrays)
        epsilon, stage = self.question.epsilon, f"rows, {ALGORITHM_2}"
        result = projected_gradient(objective, epsilon, start, self.stopping, self.budget, stage)
        return Origin(ALGORITHM_2, result.reached, self._first_prior(None), result.status)

    def _first_prior(self, designed_for: Vector | None) -> Vector:
        return check_prior(designed_for, self.question.cells) if self.question.worst else self.question.prior
