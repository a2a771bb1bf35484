"""A mechanism that is its strategy matrix."""

from __future__ import annotations

import math

import numpy as np

from lowkey.checks import Matrix, check_epsilon, check_prior
from lowkey.errors import InvalidInput, NotPrivate
from lowkey.mechanisms.base import RATIO_TOLERANCE, SUM_TOLERANCE, Mechanism, Responses


class DenseMechanism(Mechanism):
    """A strategy matrix Q (m×n) that satisfies the paper's proposition at ε; refused if it does not.

    >>> import numpy as np
    >>> DenseMechanism(np.array([[0.75, 0.25], [0.25, 0.75]]), epsilon=1.1, name="coin").shape
    (2, 2)
    """

    def __init__(self, strategy: object, epsilon: float, name: str = "strategy", design_prior: object = None) -> None:
        self.name = name
        self.epsilon = check_epsilon(epsilon)
        self._strategy = _check_strategy(strategy)
        self.shape = (self._strategy.shape[0], self._strategy.shape[1])
        self.design_prior = None if design_prior is None else check_prior(design_prior, self.domain_size)
        _refuse_if_not_private(_as_drawn(self._strategy), self.epsilon)
        self._strategy.flags.writeable = False

    def to_dense(self) -> Matrix:
        return self._strategy

    def is_ldp(self, epsilon: float) -> bool:
        return is_ldp(self._strategy, epsilon)

    def simulate(self, x: object, rng: np.random.Generator) -> Responses:
        """One multinomial draw a type: a billion people cost no more than a hundred."""
        population = self._check_population(x)
        values = np.zeros(self.shape[0])
        for cell in np.flatnonzero(population):
            column = self._strategy[:, cell]
            values += rng.multinomial(population[cell], column / column.sum())
        return Responses(values, int(population.sum()))


def worst_ratio(strategy: Matrix) -> tuple[float, int]:
    """The largest ratio between two entries of a row, and the row; infinite if one mixes 0 and positive."""
    high, low = strategy.max(axis=1), strategy.min(axis=1)
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        ratios = np.where(high > 0, high / low, 1.0)
    row = int(np.argmax(ratios))
    return float(ratios[row]), row


def is_ldp(strategy: object, epsilon: float) -> bool:
    """Whether a matrix is an ε-LDP strategy, by the paper's proposition.

    Q ≥ 0, every column sums to 1, and max_u Q_ou ≤ e^ε min_u Q_ou in every row o.

    >>> is_ldp([[0.75, 0.25], [0.25, 0.75]], epsilon=1.1)
    True
    >>> is_ldp([[0.75, 0.25], [0.25, 0.75]], epsilon=1.0)
    False
    """
    limit = math.exp(check_epsilon(epsilon)) * (1 + RATIO_TOLERANCE)
    array = _as_matrix(strategy)
    is_stochastic = bool(np.isfinite(array).all() and (array >= 0).all()) and bool(
        (np.abs(array.sum(axis=0) - 1) <= SUM_TOLERANCE).all()
    )
    return is_stochastic and worst_ratio(_as_drawn(array))[0] <= limit


def _as_drawn(strategy: Matrix) -> Matrix:
    """The channel itself: whoever draws from a column divides it by its sum, which may be 1e-9 off 1."""
    drawn: Matrix = strategy / strategy.sum(axis=0)
    return drawn


def _as_matrix(strategy: object) -> Matrix:
    expected = "a 2-D array of probabilities, one column a cell"
    try:
        array = np.array(strategy, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput("the strategy", strategy, expected) from error
    if array.ndim != 2 or min(array.shape) < 1:
        raise InvalidInput("the strategy", f"an array of shape {array.shape}", expected)
    return array


def _check_strategy(strategy: object) -> Matrix:
    array = _as_matrix(strategy)
    if not np.isfinite(array).all() or (array < 0).any():
        raise InvalidInput("the strategy", "a matrix with negative or non-finite entries", "probabilities")
    sums = array.sum(axis=0)
    cell = int(np.argmax(np.abs(sums - 1)))
    if abs(sums[cell] - 1) > SUM_TOLERANCE:
        raise InvalidInput(
            "the strategy",
            f"a matrix whose column {cell} sums to {sums[cell]:.12g}",
            "columns that sum to 1",
            "Q[o, u] is the probability of output o for type u: outputs are rows.",
        )
    return array


def _refuse_if_not_private(strategy: Matrix, epsilon: float) -> None:
    ratio, row = worst_ratio(strategy)
    if ratio > math.exp(epsilon) * (1 + RATIO_TOLERANCE):
        high, low = int(np.argmax(strategy[row])), int(np.argmin(strategy[row]))
        raise NotPrivate(
            "the strategy",
            f"e^{math.log(ratio):.6g} times likelier to report output {row} in cell {high} than in cell {low}",
            f"at most e^{epsilon:g}",
        )
