"""lower_bound: what no ε-LDP factorization mechanism can beat."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from lowkey.analysis.nuclear_norm_bound import nuclear_norm_prior, nuclear_norm_value
from lowkey.analysis.singular_value_bound import singular_value_value
from lowkey.checks import Matrix, Vector, check_choice, check_epsilon, check_prior
from lowkey.workloads.base import Workload

OBJECTIVES = ("worst", "average")
SINGULAR_VALUES, NUCLEAR_NORM = "singular values", "nuclear norm"

AT_A_PRIOR: dict[str, Callable[[Matrix, float, Vector], float]] = {
    SINGULAR_VALUES: singular_value_value,
    NUCLEAR_NORM: nuclear_norm_value,
}


@dataclass(frozen=True)
class LowerBound:
    """A proved lower bound on the variance per user: `kind` names the theorem, `prior` the types it is proved for.

    A bound on the average over any prior is a bound on the worst case too.
    """

    value: float
    kind: str
    objective: str
    prior: Vector

    def sample_complexity(self, queries: int, alpha: float = 0.01) -> float:
        """People that every mechanism needs at least for normalized variance α on so many queries."""
        return self.value / (queries * alpha)

    def gap(self, variance: float) -> float:
        """How far `variance` may be above the best possible: variance / bound − 1."""
        return variance / self.value - 1 if self.value > 0 else math.inf


def lower_bound(
    workload: Workload, epsilon: float, objective: str = "worst", prior: object = None, kind: str | None = None
) -> LowerBound:
    """A variance per user that every ε-LDP strategy with every unbiased decoder has at least.

    objective: "average" is the variance averaged over the prior, "worst" that of the type that suffers most.
    prior: the prior that it is proved for; None is uniform for "average", and the best that is found for "worst".
    kind: the theorem, "singular values" (the paper's) or "nuclear norm"; None is the one that proves most.
    Where the formula is negative the bound is 0.

    >>> import lowkey as lk
    >>> round(lk.lower_bound(lk.workloads.histogram(64), 1.0).value, 4)
    227.4044
    >>> round(lk.lower_bound(lk.workloads.histogram(64), 1.0, kind="singular values").value, 4)   # n/e^ε − 1
    22.5443
    """
    epsilon = check_epsilon(epsilon)
    check_choice("objective", objective, OBJECTIVES)
    kind = NUCLEAR_NORM if kind is None else check_choice("kind", kind, tuple(AT_A_PRIOR))
    weights = check_prior(prior, workload.shape[1])
    gram = workload.gram()
    if objective == "worst" and prior is None and kind != SINGULAR_VALUES:
        weights = nuclear_norm_prior(gram, epsilon)
    value = AT_A_PRIOR[kind](gram, epsilon, weights)
    return LowerBound(max(value, 0.0), kind, objective, weights)
