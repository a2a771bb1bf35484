"""Solution: what an optimization yields."""

from __future__ import annotations

from dataclasses import dataclass

from lowkey.analysis.bounds import LowerBound
from lowkey.analysis.variance import Analysis
from lowkey.mechanisms.base import Mechanism
from lowkey.optimize.budget import Progress
from lowkey.optimize.candidates import objective_value
from lowkey.optimize.projected_gradient import Status

ADVICE = {
    Status.CONVERGED: "Further steps hardly lower the error any more.",
    Status.GAP_REACHED: "The gap asked for is proved.",
    Status.ITERATION_LIMIT: "More iterations would lower the error further.",
    Status.TIME_LIMIT: "A longer time_limit would lower the error further.",
    Status.INTERRUPTED: "Stopped by hand: this is the best strategy so far, and it is valid.",
}


@dataclass(frozen=True)
class Trim:
    """A design that was larger before it was cut down to the outputs allowed, and its value then."""

    outputs: int
    value: float


@dataclass(frozen=True)
class Solution:
    """The best mechanism found, its exact analysis and what is proved about it.

    `value` is the variance per user in the chosen objective, `gap` how far it may be above the best possible
    (value / bound − 1, proved), `origin` which start led to it, `seconds` how long the search took, without the proof.
    `trimmed` tells what was given up for a handy size, `note` why the workload took the method that it took.
    """

    mechanism: Mechanism
    analysis: Analysis
    bound: LowerBound
    status: Status
    origin: str
    seconds: float
    history: tuple[Progress, ...]
    trimmed: Trim | None = None
    note: str = ""

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
        """What to try next, in a sentence or two."""
        return " ".join(filter(None, (ADVICE[self.status], self._size_advice, self.note)))

    @property
    def _size_advice(self) -> str:
        if self.trimmed is None or self.value <= self.trimmed.value:
            return ""
        kept, cost = self.mechanism.shape[0], self.value / self.trimmed.value - 1
        return (
            f"Kept {kept:,} of {self.trimmed.outputs:,} outputs, which costs {cost:.2%}: max_outputs sets another size."
        )
