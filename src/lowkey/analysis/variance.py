"""analyze: how accurate a mechanism is on a workload, exactly."""

from __future__ import annotations

import numbers
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from lowkey.analysis.by_value import ByValue
from lowkey.analysis.decoder import Decoder, Variance, for_each_type, largest
from lowkey.analysis.reconstruction import best_decoder
from lowkey.checks import Vector, check_data_vector, check_prior
from lowkey.errors import InvalidInput
from lowkey.mechanisms.base import Mechanism
from lowkey.workloads.base import Family, Workload, check_workload


@dataclass(frozen=True)
class FamilyVariance:
    """One family's own queries, without their weight: per-user variance by type, and per query on average."""

    family: Family
    variance: Variance

    @property
    def per_type(self) -> Vector:
        return for_each_type(self.variance, self.family.workload.shape[1])

    @property
    def worst_case(self) -> float:
        return largest(self.variance)

    def error(self, users: float) -> float:
        """Root mean squared error of one query as a share of `users` people, in the worst case."""
        return float(np.sqrt(self.worst_case / (self.family.workload.shape[0] * users)))


@dataclass(frozen=True)
class Analysis:
    """The exact variance of a mechanism on a workload, per user (the paper's L/N).

    `variance` is the total variance that one person of type u adds to all answers, for each type, or one number where
    it is the same for all of them, or by the value of an attribute where it depends on no other; `average` weighs the
    types by `weights` (None is uniform); `decoder` turns responses into unbiased estimates. `per_type` and `prior` list
    both for all types, where these are not too many.
    """

    workload: Workload
    mechanism: Mechanism
    weights: Vector | None
    variance: Variance
    decoder: Decoder

    @property
    def per_type(self) -> Vector:
        return for_each_type(self.variance, self.workload.shape[1])

    @property
    def prior(self) -> Vector:
        types = self.workload.shape[1]
        return for_each_type(1 / types, types) if self.weights is None else self.weights

    @property
    def worst_case(self) -> float:
        """L_worst / N: everyone is of the type that suffers most."""
        return largest(self.variance)

    @property
    def average(self) -> float:
        """L_avg / N: types as the prior says."""
        if isinstance(self.variance, ByValue):
            return self.variance.mean if self.weights is None else float(self.weights @ self.variance.per_type)
        return float(self.prior @ self.variance) if isinstance(self.variance, np.ndarray) else self.variance

    def total_variance(self, x: object) -> float:
        """E‖Wx − V y‖² for the population x: the paper's Variance theorem."""
        types = self.workload.shape[1]
        return float(check_data_vector(x, types) @ for_each_type(self.variance, types))

    def sample_complexity(self, alpha: float = 0.01, x: object = None) -> float:
        """People needed for normalized variance α: worst_case / (p α), or with the types mixed as in x.

        >>> import numpy as np, lowkey as lk
        >>> A = lk.analyze(lk.workloads.histogram(2), lk.mechanisms.create("randomized_response", 2, np.log(3)))
        >>> round(A.sample_complexity(alpha=0.01), 6)
        75.0
        """
        alpha = check_alpha(alpha)
        variance = self.worst_case
        if x is not None:
            population = check_data_vector(x, self.workload.shape[1])
            if population.sum() == 0:
                raise InvalidInput("the data vector", "all zeros", "at least one person")
            variance = self.total_variance(population) / float(population.sum())
        return variance / (self.workload.shape[0] * alpha)

    @cached_property
    def families(self) -> tuple[FamilyVariance, ...]:
        """The error of each family of queries by itself."""
        return tuple(
            FamilyVariance(family, self.decoder.variance(family.workload)) for family in self.workload.families
        )


def check_alpha(alpha: object) -> float:
    """A target for the normalized variance (mean squared error of a query as a share of the users)."""
    if isinstance(alpha, bool) or not isinstance(alpha, numbers.Real) or not 0 < float(alpha) < np.inf:
        raise InvalidInput("alpha", alpha, "a positive number", "It is a squared error: 0.01 means ±0.1 of the users.")
    return float(alpha)


def analyze(workload: Workload, mechanism: Mechanism, prior: object = None, tuned_for: object = None) -> Analysis:
    """The variance of `mechanism` on `workload` with its best unbiased decoder.

    prior: weights of the types that `average` refers to; None is uniform.
    tuned_for: the weights that the decoder is best for; None takes `prior` where that is given, else those that the
        mechanism was designed for (`mechanism.design_prior`, uniform for all but optimized ones).
    Raises QueryNotAnswerable when the mechanism's outputs do not determine some query.
    """
    types = check_workload(workload).shape[1]
    weights = None if prior is None else check_prior(prior, types)
    decoder = best_decoder(workload, mechanism, prior if tuned_for is None else tuned_for)
    return Analysis(workload, mechanism, weights, decoder.variance(workload), decoder)
