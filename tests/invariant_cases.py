"""Small shift-invariant mechanisms, and the slow definitions that they must agree with."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lowkey.checks import Matrix, Vector
from lowkey.mechanisms.group import GroupMechanism
from lowkey.mechanisms.junta import Junta, JuntaMechanism
from lowkey.workloads.base import Indices, Workload
from lowkey.workloads.interactions import Interactions, Table, interactions_of
from lowkey.workloads.wording import Axis

Bits = npt.NDArray[np.bool_]


def random_group(seed: int, sizes: tuple[int, ...], count: int = 3, epsilon: float = 1.0) -> GroupMechanism:
    rng = np.random.default_rng(seed)
    patterns = rng.random((count, math.prod(sizes))) < rng.uniform(0.2, 0.8)
    return GroupMechanism(sizes, patterns, rng.dirichlet(np.ones(count)), epsilon)


def cells(sizes: tuple[int, ...]) -> list[tuple[int, ...]]:
    """All cells, row-major."""
    return list(itertools.product(*(range(size) for size in sizes)))


def characters(sizes: tuple[int, ...]) -> npt.NDArray[np.complex128]:
    """ω^{−k·u}: a row k, a column u."""
    phases = np.zeros((math.prod(sizes),) * 2)
    for row, k in enumerate(cells(sizes)):
        phases[row] = [sum(a * b / n for a, b, n in zip(k, u, sizes, strict=True)) for u in cells(sizes)]
    waves: npt.NDArray[np.complex128] = np.exp(-2j * np.pi * phases)
    return waves


def eigenvalues(strategy: Matrix, sizes: tuple[int, ...]) -> Vector:
    """Of X/n, along each character; the characters are checked to be eigenvectors."""
    n = strategy.shape[1]
    information = strategy.T @ (strategy / strategy.mean(axis=1)[:, None]) / n
    waves = characters(sizes).conj().T
    images = information @ waves
    values: Vector = (images / waves).real.mean(axis=0)
    np.testing.assert_allclose(images, waves * values, atol=1e-12)
    return values


def queries(sizes: tuple[int, ...], tables: list[Table]) -> Matrix:
    """The tables' queries, one a row, in the order of their numbers."""
    rows: dict[int, Vector] = {}
    for table in tables:
        if table.is_parity:
            parity = [(-1) ** sum(u[i] for i in table.attributes) for u in cells(sizes)]
            rows[table.start] = table.weight * np.array(parity, dtype=float)
            continue
        for number, c in enumerate(cells(tuple(sizes[i] for i in table.attributes))):
            member = [tuple(u[i] for i in table.attributes) == c for u in cells(sizes)]
            rows[table.start + number] = table.weight * np.array(member, dtype=float)
    return np.array([rows[number] for number in sorted(rows)])


def tables(
    sizes: tuple[int, ...], *marginals: tuple[int, ...], parities: tuple[tuple[int, ...], ...] = ()
) -> list[Table]:
    """Marginals with the weights 1, 1.5, 2, …, then parities of weight 0.7."""
    found, start = [], 0
    for number, attributes in enumerate(marginals):
        found.append(Table(attributes, 1 + number / 2, start))
        start += math.prod(sizes[i] for i in attributes)
    for attributes in parities:
        found.append(Table(attributes, 0.7, start, is_parity=True))
        start += 1
    return found


def random_juntas(seed: int, epsilon: float = 1.0) -> JuntaMechanism:
    """Over (2, 3, 2, 3, 2): a pool of three, two pools at once, single attributes, a symmetric pattern and others."""
    rng = np.random.default_rng(seed)
    triple = rng.random((2, 2, 2)) < 0.5
    triple[0, 0, 1], triple[0, 1, 0], triple[1, 0, 0] = True, False, False
    juntas = [
        Junta(np.eye(2, dtype=bool), [(0, 2, 4)] * 2, 0.3),
        Junta(triple, [(0, 2, 4)] * 3, 0.2),
        Junta(rng.random((3, 2, 3)) < 0.4, [(1, 3), (4, 2), (1, 3)], 0.25),
        Junta(rng.random((3, 2, 2)) < 0.4, [(3,), (0, 4), (2,)], 0.1),
        Junta(np.arange(3) == 1, [(1, 3)], 0.15),
    ]
    return JuntaMechanism((2, 3, 2, 3, 2), juntas, epsilon)


def threshold(slots: int, pool: Iterable[int], least: int, share: float = 1.0) -> Junta:
    """A symmetric junta: at least so many ones."""
    return Junta(np.indices((2,) * slots).sum(axis=0) >= least, [tuple(pool)] * slots, share)


class TableWorkload(Workload):
    """Marginals and parities as nothing but tables: queries are listed only when asked for."""

    def __init__(self, sizes: tuple[int, ...], asked: list[Table]) -> None:
        self.name = "tables"
        self.shape = (
            sum(1 if t.is_parity else math.prod(sizes[i] for i in t.attributes) for t in asked),
            math.prod(sizes),
        )
        self._sizes, self._tables = sizes, tuple(asked)

    @property
    def sizes(self) -> tuple[int, ...]:
        return self._sizes

    @cached_property
    def interactions(self) -> Interactions:
        return interactions_of(self._sizes, self._tables)

    @property
    def dense(self) -> Matrix:
        return queries(self._sizes, list(self._tables))

    def tables(self) -> tuple[Table, ...]:
        return self._tables

    def describe(self, query: int, axes: Sequence[Axis]) -> str:
        return f"query {query}"

    def document(self) -> dict[str, object]:
        return {}

    def _matvec(self, x: Matrix) -> Matrix:
        return self.dense @ x

    def _rmatvec(self, v: Matrix) -> Matrix:
        return self.dense.T @ v

    def _rows(self, queries: Indices) -> Matrix:
        return self.dense[queries]


def information_matrix(strategy: Matrix, prior: Vector) -> Matrix:
    """X = Qᵀ Diag(Qπ)⁻¹ Q."""
    return strategy.T @ (strategy / (strategy @ prior)[:, None])
