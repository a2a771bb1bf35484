"""Solution: what an optimization yields."""

from __future__ import annotations

from dataclasses import dataclass

from lowkey.analysis.bounds import LowerBound
from lowkey.analysis.variance import Analysis
from lowkey.mechanisms.base import Mechanism
from lowkey.optimize.budget import Progress
from lowkey.optimize.projected_gradient import Status

ADVICE = {
    Status.CONVERGED: "No step lowers the error any more; another seed or more outputs may.",
    Status.ITERATION_LIMIT: "More iterations would lower the error further.",
    Status.TIME_LIMIT: "A longer time_limit would lower the error further.",
    Status.INTERRUPTED: "Stopped by hand: this is the best strategy so far, and it is valid.",
}


@dataclass(frozen=True)
class Solution:
    """The best mechanism found, its exact analysis and what is proved about it.

    `value` is the variance per user in the chosen objective, `gap` how far it may be above the best possible
    (value / bound − 1, proved), `origin` which start led to it.
    """

    mechanism: Mechanism
    analysis: Analysis
    bound: LowerBound
    status: Status
    origin: str
    seconds: float
    history: tuple[Progress, ...]

    @property
    def objective(self) -> str:
        return self.bound.objective

    @property
    def value(self) -> float:
        """Variance per user: the worst case, or the average over the prior."""
        return objective_value(self.analysis, self.objective)

    @property
    def gap(self) -> float:
        return self.bound.gap(self.value)

    @property
    def advice(self) -> str:
        """What to try next, in a sentence."""
        return ADVICE[self.status]


def objective_value(analysis: Analysis, objective: str) -> float:
    """The number that an objective asks to be small."""
    return analysis.worst_case if objective == "worst" else analysis.average
