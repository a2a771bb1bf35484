"""Consistent tables: the laws by enumeration, WNNLS on the cells, Dykstra's projections, and the certificate."""

from __future__ import annotations

import itertools
import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from invariant_cases import queries, tables
from lowkey import workloads
from lowkey.checks import Matrix, Vector
from lowkey.errors import NotConverged
from lowkey.estimate import table_projection
from lowkey.estimate.consistent import consistent_cells
from lowkey.estimate.consistent_tables import consistent_tables
from lowkey.workloads.interactions import Table

TOTAL = 100
ASKED = {
    "chain": ((2, 3, 2), tables((2, 3, 2), (0, 1), (1, 2))),
    "cycle": ((2, 2, 2, 2), tables((2,) * 4, (0, 1), (1, 2), (2, 3), (3, 0))),
    "repeated, unordered, total": ((3, 2, 2), tables((3, 2, 2), (1, 0), (0, 1), (), (2, 0), (2,), (0, 1))),
    "single values": ((2, 1, 3), tables((2, 1, 3), (0, 1), (1,), (2, 1, 0), (2, 1))),
    "parities": ((2,) * 4, tables((2,) * 4, (0, 1), (2, 1), parities=((0, 1), (), (3,), (0, 2, 3), (0, 1)))),
    "one table and parts": ((2, 3, 2), tables((2, 3, 2), (2, 0, 1), (0,), (1, 2), parities=((0, 2),))),
    "negative weight": ((2, 3), [Table((1, 0), -2.0, 0), Table((0,), 1.0, 6), Table((0,), -3.0, 8, is_parity=True)]),
}
cases = pytest.mark.parametrize("case", ASKED)


def noisy(case: str, seed: int, noise: float = 30.0) -> Vector:
    """Answers of a population with noise on each query."""
    sizes, asked = ASKED[case]
    rng = np.random.default_rng(seed)
    people = rng.multinomial(TOTAL, rng.dirichlet(np.full(math.prod(sizes), 0.3)))
    answers: Vector = queries(sizes, asked) @ people
    return answers + rng.normal(0, noise, len(answers))


def unweighted(table: Table, sizes: tuple[int, ...], answers: Vector) -> Matrix:
    """A marginal's cells."""
    shape = [sizes[attribute] for attribute in table.attributes]
    return answers[table.start : table.start + math.prod(shape)].reshape(shape) / table.weight


def on(shared: set[int], table: Table, cells: Matrix) -> Matrix:
    """Its marginal over the shared attributes, ascending."""
    others = tuple(axis for axis, attribute in enumerate(table.attributes) if attribute not in shared)
    kept = [attribute for attribute in table.attributes if attribute in shared]
    marginal: Matrix = cells.sum(axis=others).transpose(np.argsort(kept).tolist())
    return marginal


def character(table: Table, parity: Table, cells: Matrix) -> float:
    """The parity of a table that holds its attributes."""
    signs = sum(
        place * (attribute in parity.attributes)
        for place, attribute in zip(np.indices(cells.shape), table.attributes, strict=True)
    )
    return float(np.sum((-1.0) ** signs * cells))


@cases
@pytest.mark.parametrize("seed", range(4))
def test_any_two_tables_agree_and_none_is_negative(case: str, seed: int) -> None:
    sizes, asked = ASKED[case]
    answers = consistent_tables(sizes, asked, noisy(case, seed), TOTAL).answers
    marginals = [(table, unweighted(table, sizes, answers)) for table in asked if not table.is_parity]
    for _, cells in marginals:
        assert (cells >= 0).all()
        assert cells.sum() == pytest.approx(TOTAL, rel=1e-12)
    for (one, first), (other, second) in itertools.combinations(marginals, 2):
        shared = set(one.attributes) & set(other.attributes)
        np.testing.assert_allclose(on(shared, one, first), on(shared, other, second), atol=1e-9 * TOTAL)


@cases
@pytest.mark.parametrize("seed", range(4))
def test_parities_are_those_of_the_tables_and_within_the_total(case: str, seed: int) -> None:
    sizes, asked = ASKED[case]
    answers = consistent_tables(sizes, asked, noisy(case, seed), TOTAL).answers
    for parity in (table for table in asked if table.is_parity):
        value = answers[parity.start] / parity.weight
        assert abs(value) <= TOTAL * (1 + 1e-12)
        for table in asked:
            if not table.is_parity and set(parity.attributes) <= set(table.attributes):
                cells = unweighted(table, sizes, answers)
                assert value == pytest.approx(character(table, parity, cells), abs=1e-9 * TOTAL)


@cases
def test_tables_that_agree_and_are_not_negative_are_kept(case: str) -> None:
    answers = noisy(case, 0, noise=0.0)
    found = consistent_tables(*ASKED[case], answers, TOTAL)
    assert found.distance <= 1e-6
    np.testing.assert_allclose(found.answers, answers, atol=1e-6 * float(np.linalg.norm(answers)))


@cases
def test_doing_it_again_changes_nothing(case: str) -> None:
    once = consistent_tables(*ASKED[case], noisy(case, 1), TOTAL).answers
    again = consistent_tables(*ASKED[case], once, TOTAL).answers
    np.testing.assert_allclose(again, once, atol=2e-6 * float(np.linalg.norm(once)))


@settings(max_examples=25, deadline=None)
@given(st.lists(st.integers(1, 4), min_size=1, max_size=3), st.floats(0.1, 300), st.integers(0, 10**6))
def test_one_table_over_all_attributes_is_wnnls(sizes: list[int], noise: float, seed: int) -> None:
    workload = workloads.all_marginals(sizes)
    rng = np.random.default_rng(seed)
    n = workload.shape[1]
    cells = rng.multinomial(TOTAL, rng.dirichlet(np.full(n, 0.3))) + rng.normal(0, noise, n)
    cells += (TOTAL - cells.sum()) / n
    asked = workload.tables()
    assert asked is not None
    found = consistent_tables(sizes, asked, workload.matvec(cells), TOTAL)
    expected = workload.matvec(consistent_cells(workload, cells, TOTAL).cells)
    assert np.linalg.norm(found.answers - expected) <= 3e-6 * np.linalg.norm(workload.matvec(cells)) + 1e-6 * TOTAL


def agreement(case: str) -> tuple[Vector, Matrix]:
    """The answers of an even spread, and the projection onto what x without people adds: W x over 1ᵀx = 0."""
    rows = queries(*ASKED[case])
    contrasts = rows - rows.mean(axis=1, keepdims=True)
    return rows.mean(axis=1) * TOTAL, contrasts @ np.linalg.pinv(contrasts)


def dykstra(case: str, answers: Vector, rounds: int = 20_000) -> Vector:
    """R. Dykstra's alternating projections: on answers that agree, and on tables and parities within their bounds."""
    sizes, asked = ASKED[case]
    even, onto = agreement(case)
    is_parity = np.concatenate([[table.is_parity] * table.queries(sizes) for table in asked])
    weights = np.concatenate([[table.weight] * table.queries(sizes) for table in asked])
    low, high = np.where(is_parity, -TOTAL, 0), np.where(is_parity, TOTAL, np.inf)
    point, first, second = answers, np.zeros_like(answers), np.zeros_like(answers)
    for _ in range(rounds):
        agreed = even + onto @ (point + first - even)
        first = point + first - agreed
        point = np.clip((agreed + second) / weights, low, high) * weights
        second = agreed + second - point
    return point


@cases
@pytest.mark.parametrize("noise", [5.0, 60.0])
def test_nearest_by_dykstras_projections(case: str, noise: float) -> None:
    answers = noisy(case, 2, noise)
    found = consistent_tables(*ASKED[case], answers, TOTAL).answers
    np.testing.assert_allclose(found, dykstra(case, answers), atol=1e-5 * float(np.linalg.norm(answers)))


@cases
def test_the_certificate_bounds_the_true_distance(case: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped early in either method, the answers are still as near to the best as they claim."""
    answers = noisy(case, 3)
    best = consistent_tables(*ASKED[case], answers, TOTAL).answers
    even, onto = agreement(case)
    size = float(np.linalg.norm(even + onto @ (answers - even)))
    monkeypatch.setattr(table_projection, "ACCEPTED", np.inf)
    monkeypatch.setattr(table_projection, "LOOK", 1)
    for steps, products in [(1, 0), (2, 0), (5, 0), (1, 1), (1, 3), (1, 10), (1, 40)]:
        monkeypatch.setattr(table_projection, "ASCENT_STEPS", steps)
        monkeypatch.setattr(table_projection, "MOST_PRODUCTS", max(products, 1))
        found = consistent_tables(*ASKED[case], answers, TOTAL)
        assert np.linalg.norm(found.answers - best) <= (found.distance + 1e-6) * size


def test_newton_steps_finish_what_the_ascent_leaves(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = noisy("cycle", 5, noise=1000.0)
    expected = consistent_tables(*ASKED["cycle"], answers, TOTAL).answers
    monkeypatch.setattr(table_projection, "ASCENT_STEPS", 1)
    found = consistent_tables(*ASKED["cycle"], answers, TOTAL)
    assert found.distance <= 1e-6
    np.testing.assert_allclose(found.answers, expected, atol=2e-6 * float(np.linalg.norm(answers)))


def test_what_is_not_proved_is_not_handed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_projection, "ASCENT_STEPS", 1)
    monkeypatch.setattr(table_projection, "MOST_PRODUCTS", 0)
    with pytest.raises(NotConverged, match=r"proved only to .*expected 0.05.*unbiased"):
        consistent_tables(*ASKED["cycle"], noisy("cycle", 0, noise=1000.0), TOTAL)


def test_a_total_alone_is_the_total() -> None:
    asked = [Table((), 2.0, 0), Table((), 1.0, 1, is_parity=True)]
    assert consistent_tables((2, 2), asked, np.array([17.0, 3.0]), 5.0).answers.tolist() == [10.0, 5.0]


def test_all_pairs_of_a_hundred_attributes_take_seconds() -> None:
    workload = workloads.k_way_marginals([2] * 100, 2)
    asked = workload.tables()
    assert asked is not None
    rng = np.random.default_rng(0)
    started = time.perf_counter()
    found = consistent_tables(workload.sizes, asked, rng.normal(250, 100, workload.shape[0]), 1000.0)
    assert time.perf_counter() - started < 20
    assert found.distance <= 1e-5
    assert (found.answers >= 0).all()
