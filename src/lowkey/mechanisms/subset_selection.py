"""Subset selection: report a random set of d cells, likelier one that holds the own (Ye and Barg 2018)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator

import numpy as np

from lowkey.checks import Matrix, check_size
from lowkey.errors import InvalidInput
from lowkey.mechanisms.base import Mechanism, Population, Responses
from lowkey.mechanisms.dense import DenseMechanism
from lowkey.mechanisms.strategy_matrices import two_level
from lowkey.mechanisms.support import SupportMechanism, histogram_variance, lists_outputs

DRAWABLE = 10**9 - 1  # people that NumPy draws a hypergeometric sample from


class SubsetSelection(SupportMechanism):
    """Every set of d cells, e^ε times as likely where it holds the person's own.

    The own bit is Bernoulli(p) with p = d e^ε/(d e^ε + n − d); given it, the others are a uniform set of
    d − 1 or d cells, so they are negatively correlated.
    """

    def __init__(self, n: int, epsilon: float, d: int) -> None:
        self.name = "subset_selection"
        self.epsilon = epsilon
        self.d = d
        self.p = d / (d + (n - d) * math.exp(-epsilon))
        self.q = (d - self.p) / max(n - 1, 1)
        self.shape = (math.comb(n, d), n)

    def simulate(self, x: object, rng: np.random.Generator) -> Responses:
        """Exact for any number of people: O(n d) draws a billion of them, and never more than O(n² d)."""
        population = self._check_population(x)
        values = np.zeros(self.domain_size)
        for batch in _batches(population):
            values += self._count(batch, rng)
        return Responses(values, int(population.sum()))

    def _strategy_matrix(self) -> Matrix:
        patterns = np.zeros(self.shape, dtype=np.bool_)
        subsets = np.array(list(itertools.combinations(range(self.domain_size), self.d)))
        patterns[np.arange(len(subsets))[:, None], subsets] = True
        return two_level(patterns, self.epsilon)

    def _variance(self, total: float | Matrix, squares: Matrix, cross: Matrix, sum_squared: float | Matrix) -> Matrix:
        """By conditioning on the own bit b: k = d−b of the M = n−1 others, whose coefficients have the sum T.

        Var = E[k(M−k)]/(M(M−1)) · (Σ_{v≠u} w_v² − T²/M) + p(1−p)(w_u − T/M)², divided by (p−q)².
        """
        others = max(self.domain_size - 1, 1)
        own_by_rest = cross - squares  # w_u T
        rest_squared = sum_squared - 2 * cross + squares  # T²
        spread = sum(share * k * (others - k) for k, share in ((self.d - 1, self.p), (self.d, 1 - self.p)))
        within = spread / (others * max(others - 1, 1)) * (total - squares - rest_squared / others)
        between = self.p * (1 - self.p) * (squares - 2 * own_by_rest / others + rest_squared / others**2)
        return (within + between) / (self.p - self.q) ** 2

    def _count(self, population: Population, rng: np.random.Generator) -> Population:
        """How many reports hold each cell, cell by cell.

        Someone with r members still to place among R cells puts one in the next with probability r/R. Until
        the own cell comes, people of all types behave alike: only how many have each own bit and r is kept
        (`ahead`), and who of them has the type whose turn it is, is a uniform draw. Afterwards r is all that
        matters (`placed`).
        """
        n, d = self.domain_size, self.d
        users = int(population.sum())
        held = int(rng.binomial(users, self.p))
        ahead, placed = np.zeros((2, d + 1), dtype=np.int64), np.zeros(d + 1, dtype=np.int64)
        ahead[0, d], ahead[1, d - 1] = users - held, held
        counts = np.zeros(n, dtype=np.int64)
        for cell in range(n):
            remaining = n - cell
            own = _draw(ahead, int(population[cell]), rng)
            ahead -= own
            counts[cell] = own[1].sum() + _place(ahead, remaining - 1, rng) + _place(placed, remaining, rng)
            placed += own.sum(axis=0)
        return counts


def subset_selection(n: int, epsilon: float, d: int | None = None, explicit: bool | None = None) -> Mechanism:
    """Sets of d cells; None takes the d with the least variance on a histogram.

    explicit: list all (n choose d) outputs (True), use the closed form (False), or list them up to 4096.
    """
    size = best_subset_size(n, epsilon) if d is None else check_size("d", d)
    if size > max(n - 1, 1):
        raise InvalidInput("d", d, f"at most {max(n - 1, 1)}, less than the {n} cells there are")
    mechanism = SubsetSelection(n, epsilon, size)
    if not lists_outputs(explicit, mechanism.shape[0]):
        return mechanism
    return DenseMechanism(mechanism.to_dense(), epsilon, mechanism.name)


def best_subset_size(n: int, epsilon: float) -> int:
    """The d with the least variance on a histogram, about n/(1+e^ε)."""
    return 1 + int(np.argmin(histogram_variance(n, n, np.arange(1.0, max(n, 2)), epsilon)))


def _place(pool: Population, remaining: int, rng: np.random.Generator) -> int:
    """All in the pool decide on one of the `remaining` cells: returns how many take it, changes the pool."""
    if remaining == 0:
        return 0
    left = np.arange(pool.shape[-1])
    taken = rng.binomial(pool, np.minimum(left / remaining, 1.0))
    pool -= taken
    pool[..., :-1] += taken[..., 1:]
    return int(taken.sum())


def _draw(pool: Population, people: int, rng: np.random.Generator) -> Population:
    """How many of `people` drawn uniformly from a pool are of each kind."""
    if people == 0:
        return np.zeros_like(pool)
    if people == pool.sum():
        return pool.copy()
    return rng.multivariate_hypergeometric(pool.ravel(), people, method="marginals").reshape(pool.shape)


def _batches(population: Population) -> Iterator[Population]:
    """The same people in groups that `_draw` can take: of bounded size or, if those are many, of one type."""
    users = int(population.sum())
    edges = np.concatenate([[0], np.cumsum(population)])
    if users > DRAWABLE * len(population):
        yield from np.diag(population)
    else:
        for start in range(0, users, DRAWABLE):
            yield np.diff(np.clip(edges, start, start + DRAWABLE))
