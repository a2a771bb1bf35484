"""Results: what a report tells, from the design to the answers, family by family, in shares of the people."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lowkey.analysis import Analysis, Competitor, LowerBound
from lowkey.analysis.per_query import users_needed, weighted_queries
from lowkey.checks import Vector, check_data_vector
from lowkey.deployment import Deployment
from lowkey.errors import InvalidInput
from lowkey.estimate import Estimate
from lowkey.report.known import Flags, open_queries
from lowkey.report.repeats import Repeats
from lowkey.workloads.base import Family
from lowkey.workloads.wording import Labels


@dataclass(frozen=True, eq=False)
class FamilyResult:
    """One family's answers without its weight, as shares of all people."""

    family: Family
    labels: Sequence[str]
    designed_error: float  # root mean squared error of a query, in the worst case
    answers: Vector
    low: Vector
    high: Vector
    consistent: Vector | None
    truth: Vector | None
    is_open: Flags  # which answers were not known beforehand

    @property
    def name(self) -> str:
        return self.family.name

    @property
    def error(self) -> float:
        """Root mean squared error of the unbiased answers; NaN where the truth is not known."""
        return root_mean_square(self.answers - self.truth) if self.truth is not None else float("nan")

    @property
    def consistent_error(self) -> float:
        """The same for the consistent answers."""
        if self.truth is None or self.consistent is None:
            return float("nan")
        return root_mean_square(self.consistent - self.truth)

    @property
    def holds(self) -> Flags:
        """Which queries' intervals hold the truth."""
        truth = self.answers if self.truth is None else self.truth
        return np.asarray((self.low <= truth) & (truth <= self.high))


@dataclass(frozen=True, eq=False)
class Results:
    """A survey from its design to its answers.

    design: the analysis of the deployed mechanism; competitors: others on the same workload (`lk.compare`).
    consistent: the WNNLS estimate, if made. truth: the population (n,) where it is known, in simulations.
    target: the standard error of an average query, as a share of the people, for which numbers of people are given.
    """

    title: str
    deployment: Deployment
    design: Analysis
    bound: LowerBound
    competitors: tuple[Competitor, ...]
    estimate: Estimate
    consistent: Estimate | None = None
    truth: Vector | None = None
    repeats: Repeats | None = None
    target: float = 0.02

    def __post_init__(self) -> None:
        if self.estimate.method != "unbiased":
            advice = "Pass the WNNLS estimate as `consistent`."
            raise InvalidInput("the report's estimate", self.estimate.method, "an unbiased one", advice)
        if self.truth is not None:
            check_data_vector(self.truth, self.deployment.schema.size, "the report's truth")

    @property
    def users(self) -> int:
        return self.estimate.users

    @property
    def alpha(self) -> float:
        """The target as a normalized variance."""
        return self.target**2

    @property
    def people_needed(self) -> float:
        """For the target, with the deployed mechanism, whoever the people are."""
        return users_needed(self.design, self.alpha)

    @property
    def people_at_least(self) -> float:
        """What the bound says that any mechanism needs for the target."""
        return self.bound.value / (weighted_queries(self.deployment.workload) * self.alpha)

    @property
    def best_competitor(self) -> Competitor | None:
        """The best other mechanism that keeps pure ε-LDP."""
        return next((one for one in self.competitors if one.analysis and not one.analysis.mechanism.delta), None)

    @cached_property
    def families(self) -> tuple[FamilyResult, ...]:
        return tuple(self._families())

    def _families(self) -> Iterator[FamilyResult]:
        for variance in self.design.families:
            family = variance.family
            yield FamilyResult(
                family,
                self._labels(family),
                variance.error(self.users),
                self._shares(self.estimate.answers, family),
                self._shares(self.estimate.low, family),
                self._shares(self.estimate.high, family),
                None if self.consistent is None else self._shares(self.consistent.answers, family),
                None if self.truth is None else family.workload.matvec(self.truth) / self.users,
                open_queries(family.workload),
            )

    def _labels(self, family: Family) -> Sequence[str]:
        axes = self.deployment.schema.attributes
        return Labels(family.workload.shape[0], lambda query: family.workload.describe(query, axes))

    def _shares(self, values: Vector, family: Family) -> Vector:
        shares: Vector = values[family.start : family.stop] / (family.weight * self.users)
        return shares


def root_mean_square(values: Vector) -> float:
    return float(np.sqrt(np.mean(values**2)))
