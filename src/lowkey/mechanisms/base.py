"""Mechanism: what every way of reporting has in common."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from lowkey.checks import Matrix, Vector, check_data_vector
from lowkey.errors import InvalidInput, NotAvailable, format_size
from lowkey.workloads.base import Workload

Population = npt.NDArray[np.int64]
MOST_PEOPLE = 2**53  # beyond, a double does not count one by one
RATIO_TOLERANCE = 1e-12  # relative slack for e^ε computed in floating point
SUM_TOLERANCE = 1e-9  # how far a column's sum may be from 1


@dataclass(frozen=True)
class Responses:
    """What a collection yields: `values` (what they are is the mechanism's affair) from `users` people.

    For a strategy the values are the paper's response vector y: how many people sent each output. For reports
    that are sets of cells, how many reports hold each cell. For additive noise, the sum of the noisy vectors.
    A strategy with too many outputs to count all of them gives `outputs`, those that occurred: `values` then says how
    many people sent each of these.
    """

    values: Vector
    users: int
    outputs: Population | None = None

    def tally(self) -> tuple[Population, Vector]:
        """The outputs of a strategy that occurred, and how many people sent each."""
        if self.outputs is not None:
            return self.outputs, self.values
        seen = np.flatnonzero(self.values)
        return seen, self.values[seen]

    def all_values(self, outputs: int) -> Vector:
        """How many people sent each of all `outputs` outputs of a strategy."""
        if self.outputs is None:
            return self.values
        values = np.zeros(outputs)
        np.add.at(values, self.outputs, self.values)
        return values


class Mechanism(ABC):
    """An ε-LDP mechanism on a domain of n cells.

    `shape` is (m, n): outputs × cells. A mechanism with `has_closed_form` brings its own estimator and
    variance and need not be listed output by output; any other is its strategy matrix, and `lowkey.analysis`
    finds the best decoder for it: tuned for the types as `design_prior` weighs them (None is evenly), which for a
    mechanism that was optimized for the worst case are the weights under which that is least.
    """

    name: str
    epsilon: float
    shape: tuple[int, int]
    delta: float = 0.0
    design_prior: Vector | None = None

    @property
    def domain_size(self) -> int:
        return self.shape[1]

    @abstractmethod
    def to_dense(self) -> Matrix:
        """The strategy matrix Q: Q[o, u] is the probability that a person of type u reports o."""

    @abstractmethod
    def is_ldp(self, epsilon: float) -> bool:
        """Whether the mechanism satisfies pure ε-LDP at this ε."""

    @abstractmethod
    def simulate(self, x: object, rng: np.random.Generator) -> Responses:
        """Responses of x[u] people of each type u: for studies, a real client draws from `secrets`."""

    # -- mechanisms with an estimator of their own -----------------------------

    @property
    def has_closed_form(self) -> bool:
        """Whether variance and estimates come from the mechanism's own formulas."""
        return False

    def closed_form_variance(self, workload: Workload) -> Vector:
        """Per-type variance (n,) of the mechanism's own estimator on the workload."""
        raise NotAvailable("the closed-form variance", f"asked of {self.name}", "a mechanism that has one")

    def closed_form_estimate(self, responses: Responses) -> Vector:
        """The mechanism's own unbiased estimate of the data vector (n,)."""
        raise NotAvailable("the closed-form estimate", f"asked of {self.name}", "a mechanism that has one")

    def closed_form_query_variance(self, rows: Matrix, estimate: Vector, users: float) -> Vector:
        """Variance (k,) of the mechanism's own estimator on each query of a dense block `rows` (k×n).

        estimate: the (estimated) number of people of each type; users: how many people there are in all.
        """
        raise NotAvailable("the closed-form query variance", f"asked of {self.name}", "a mechanism that has one")

    def _check_population(self, x: object) -> Population:
        counts = check_data_vector(x, self.domain_size)
        whole = np.rint(counts)
        if np.abs(counts - whole).max() > 1e-6:
            cell = int(np.argmax(np.abs(counts - whole)))
            raise InvalidInput(
                "the population",
                f"{counts[cell]:g} people in cell {cell}",
                "a whole number of people in every cell",
                "From shares, draw one with rng.multinomial(users, shares).",
            )
        if whole.sum() > MOST_PEOPLE:
            raise InvalidInput("the population", f"{whole.sum():g} people", f"at most 2^53 ({MOST_PEOPLE:,})")
        return whole.astype(np.int64)

    def __repr__(self) -> str:
        m, n = self.shape
        size = f"{format_size(m)} outputs × {format_size(n)} cells"
        return f"<{type(self).__name__} {self.name!r}: {size}, ε = {self.epsilon:g}>"
