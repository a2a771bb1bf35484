"""The stages of one optimization: the catalogue, the certified method or the paper's, and the best of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from lowkey.errors import QueryNotAnswerable
from lowkey.mechanisms.base import Mechanism
from lowkey.mechanisms.dense import DenseMechanism
from lowkey.mechanisms.randomized_response import randomized_response
from lowkey.optimize.arrays import Arrays
from lowkey.optimize.budget import Budget
from lowkey.optimize.candidates import Candidate, Question, catalogue
from lowkey.optimize.column_generation import Limits
from lowkey.optimize.objective import Objective
from lowkey.optimize.projected_gradient import Result, Status, Stopping, projected_gradient
from lowkey.optimize.seal import seal
from lowkey.optimize.start import Start, mechanism_start, random_start
from lowkey.optimize.two_level_search import GROWTH, Grown, two_level_search

TRIAL_ITERATIONS = 50  # of each size, when sizes compete
CATALOGUE_FIRST = 256  # cells up to which the catalogue's strategies are starts; beyond, they are looked at last
UNLISTED = 1e-9  # relative: by less a mechanism whose outputs are not listed does not win
ROWS_PER_CELL = 8  # of a strategy of the catalogue that is a start, at most


def _head_start(known: Candidate) -> float:
    """By how much a mechanism of the catalogue must win: not at all where it can be deployed as well."""
    return UNLISTED if known.mechanism.has_closed_form else 0.0


@dataclass
class Search:
    """One optimization: what all its runs share."""

    question: Question
    arrays: Arrays
    budget: Budget
    stopping: Stopping
    seed: int
    target: float = 0.0
    grown: Grown | None = field(default=None, init=False)

    def certified(self, start: Mechanism | None = None) -> Candidate:
        """The certified method, helped by the catalogue; never worse than a mechanism of the catalogue."""
        if self.question.is_trivial:
            return self.question.candidate(self._simplest, "randomized_response")
        early = self.question.cells <= CATALOGUE_FIRST
        known, status = self._catalogue() if early else ([], None)
        known += self._as_it_is(start)
        if status is not None:
            return self._best_of(known, status)
        limits = Limits(self._growth, self.stopping.iterations, self.stopping.tolerance, self.target)
        given = [one.mechanism for one in known if self._is_a_start(one.mechanism)]
        if start is not None:
            given = [start]
        found = two_level_search(self.question, self.arrays, self.budget, self.seed, limits, given)
        if isinstance(found, Status):
            return self._best_of(known, found)
        self.grown, status = found, found.candidate.status
        if not early and status is not Status.INTERRUPTED:
            more, interrupted = self._catalogue()
            known, status = known + more, interrupted or status
        best = found.candidate
        for one in known:
            if self.question.value(one) < self.question.value(best) * (1 - _head_start(one)):
                best = one
        return best._replace(status=status)

    def at_random(self, sizes: Sequence[int]) -> Candidate:
        """Algorithm 2 from a random start; with several sizes each runs shortly and the best goes on."""
        short = Stopping(TRIAL_ITERATIONS, self.stopping.tolerance)
        best: Result | None = None
        for size in sizes if len(sizes) > 1 else ():
            result = self._run(self._random(size), f"trying {size} outputs", short)
            if best is None or result.value < best.value:
                best = result
            if result.was_cut_short:
                return self._candidate(best._replace(status=result.status), "random start")
        start = best.reached if best else self._random(sizes[0])
        return self._candidate(self._run(start, "random start", self.stopping), "random start")

    def from_mechanism(self, mechanism: Mechanism) -> Candidate:
        """Algorithm 2 from a mechanism's strategy."""
        start = mechanism_start(mechanism, self.question.epsilon, self.arrays)
        return self._candidate(self._run(start, f"from {mechanism.name}", self.stopping), mechanism.name)

    @property
    def _simplest(self) -> Mechanism:
        return randomized_response(self.question.cells, self.question.epsilon)

    def _best_of(self, known: list[Candidate], status: Status) -> Candidate:
        simplest = self.question.candidate(self._simplest, "randomized_response")
        return min([*known, simplest], key=self.question.value)._replace(status=status)

    def _as_it_is(self, start: Mechanism | None) -> list[Candidate]:
        """The mechanism to start from as an answer, where it is one."""
        if start is None or not start.is_ldp(self.question.epsilon) or not self.question.allows(start):
            return []
        try:
            return [self.question.candidate(start, start.name)]
        except QueryNotAnswerable:
            return []

    @property
    def _growth(self) -> int:
        return max(GROWTH * self.question.cells, self.question.max_outputs or 0)

    def _catalogue(self) -> tuple[list[Candidate], Status | None]:
        """What the catalogue has to offer, and INTERRUPTED where the person pressed Ctrl-C meanwhile."""
        known: list[Candidate] = []
        try:
            known.extend(catalogue(self.question, self.budget))
        except KeyboardInterrupt:
            return known, Status.INTERRUPTED
        return known, None

    def _is_a_start(self, mechanism: Mechanism) -> bool:
        return not mechanism.has_closed_form and mechanism.shape[0] <= ROWS_PER_CELL * self.question.cells

    def _run(self, start: Start, stage: str, stopping: Stopping) -> Result:
        objective = Objective(self.question.workload.gram(), self.question.prior, self.arrays)
        return projected_gradient(objective, self.question.epsilon, start, stopping, self.budget, stage)

    def _random(self, outputs: int) -> Start:
        return random_start(outputs, self.question.cells, self.question.epsilon, self.seed, self.arrays)

    def _candidate(self, result: Result, origin: str) -> Candidate:
        strategy = seal(self.arrays.fetch(result.reached.projection.strategy), self.question.epsilon)
        mechanism = DenseMechanism(strategy, self.question.epsilon, name="optimized")
        return self.question.candidate(mechanism, origin, result.status)
