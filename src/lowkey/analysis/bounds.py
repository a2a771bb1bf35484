"""lower_bound: what no ε-LDP factorization mechanism can beat."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from lowkey.analysis.density_relaxation import density_relaxation_value
from lowkey.analysis.interaction_bounds import nuclear_norm_of, singular_values_of
from lowkey.analysis.invariant_relaxation import invariant_relaxation_value, is_translation_invariant
from lowkey.analysis.nuclear_norm_bound import nuclear_norm_prior, nuclear_norm_value
from lowkey.analysis.ordered_bound import ordered_bound, ordered_bound_prior
from lowkey.analysis.relaxed_optimum import relaxed_optimum_value
from lowkey.analysis.singular_value_bound import singular_value_value
from lowkey.checks import Matrix, Vector, check_choice, check_epsilon, check_prior
from lowkey.workloads.base import Workload
from lowkey.workloads.interactions import Interactions
from lowkey.workloads.ordered import OrderedInteractions

OBJECTIVES = ("worst", "average")
SINGULAR_VALUES, NUCLEAR_NORM, RELAXATION = "singular values", "nuclear norm", "relaxation"
KINDS = (SINGULAR_VALUES, NUCLEAR_NORM, RELAXATION)
SMALL = 16  # cells up to which the relaxation is always tried
GRAM_CELLS = 1024  # beyond which marginals and parities are bounded without their Gram matrix
THEOREMS: Mapping[str, Callable[[Interactions, float], float]] = {
    SINGULAR_VALUES: singular_values_of,
    NUCLEAR_NORM: nuclear_norm_of,
    RELAXATION: density_relaxation_value,
}
FEW_ONES = 4  # the ones in a likely row, n/(1 + e^ε), from which on the nuclear norm bound is nearly tight


@dataclass(frozen=True)
class LowerBound:
    """A proved lower bound on the variance per user: `kind` names the theorem, `prior` the types it is proved for.

    A bound on the average over any prior is a bound on the worst case too. None is a prior that is not listed, for no
    vector over the domain is made for marginals and parities over more than 1,024 cells (it is uniform), nor for
    their products with ranges (it is uniform over all attributes but the ordered one).
    """

    value: float
    kind: str
    objective: str
    prior: Vector | None

    def sample_complexity(self, queries: int, alpha: float = 0.01) -> float:
        """People that every mechanism needs at least for normalized variance α on so many queries."""
        return self.value / (queries * alpha)

    def gap(self, variance: float) -> float:
        """How far `variance` may be above the best possible: variance / bound − 1."""
        if self.value > 0:
            return variance / self.value - 1
        return math.inf if variance > 0 else 0.0


def lower_bound(
    workload: Workload, epsilon: float, objective: str = "worst", prior: object = None, kind: str | None = None
) -> LowerBound:
    """A variance per user that every ε-LDP strategy with every unbiased decoder has at least.

    objective: "average" is the variance averaged over the prior, "worst" that of the type that suffers most.
    prior: the prior that it is proved for; None is uniform for "average", and the best that is found for "worst".
    kind: the theorem: "singular values" (the paper's), "nuclear norm", or "relaxation", which takes seconds at n = 64
        and is the better one where n is small or ε large. None is the one that proves most; it leaves the relaxation
        out where that is unlikely to be it. Where a theorem proves nothing the bound is 0.

    Of marginals and parities, also stacked and placed, the domain may have any size, and so it may of their products
    with queries on one ordered attribute, where "nuclear norm" is the theorem.

    >>> import lowkey as lk
    >>> round(lk.lower_bound(lk.workloads.histogram(64), 1.0).value, 4)
    227.4002
    >>> round(lk.lower_bound(lk.workloads.histogram(64), 1.0, kind="singular values").value, 4)   # n/e^ε − 1
    22.5443
    >>> lk.lower_bound(lk.workloads.parity(100, 1), 1.0, kind="nuclear norm").value > 36_000
    True
    """
    epsilon = check_epsilon(epsilon)
    check_choice("objective", objective, OBJECTIVES)
    chosen = None if kind is None else check_choice("kind", kind, KINDS)
    if prior is None and workload.shape[1] > GRAM_CELLS and workload.interactions is not None:
        return _by_attribute_sets(workload.interactions, epsilon, objective, chosen)
    if prior is None and workload.shape[1] > GRAM_CELLS and chosen in (None, NUCLEAR_NORM):
        ordered = workload.ordered_interactions
        if ordered is not None:
            return _by_values(ordered, epsilon, objective)
    gram = workload.gram()
    weights = check_prior(prior, workload.shape[1])
    interactions = workload.interactions if prior is None else None
    problem = _Problem(gram, epsilon, objective, weights, objective == "worst" and prior is None, interactions)
    if chosen == SINGULAR_VALUES:
        return problem.at(SINGULAR_VALUES, singular_value_value, weights)
    if chosen == RELAXATION:
        return problem.relaxation()
    nuclear = problem.at(NUCLEAR_NORM, nuclear_norm_value, problem.nuclear_norm_prior())
    return nuclear if chosen == NUCLEAR_NORM else problem.relaxed(nuclear)


def _by_attribute_sets(interactions: Interactions, epsilon: float, objective: str, kind: str | None) -> LowerBound:
    """The best of the theorems, or one, from what the workload weighs by attribute set."""
    values = {name: THEOREMS[name](interactions, epsilon) for name in ([kind] if kind else [NUCLEAR_NORM, RELAXATION])}
    best = max(values, key=lambda name: values[name])
    return LowerBound(values[best] if 0 < values[best] < math.inf else 0.0, best, objective, None)


def _by_values(ordered: OrderedInteractions, epsilon: float, objective: str) -> LowerBound:
    """The nuclear norm from the blocks: for the worst case at the best prior over the ordered attribute's values."""
    values = ordered.values
    prior = ordered_bound_prior(ordered, epsilon) if objective == "worst" else np.full(values, 1 / values)
    value = ordered_bound(ordered, epsilon, prior)
    return LowerBound(value if 0 < value < math.inf else 0.0, NUCLEAR_NORM, objective, None)


def relaxation_value(gram: Matrix, epsilon: float, prior: Vector) -> float:
    """The relaxation at one prior, in the way that fits the Gram matrix's symmetry."""
    if (prior == prior[0]).all() and is_translation_invariant(gram):
        value = invariant_relaxation_value(gram, epsilon)
        if value > 0:
            return value
    return relaxed_optimum_value(gram, epsilon, prior)


@dataclass(frozen=True)
class _Problem:
    gram: Matrix
    epsilon: float
    objective: str
    prior: Vector
    any_prior: bool  # the prior may be chosen
    interactions: Interactions | None  # for a uniform prior

    @property
    def is_easy(self) -> bool:
        """Whether the relaxation is likely to be the better bound, or takes no time."""
        n = len(self.prior)
        return n <= SMALL or n < FEW_ONES * (1 + math.exp(self.epsilon)) or is_translation_invariant(self.gram)

    def at(self, kind: str, theorem: Callable[[Matrix, float, Vector], float], prior: Vector) -> LowerBound:
        value = theorem(self.gram, self.epsilon, prior)
        return LowerBound(value if 0 < value < math.inf else 0.0, kind, self.objective, prior)

    def nuclear_norm_prior(self) -> Vector:
        return nuclear_norm_prior(self.gram, self.epsilon) if self.any_prior else self.prior

    def relaxation(self) -> LowerBound:
        """The relaxation at the prior, slice by slice or, of marginals and parities that are too many, by densities."""
        bound = self.at(RELAXATION, relaxation_value, self.prior)
        return bound if bound.value > 0 else self._by_densities()

    def _by_densities(self) -> LowerBound:
        value = 0.0 if self.interactions is None else density_relaxation_value(self.interactions, self.epsilon)
        return LowerBound(value, RELAXATION, self.objective, self.prior)

    def relaxed(self, nuclear: LowerBound) -> LowerBound:
        """The best of the nuclear norm bound, the relaxation, and that at the former's prior if it looks better."""
        relaxation = self.relaxation() if self.is_easy else self._by_densities()
        best = max(nuclear, relaxation, key=lambda bound: bound.value)
        prior = nuclear.prior
        if best is nuclear and prior is not None and len(prior) <= SMALL and not np.allclose(prior, self.prior):
            best = max(best, self.at(RELAXATION, relaxation_value, prior), key=lambda bound: bound.value)
        return best
