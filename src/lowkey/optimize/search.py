"""The stages of one optimization: random starts, sizes to choose from, the catalogue, and the best of all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from lowkey.analysis.variance import Analysis, analyze
from lowkey.checks import Vector
from lowkey.errors import LowkeyError
from lowkey.mechanisms.base import Mechanism
from lowkey.mechanisms.catalogue import create
from lowkey.mechanisms.dense import DenseMechanism
from lowkey.optimize.arrays import Arrays
from lowkey.optimize.budget import Budget
from lowkey.optimize.objective import Objective
from lowkey.optimize.projected_gradient import Result, Status, Stopping, projected_gradient
from lowkey.optimize.seal import seal
from lowkey.optimize.solution import objective_value
from lowkey.optimize.start import STRATEGIES, Start, mechanism_start, random_start
from lowkey.workloads.base import Workload

TRIAL_ITERATIONS = 50  # of each size, when sizes compete
CATALOGUE_LIMIT = 1024  # cells; beyond, listing and analysing the catalogue takes longer than it is worth


class Candidate(NamedTuple):
    """A mechanism in the running, where it came from and how its run ended."""

    mechanism: Mechanism
    analysis: Analysis
    origin: str
    status: Status


@dataclass(frozen=True)
class Search:
    """One optimization: what all its runs share."""

    workload: Workload
    epsilon: float
    objective: str
    prior: Vector
    arrays: Arrays
    budget: Budget
    stopping: Stopping
    seed: int
    max_outputs: int | None = None

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
        start = mechanism_start(mechanism, self.epsilon, self.arrays)
        return self._candidate(self._run(start, f"from {mechanism.name}", self.stopping), mechanism.name)

    def everything(self, sizes: Sequence[int]) -> Candidate:
        """A random start, the best strategy of the catalogue as it is, and Algorithm 2 from there: the best of all."""
        found = [self.at_random(sizes)]
        if found[0].status is Status.INTERRUPTED:
            return found[0]
        status: Status = found[0].status
        try:
            known = min(self._catalogue(), key=self.value, default=None)
            if known is not None:
                found.append(known)
                if not self.budget.is_spent:
                    found.append(self.from_mechanism(known.mechanism))
                    status = found[-1].status
        except KeyboardInterrupt:
            status = Status.INTERRUPTED
        return min(found, key=self.value)._replace(status=status)

    def value(self, candidate: Candidate) -> float:
        return objective_value(candidate.analysis, self.objective)

    def _catalogue(self) -> Iterator[Candidate]:
        """The catalogue's strategies that exist for the domain, can answer the workload and are within the size."""
        cells = self.workload.shape[1]
        for name in STRATEGIES if cells <= CATALOGUE_LIMIT else ():
            if self.budget.is_spent:
                return
            try:
                mechanism = create(name, cells, self.epsilon)
                if not mechanism.has_closed_form and mechanism.shape[0] <= (self.max_outputs or mechanism.shape[0]):
                    analysis = analyze(self.workload, mechanism, self.prior)
                    yield Candidate(mechanism, analysis, mechanism.name, Status.CONVERGED)
            except LowkeyError:
                continue  # it does not exist here, or cannot answer: nothing to compare with

    def _run(self, start: Start, stage: str, stopping: Stopping) -> Result:
        objective = Objective(self.workload.gram(), self.prior, self.arrays)
        return projected_gradient(objective, self.epsilon, start, stopping, self.budget, stage)

    def _random(self, outputs: int) -> Start:
        return random_start(outputs, self.workload.shape[1], self.epsilon, self.seed, self.arrays)

    def _candidate(self, result: Result, origin: str) -> Candidate:
        strategy = seal(self.arrays.fetch(result.reached.projection.strategy), self.epsilon)
        mechanism = DenseMechanism(strategy, self.epsilon, name="optimized")
        return Candidate(mechanism, analyze(self.workload, mechanism, self.prior), origin, result.status)
