"""Workloads that no shift of the domain changes get a strategy that none changes: nothing else can do better.

Averaging a strategy over all shifts loses no information about such a workload, so the best one is found among those
that are mixtures of base patterns, each with all its shifts (see `optimize/invariant`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from lowkey.mechanisms.base import Mechanism
from lowkey.mechanisms.junta import JuntaMechanism
from lowkey.optimize.budget import Budget
from lowkey.optimize.candidates import Candidate, Question, is_even
from lowkey.optimize.invariant.search import InvariantSearch
from lowkey.optimize.projected_gradient import Status
from lowkey.optimize.sizing import default_outputs

LISTED_CELLS = 4096  # up to which outputs are listed where that costs little
HANDY = 3e-3  # the share of the variance that a list of outputs may cost
FREE = 1e-4  # a share that is not worth another look
Way = Callable[[InvariantSearch], Mechanism | None]
AT_RANDOM, LISTED, WHOLE = "attributes at random", "attributes at random, listed", "patterns with all shifts"


def is_unhandy(mechanism: Mechanism, question: Question) -> bool:
    """Whether its outputs are more than anyone would list."""
    return isinstance(mechanism, JuntaMechanism) and mechanism.shape[0] > most_outputs(question)


def most_outputs(question: Question) -> int:
    """What a list may have."""
    return question.max_outputs or default_outputs(question.cells)


@dataclass
class InvariantDesigns:
    """What the invariant methods have to offer for a question."""

    question: Question
    budget: Budget
    seed: int
    target: float = 0.0
    status: Status = Status.CONVERGED

    @property
    def is_asked_for(self) -> bool:
        """Whether the workload is invariant, and all types count alike."""
        interactions = self.question.workload.interactions
        fair = self.question.worst or is_even(self.question.prior)
        return fair and interactions is not None and len(interactions.weights) > 0

    def candidates(self) -> list[Candidate]:
        """Mechanisms that are allowed: one whose outputs need no list, and handier ones where they cost little."""
        found: list[Candidate] = []
        ways: tuple[tuple[float, str, Way], ...] = (
            (1 / 2, AT_RANDOM, InvariantSearch.by_attributes),
            (1 / 2, LISTED, self._listed),
            (1.0, WHOLE, self._whole),
        )
        for share, origin, way in ways:
            if self.status is Status.INTERRUPTED or (found and self._is_handy(found[-1], found[0])):
                break
            search = self._search(share)
            mechanism = way(search)
            if search.status is not Status.CONVERGED:
                self.status = search.status
            if mechanism is not None:
                found.append(self.question.candidate(mechanism, origin, search.status))
        return [one for one in found if self.question.allows(one.mechanism)]

    @property
    def _most(self) -> int:
        return most_outputs(self.question)

    def _is_handy(self, found: Candidate, free: Candidate) -> bool:
        value = self.question.value
        return not is_unhandy(found.mechanism, self.question) and value(found) <= value(free) * (1 + FREE)

    def _search(self, share: float) -> InvariantSearch:
        assert self.question.workload.interactions is not None
        budget = self.budget.part_of_the_rest(share)
        return InvariantSearch(
            self.question.workload.interactions, self.question.epsilon, budget, self.seed, self.target
        )

    def _listed(self, search: InvariantSearch) -> Mechanism | None:
        return search.listed(self._most)

    def _whole(self, search: InvariantSearch) -> Mechanism | None:
        count = self._most // self.question.cells
        return search.by_whole_patterns(count) if count and self.question.cells <= LISTED_CELLS else None
