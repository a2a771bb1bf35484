"""Mechanisms whose reports are sets of cells, estimated cell by cell (Wang et al. 2017: "pure" protocols)."""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np

from lowkey.checks import Matrix, Vector, check_epsilon, check_vector
from lowkey.errors import InvalidInput
from lowkey.mechanisms.base import RATIO_TOLERANCE, Mechanism, Responses
from lowkey.mechanisms.sizes import EXPLICIT_LIMIT, refuse_too_large
from lowkey.mechanisms.strategy_matrices import Patterns
from lowkey.workloads.base import Workload


class SupportMechanism(Mechanism):
    """A report is a set of cells that holds the person's own with probability p and any other one with q.

    With c_v the number of reports that hold cell v, the estimate of cell v is (c_v − N q)/(p − q). A subclass
    says how the bits of a report vary together, how to count them for a population, and what its outputs are.
    """

    p: float
    q: float

    @property
    def has_closed_form(self) -> bool:
        return True

    def is_ldp(self, epsilon: float) -> bool:
        """One type alone is indistinguishable; of two, some output is e^ε times likelier for one."""
        limit = math.exp(check_epsilon(epsilon)) * (1 + RATIO_TOLERANCE)
        return self.domain_size == 1 or math.exp(self.epsilon) <= limit

    def to_dense(self) -> Matrix:
        """One row for each set of cells that can be reported."""
        refuse_too_large(self.name, *self.shape)
        return self._strategy_matrix()

    def closed_form_estimate(self, responses: Responses) -> Vector:
        counts = check_vector("the response vector", responses.values, self.domain_size)
        return (counts - responses.users * self.q) / (self.p - self.q)

    def closed_form_variance(self, workload: Workload) -> Vector:
        diagonal, row_sums = workload.gram_diagonal(), workload.gram_row_sums()
        return self._variance(diagonal.sum(), diagonal, row_sums, row_sums.sum())

    def closed_form_query_variance(self, rows: Matrix, estimate: Vector, users: float) -> Vector:
        """Σ_u x_u Var_u within its range, x being the estimate shifted evenly to `users` people."""
        totals = rows.sum(axis=1, keepdims=True)
        squares = rows**2
        per_type = self._variance(squares.sum(axis=1, keepdims=True), squares, rows * totals, totals**2)
        people = estimate + (users - estimate.sum()) / self.domain_size
        clipped: Vector = np.clip(per_type @ people, users * per_type.min(axis=1), users * per_type.max(axis=1))
        return clipped

    @abstractmethod
    def _variance(self, total: float | Matrix, squares: Matrix, cross: Matrix, sum_squared: float | Matrix) -> Matrix:
        """Per-type variance from Σ_v w_v², w_u², w_u Σ_v w_v, (Σ_v w_v)², each summed over the queries w."""

    @abstractmethod
    def _strategy_matrix(self) -> Matrix:
        """The strategy matrix, where it fits in memory."""


class IndependentSupport(SupportMechanism):
    """The bits of a report are independent given the type: 1 with probability p in the own cell, else q."""

    def __init__(self, n: int, epsilon: float, p: float, q: float, name: str) -> None:
        self.name = name
        self.epsilon = epsilon
        self.p, self.q = p, q
        self.shape = (2**n, n)

    def simulate(self, x: object, rng: np.random.Generator) -> Responses:
        """Two binomial draws a cell, for any number of people."""
        population = self._check_population(x)
        users = int(population.sum())
        counts = rng.binomial(population, self.p) + rng.binomial(users - population, self.q)
        return Responses(counts.astype(np.float64), users)

    def _variance(self, total: float | Matrix, squares: Matrix, cross: Matrix, sum_squared: float | Matrix) -> Matrix:
        own, other = self.p * (1 - self.p), self.q * (1 - self.q)
        return (total * other + squares * (own - other)) / (self.p - self.q) ** 2


def histogram_variance(n: int, points: int | Vector, sizes: Vector, epsilon: float) -> Vector:
    """Per-user variance on a histogram by sets of `sizes` of `points` points, n of which are the cells.

    [p(1−p) + (n−1) q(1−q)]/(p−q)²: true of all sets of one size and of the blocks of a symmetric design;
    p is the probability to hold the own point and q = (size − p)/(points − 1) that to hold any other.
    """
    p = sizes / (sizes + (points - sizes) * math.exp(-epsilon))
    q = (sizes - p) / np.maximum(points - 1, 1)
    variance: Vector = (p * (1 - p) + (n - 1) * q * (1 - q)) / (p - q) ** 2
    return variance


def all_subsets(n: int) -> Patterns:
    """The 2^n subsets of the cells, one a row: bit u of the row's number says whether cell u is in it."""
    subsets: Patterns = (np.arange(2**n)[:, None] >> np.arange(n)) % 2 == 1
    return subsets


def lists_outputs(explicit: object, outputs: int) -> bool:
    """Whether to list all outputs as a strategy matrix: as asked, or (None) where they are few."""
    if explicit is not None and not isinstance(explicit, bool):
        raise InvalidInput("explicit", explicit, "True, False or None (a strategy matrix where it is small)")
    return outputs <= EXPLICIT_LIMIT if explicit is None else bool(explicit)
