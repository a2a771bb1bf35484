"""The stages of one optimization: the catalogue, the certified method or the paper's, and the best of all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from lowkey.errors import QueryNotAnswerable
from lowkey.mechanisms.base import Mechanism
from lowkey.mechanisms.dense import DenseMechanism
from lowkey.mechanisms.randomized_response import randomized_response
from lowkey.optimize.arrays import Arrays
from lowkey.optimize.budget import Budget
from lowkey.optimize.candidates import FEW, RANDOM, Candidate, Question, catalogue
from lowkey.optimize.column_generation import Limits
from lowkey.optimize.few_outputs import FewOutputs, share_of_patterns
from lowkey.optimize.group_invariant import HANDY, InvariantDesigns, is_unhandy
from lowkey.optimize.known_bounds import first_bound
from lowkey.optimize.objective import Objective, Point
from lowkey.optimize.projected_gradient import Result, Status, Stopping, projected_gradient
from lowkey.optimize.seal import seal
from lowkey.optimize.start import Start, mechanism_start, random_start
from lowkey.optimize.two_level_search import GROWTH, Grown, two_level_search

TRIAL_ITERATIONS = 50  # of each size, when sizes compete
CATALOGUE_FIRST = 256  # cells up to which the catalogue's strategies are starts; beyond, they are looked at last
UNLISTED = 1e-9  # relative: by less a mechanism whose outputs are not listed does not win
SURELY = 1 - 1e-9  # sealing costs less
ROWS_PER_CELL = 8  # of a strategy of the catalogue that is a start, at most


INVARIANT_ALONE = 128  # cells beyond which nothing but invariant designs competes where these are asked for
CLOSE = 1e-3  # a proved gap with which they are enough in any case


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
            return self._simplest
        early = self.question.cells <= CATALOGUE_FIRST
        known, status = self._catalogue() if early else ([], None)
        known += self._as_it_is(start)
        if status is None:
            known, status = self._designed(known, start)
        if not early and status is not Status.INTERRUPTED:
            more, interrupted = self._catalogue()
            known, status = known + more, interrupted or status
        return self._best_of(known or [self._simplest], status)

    def _designed(self, known: list[Candidate], start: Mechanism | None) -> tuple[list[Candidate], Status]:
        """What is known and what the certified method makes of it, in rows of two levels and, if few, of many."""
        designs = InvariantDesigns(self.question, self.budget, self.seed, self.target)
        if designs.is_asked_for:
            known = designs.candidates() + known
            if designs.status is Status.INTERRUPTED or self._invariant_is_enough(known):
                return known, designs.status
        given = [one.mechanism for one in known if self._is_a_start(one.mechanism)]
        if start is not None and not self._is_a_formula(start):
            given = [start]
        limits = Limits(self._growth, self.stopping.iterations, self.stopping.tolerance, self.target)
        budget = self.budget.part(share_of_patterns(self.question))
        found = two_level_search(self.question, self.arrays, budget, self.seed, limits, given)
        status = found if isinstance(found, Status) else found.candidate.status
        if isinstance(found, Grown):
            self.grown, known = found, [found.candidate, *known]
        if status is Status.INTERRUPTED or self.question.outputs_per_cell > FEW:
            return known, status
        best = self._best_of([*known, self._simplest], status)
        few = FewOutputs(self.question, self.arrays, self.budget, self.stopping, self.seed, self.target)
        lower = few.improved(best)
        return [lower, *known], lower.status

    def _invariant_is_enough(self, known: list[Candidate]) -> bool:
        """Whether the invariant designs leave nothing to be gained, or nothing that another search would find."""
        if not known or self.question.outputs_per_cell <= FEW:
            return False
        value = min(map(self.question.value, known))
        return self.question.cells > INVARIANT_ALONE or value <= max(
            self.target, (1 + CLOSE) * first_bound(self.question)
        )

    def at_random(self, sizes: Sequence[int]) -> Candidate:
        """Algorithm 2 from a random start; with several sizes each runs shortly and the best goes on."""
        short = Stopping(TRIAL_ITERATIONS, self.stopping.tolerance)
        best: Result | None = None
        for size in sizes if len(sizes) > 1 else ():
            result = self._run(self._random(size), f"trying {size} outputs", short)
            if best is None or result.value < best.value:
                best = result
            if result.was_cut_short:
                return self._candidate(best._replace(status=result.status), RANDOM)
        start = best.reached if best else self._random(sizes[0])
        return self._candidate(self._run(start, RANDOM, self.stopping), RANDOM)

    def from_mechanism(self, mechanism: Mechanism) -> Candidate:
        """Algorithm 2 from a mechanism's strategy."""
        start = mechanism_start(mechanism, self.question.epsilon, self.arrays)
        return self._candidate(self._run(start, f"from {mechanism.name}", self.stopping), mechanism.name)

    @property
    def _simplest(self) -> Candidate:
        mechanism = randomized_response(self.question.cells, self.question.epsilon)
        return self.question.candidate(mechanism, "randomized_response")

    def _best_of(self, known: list[Candidate], status: Status) -> Candidate:
        """The first of the best, which a mechanism that cannot be deployed must beat clearly."""
        return min(known, key=lambda one: self.question.value(one) * (1 + self._handicap(one)))._replace(status=status)

    def _handicap(self, known: Candidate) -> float:
        """By how much a mechanism must win: not at all where its outputs can be listed."""
        if known.mechanism.has_closed_form:
            return UNLISTED
        return HANDY if is_unhandy(known.mechanism, self.question) else 0.0

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

    def _is_a_formula(self, mechanism: Mechanism) -> bool:
        """Whether its outputs are too many to list: it can win, and be no start."""
        return mechanism.has_closed_form and mechanism.shape[0] > self._growth

    def _is_a_start(self, mechanism: Mechanism) -> bool:
        return not mechanism.has_closed_form and mechanism.shape[0] <= ROWS_PER_CELL * self.question.cells

    def _run(self, start: Start, stage: str, stopping: Stopping) -> Result:
        objective = Objective(self.question.workload.gram(), self.question.prior, self.arrays)
        enough = partial(self._is_enough, objective)
        return projected_gradient(objective, self.question.epsilon, start, stopping, self.budget, stage, enough)

    def _is_enough(self, objective: Objective, point: Point) -> bool:
        """Whether the target is met, by the decoder that is deployed; no average is above the worst case."""
        if point.value - objective.constant > self.target * SURELY:
            return False
        if not self.question.worst:
            return True
        deployed = objective.for_prior(np.full(self.question.cells, 1 / self.question.cells))
        return float(deployed.variances(deployed.at(point.strategy)).max()) <= self.target * SURELY

    def _random(self, outputs: int) -> Start:
        return random_start(outputs, self.question.cells, self.question.epsilon, self.seed, self.arrays)

    def _candidate(self, result: Result, origin: str) -> Candidate:
        strategy = seal(self.arrays.fetch(result.reached.projection.strategy), self.question.epsilon)
        mechanism = DenseMechanism(strategy, self.question.epsilon, name="optimized")
        return self.question.candidate(mechanism, origin, result.status)
