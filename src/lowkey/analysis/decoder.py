"""What all decoders have in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TypeAlias

import numpy as np

from lowkey.analysis.by_value import ByValue
from lowkey.checks import Vector
from lowkey.errors import TooLarge, format_size
from lowkey.mechanisms.base import Responses
from lowkey.workloads.base import DENSE_LIMIT, Workload

Variance: TypeAlias = Vector | float | ByValue


class Decoder(ABC):
    """Turns responses into unbiased estimates of the cells, and knows how much these vary."""

    @abstractmethod
    def estimate_cells(self, responses: Responses) -> Vector:
        """x̂ (n,): W x̂ is the unbiased estimate of the workload's answers."""

    @abstractmethod
    def variance(self, workload: Workload) -> Variance:
        """The total variance that one person of type u adds to the workload's answers; a number if all add the same."""

    def per_type_variance(self, workload: Workload) -> Vector:
        """`variance` with a number for each type."""
        return for_each_type(self.variance(workload), workload.shape[1])


def largest(variance: Variance) -> float:
    """Of the type that adds most."""
    return variance.largest if isinstance(variance, ByValue) else float(np.max(variance))


def for_each_type(variance: Variance, types: int) -> Vector:
    """One number a type, refused where there are too many types."""
    if isinstance(variance, np.ndarray):
        return variance
    if isinstance(variance, ByValue):
        return variance.per_type
    if types > DENSE_LIMIT:
        advice = "They are all the same: use worst_case or average."
        raise TooLarge("the variance by type", f"{format_size(types)} numbers", f"at most {DENSE_LIMIT:,}", advice)
    return np.full(types, variance)
