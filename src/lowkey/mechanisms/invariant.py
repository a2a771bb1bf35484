"""Mechanisms that treat all cells of ∏ℤ_{n_i} alike: shifting the types only shifts the outputs.

For a uniform prior the information matrix X = Qᵀ Diag(Qπ)⁻¹ Q has the characters for eigenvectors, with eigenvalues
n·λ_k, λ_0 = 1. On a workload that is invariant too the variance is the same for every type, and nothing of the
domain's size is needed.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence

from lowkey.checks import Matrix, Vector, check_epsilon, check_vector
from lowkey.errors import InvalidInput, QueryNotAnswerable, TooLarge
from lowkey.mechanisms.base import RATIO_TOLERANCE, SUM_TOLERANCE
from lowkey.mechanisms.generated import GeneratedMechanism
from lowkey.mechanisms.places import check_sizes
from lowkey.mechanisms.two_level import TwoLevelMechanism, high_level
from lowkey.workloads.base import DENSE_LIMIT
from lowkey.workloads.interactions import Interactions, Subset

ROUNDING = 1e-14  # how far the sum of shares that was made 1 may be off


class InvariantMechanism(GeneratedMechanism):
    """Base patterns, each used with all shifts."""

    def __init__(self, sizes: object, epsilon: float, name: str) -> None:
        self.name = name
        self.sizes = check_sizes(sizes)
        self.epsilon = check_epsilon(epsilon)
        self.high = high_level(self.epsilon)

    @property
    @abstractmethod
    def is_telling(self) -> bool:
        """Whether any output is likelier for one type than for another."""

    @abstractmethod
    def interaction(self, subset: Sequence[int]) -> Matrix:
        """λ_k for the characters k on exactly these attributes: one axis each, k_i − 1 = 0 … n_i − 2 along it."""

    @abstractmethod
    def variance(self, interactions: Interactions) -> float:
        """Per-user variance Σ_S g_S Σ_{k on S} (1/λ_k − 1) of the best estimator, the same for every type."""

    @abstractmethod
    def distinct(self, limit: int = DENSE_LIMIT) -> TwoLevelMechanism:
        """The same information with all outputs listed, those that always come together as one.

        limit: the most entries (outputs × cells) that the list may have.
        """

    def is_ldp(self, epsilon: float) -> bool:
        """An output with both levels has the ratio e^ε and no other."""
        return not self.is_telling or self.high <= math.exp(check_epsilon(epsilon)) * (1 + RATIO_TOLERANCE)

    def check_same_domain(self, sizes: tuple[int, ...]) -> None:
        """Refuse interactions over other attributes."""
        if sizes != self.sizes:
            advice = "Create both for the same schema."
            raise InvalidInput("the workload's attributes", f"of sizes {sizes}", f"sizes {self.sizes}", advice)


def check_shares(shares: object, count: int) -> Vector:
    """Positive probabilities of `count` base patterns; their sum is made 1, and left alone where only rounding is off.

    What is read from a file is then what was written.
    """
    array = check_vector("the probabilities", shares, count)
    total = float(array.sum())
    if array.ndim != 1 or not (array > 0).all() or abs(total - 1) > SUM_TOLERANCE:
        arrived = f"{array.tolist()} (sum {total:.12g})"
        raise InvalidInput("the probabilities", arrived, f"{count} positive numbers of sum 1, one a pattern")
    scaled: Vector = array.copy() if abs(total - 1) <= ROUNDING else array / total
    return scaled


def not_answerable(subset: Subset) -> QueryNotAnswerable:
    """The error for an interaction that some query has and λ = 0 hides."""
    among = f"attribute {subset[0]}" if len(subset) == 1 else f"attributes {', '.join(map(str, subset))} together"
    return QueryNotAnswerable(
        "the workload",
        f"not answerable with this mechanism: its outputs do not determine what depends on {among}",
        "queries on interactions that the base patterns have",
        "Choose a mechanism that covers them, or optimize one for this workload.",
    )


def refuse_many_rows(name: str, rows: int, cells: int, limit: int) -> None:
    """Raise before more outputs are listed than fit."""
    if rows * cells > limit:
        advice = "Use the mechanism itself: it knows its variance and estimates without a list."
        raise TooLarge(f"the list of outputs of {name}", f"{rows:,} × {cells:,}", f"at most {limit:,} entries", advice)
