"""What competes for the answer: a mechanism, what it is worth, and where it came from."""

from __future__ import annotations

import math
from collections.abc import Iterator
from copy import copy
from dataclasses import dataclass
from typing import NamedTuple

from lowkey.analysis.compare import create_for
from lowkey.analysis.variance import Analysis, analyze
from lowkey.checks import Vector, check_prior
from lowkey.errors import LowkeyError
from lowkey.mechanisms.base import Mechanism
from lowkey.mechanisms.catalogue import names
from lowkey.mechanisms.generated import GeneratedMechanism
from lowkey.optimize.budget import Budget
from lowkey.optimize.projected_gradient import Status
from lowkey.optimize.sizing import default_outputs
from lowkey.workloads.base import Workload

STRATEGIES = tuple(name for name in names() if name not in ("matrix_mechanism_l1", "matrix_mechanism_l2", "gaussian"))
EVEN = 1e-12  # relative
TRIVIAL = 1e-13  # of the queries' squared norm, rounding aside
FEW = 8  # outputs a cell: up to so many rows of many levels do better than two-level ones
PATTERNS, RANDOM, ALGORITHM_2 = "patterns", "random start", "Algorithm 2"  # origins of what was not known before
CATALOGUE_LIMIT = 1024  # cells; beyond, listing and analysing the catalogue takes longer than it is worth


class Candidate(NamedTuple):
    """A mechanism in the running, where it came from and how its run ended."""

    mechanism: Mechanism
    analysis: Analysis
    origin: str
    status: Status


@dataclass(frozen=True)
class Question:
    """What an optimization is asked: the workload, ε, what counts, and for whom."""

    workload: Workload
    epsilon: float
    objective: str
    prior: Vector
    max_outputs: int | None
    deployable: bool = False

    @property
    def cells(self) -> int:
        return self.workload.shape[1]

    @property
    def worst(self) -> bool:
        return self.objective == "worst"

    @property
    def outputs_per_cell(self) -> float:
        """Infinite where no size is asked for."""
        return math.inf if self.max_outputs is None else self.max_outputs / self.cells

    @property
    def is_trivial(self) -> bool:
        """Whether every query is a multiple of the number of people, which needs no report at all."""
        gram = self.workload.gram()
        centred = gram - gram.mean(axis=0)
        rest = float((centred - centred.mean(axis=1)[:, None]).trace())
        return rest <= TRIVIAL * float(gram.trace())

    def value(self, candidate: Candidate) -> float:
        """The number that should be small."""
        return objective_value(candidate.analysis, self.objective)

    def candidate(self, mechanism: Mechanism, origin: str, status: Status = Status.CONVERGED) -> Candidate:
        """The mechanism analysed with the decoder that it is deployed with."""
        tuned = self._tuned(mechanism)
        tuned_for = check_prior(tuned.design_prior, self.cells)
        return Candidate(tuned, analyze(self.workload, tuned, self.prior, tuned_for), origin, status)

    def _tuned(self, mechanism: Mechanism) -> Mechanism:
        """For an average the best decoder is that for its prior, whatever the mechanism was designed for."""
        if self.worst or mechanism.has_closed_form:
            return mechanism
        wanted = None if is_even(self.prior) else self.prior
        if wanted is None and mechanism.design_prior is None:
            return mechanism
        tuned = copy(mechanism)
        tuned.design_prior = wanted
        return tuned

    def allows(self, mechanism: Mechanism) -> bool:
        """Whether it has few enough outputs: of what a file must list as many as it should, of base patterns any."""
        most = self.max_outputs
        if most is None and self.deployable and not isinstance(mechanism, GeneratedMechanism):
            most = default_outputs(self.cells)
        return most is None or mechanism.shape[0] <= most


def catalogue(question: Question, budget: Budget) -> Iterator[Candidate]:
    """The catalogue's pure mechanisms that exist for the domain, can answer the workload and are within the size.

    Additive noise is left out: it sends numbers, not outputs that a table could list, and some of it is not pure ε-LDP.
    """
    for name in STRATEGIES if question.cells <= CATALOGUE_LIMIT else ():
        try:
            mechanism = create_for(question.workload, name, question.epsilon)
            if budget.is_spent and not mechanism.has_closed_form:
                continue  # a formula is looked at all the same: it takes no time
            if mechanism.is_ldp(question.epsilon) and question.allows(mechanism):
                yield question.candidate(mechanism, name)
        except LowkeyError:
            continue  # it does not exist here, or cannot answer: nothing to compare with


def is_even(prior: Vector) -> bool:
    """Whether the prior gives every type the same weight."""
    return bool(abs(prior * len(prior) - 1).max() < EVEN)


def objective_value(analysis: Analysis, objective: str) -> float:
    """The number that an objective asks to be small."""
    return analysis.worst_case if objective == "worst" else analysis.average
