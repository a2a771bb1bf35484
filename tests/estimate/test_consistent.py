"""WNNLS: against slow exact solvers, its certificate, the fixed total, and hard workloads."""

import itertools
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import nnls

from lowkey import workloads
from lowkey.checks import Matrix, Vector
from lowkey.errors import NotConverged
from lowkey.estimate import consistent
from lowkey.estimate.consistent import consistent_cells
from lowkey.workloads import Workload

SMALL = [
    workloads.histogram(5),
    workloads.prefix(6),
    workloads.all_range(5),
    workloads.all_marginals([2, 3]),
    workloads.k_way_marginals([2, 2, 2], 1),
    workloads.parity(3, 2),
    workloads.from_matrix([[1, 2, 0, 0], [0, 1, 1, -1.0]]),
    workloads.stack([workloads.prefix(5), workloads.histogram(5)], weights=[100, 0.01]),
]
small_workloads = pytest.mark.parametrize("workload", SMALL, ids=lambda w: f"{w.name}-{w.shape[1]}")


def supports(n: int) -> Iterator[list[int]]:
    for size in range(n + 1):
        yield from (list(support) for support in itertools.combinations(range(n), size))


def exact(dense: Matrix, cells: Vector, total: float | None) -> Vector:
    """Enumeration: least squares on every support, the best feasible one. Each optimum is one of these."""
    target, n = dense @ cells, dense.shape[1]
    best, least = np.zeros(n), np.inf if total is not None else float(target @ target)
    for support in supports(n):
        if not support:
            continue
        columns = dense[:, support]
        ones = np.ones((1, len(support)))
        if total is None:
            own = np.linalg.lstsq(columns, target)[0]
        else:
            system = np.block([[columns.T @ columns, ones.T], [ones, np.zeros((1, 1))]])
            own = np.linalg.lstsq(system, np.append(columns.T @ target, total))[0][:-1]
        feasible = (own >= -1e-9 * np.abs(cells).sum()).all() and (
            total is None or abs(own.sum() - total) < 1e-6 * total
        )
        loss = float(np.sum((columns @ own - target) ** 2))
        if feasible and loss < least:
            best, least = np.zeros(n), loss
            best[support] = own
    return best


def noisy_cells(n: int, seed: int) -> Vector:
    rng = np.random.default_rng(seed)
    return rng.multinomial(1000, rng.dirichlet(np.full(n, 0.5))) + rng.normal(0, rng.choice([5.0, 100.0, 1000.0]), n)


@small_workloads
@pytest.mark.parametrize("total", [None, 1000.0])
def test_answers_are_those_of_the_enumeration_of_all_supports(workload: Workload, total: float | None) -> None:
    dense = workload.to_dense()
    for seed in range(12):
        cells = noisy_cells(workload.shape[1], seed)
        found = consistent_cells(workload, cells, total)
        expected = exact(dense, cells, total)
        scale = float(np.linalg.norm(dense @ cells)) + float(np.linalg.norm(dense @ np.full(len(cells), 200.0)))
        np.testing.assert_allclose(dense @ found.cells, dense @ expected, atol=1e-6 * scale)
        assert found.distance <= 1e-6


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 40), st.integers(0, 10**6), st.booleans())
def test_prefix_and_ranges_agree_with_lawson_and_hanson(n: int, seed: int, ranges: bool) -> None:
    """scipy.optimize.nnls on the Cholesky factor, an active-set method: for these, G = WᵀW is definite."""
    workload = workloads.all_range(n) if ranges else workloads.prefix(n)
    cells = noisy_cells(n, seed)
    root = np.linalg.cholesky(workload.gram()).T
    expected, _ = nnls(root, root @ cells)
    found = consistent_cells(workload, cells).cells
    assert np.linalg.norm(root @ (found - expected)) <= 1e-6 * np.linalg.norm(root @ cells)


@pytest.mark.parametrize("name", ["prefix", "all_range"])
@pytest.mark.parametrize("noise", [1.0, 30.0])
def test_ill_conditioned_workloads_of_512_cells_agree_with_lawson_and_hanson(name: str, noise: float) -> None:
    """The condition of G is 4e5 and 1e5 here: first-order methods stop short."""
    workload: Workload = getattr(workloads, name)(512)
    rng = np.random.default_rng(3)
    cells = rng.multinomial(10**4, rng.dirichlet(np.full(512, 0.3))) + rng.normal(0, noise, 512)
    root = np.linalg.cholesky(workload.gram()).T
    expected, _ = nnls(root, root @ cells, maxiter=10_000)
    found = consistent_cells(workload, cells)
    assert np.linalg.norm(root @ (found.cells - expected)) <= 2e-7 * np.linalg.norm(root @ cells)
    assert np.abs(found.cells - expected).max() <= 1e-4 * np.abs(expected).max()
    assert found.distance <= 1e-7


def test_a_fixed_total_on_the_simplex_is_the_known_projection() -> None:
    """For the histogram WNNLS is the Euclidean projection: x̂ shifted and clipped so that it sums to the total."""
    cells = np.array([5.0, -1.0, 2.0, 0.4])
    found = consistent_cells(workloads.histogram(4), cells, total=6)
    np.testing.assert_allclose(found.cells, [4.5, 0, 1.5, 0], atol=1e-6)


@small_workloads
@pytest.mark.parametrize("total", [1.0, 1000.0, 1e9])
def test_the_total_is_kept_to_rounding_and_no_cell_is_negative(workload: Workload, total: float) -> None:
    for seed in range(6):
        found = consistent_cells(workload, noisy_cells(workload.shape[1], seed), total)
        assert found.cells.sum() == pytest.approx(total, rel=1e-14)
        assert (found.cells >= 0).all()


@small_workloads
def test_the_certificate_bounds_the_true_distance(workload: Workload, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped early, the result is still within what it claims of the exact answers."""
    dense = workload.to_dense()
    monkeypatch.setattr(consistent, "ACCEPTED", np.inf)
    for steps, total in itertools.product([0, 1, 3, 6], [None, 1000.0]):
        monkeypatch.setattr(consistent, "MOST_STEPS", steps)
        for seed in range(4):
            cells = noisy_cells(workload.shape[1], seed)
            found = consistent_cells(workload, cells, total)
            size = np.linalg.norm(dense @ cells)
            if total is not None:
                size = max(size, np.linalg.norm(dense @ np.full(len(cells), total / len(cells))))
            distance = np.linalg.norm(dense @ (found.cells - exact(dense, cells, total)))
            assert distance <= (found.distance + 1e-6) * size


def test_cells_that_are_feasible_already_are_kept() -> None:
    cells = np.array([3.0, 1.0, 4.0, 1.0, 5.0])
    for total in (None, 14.0):
        found = consistent_cells(workloads.all_range(5), cells, total)
        np.testing.assert_allclose(found.cells, cells, atol=1e-5)


def test_cells_at_their_bound_are_exactly_zero() -> None:
    found = consistent_cells(workloads.histogram(4), np.array([8.0, -3.0, -40.0, 5.0]))
    assert found.cells[1] == found.cells[2] == 0


def test_cells_that_no_query_counts_hold_nobody_unless_the_total_needs_them() -> None:
    first_of_three = workloads.from_matrix([[1, 0, 0]])
    cells = np.array([7.0, 0.0, 0.0])
    np.testing.assert_allclose(consistent_cells(first_of_three, cells).cells, [7, 0, 0], atol=1e-5)
    np.testing.assert_allclose(consistent_cells(first_of_three, cells, total=10).cells, [7, 1.5, 1.5], atol=1e-4)


@pytest.mark.parametrize("total", [None, 12.0])
def test_answers_of_zero_all_over(total: float | None) -> None:
    found = consistent_cells(workloads.prefix(4), np.zeros(4), total)
    if total is None:
        np.testing.assert_array_equal(found.cells, np.zeros(4))
    else:
        np.testing.assert_allclose(found.cells, [0, 0, 0, 12], atol=1e-5)


def test_contrasts_that_vanish_are_met_by_an_even_spread() -> None:
    contrast = workloads.from_matrix([[1, -1, 0], [0, 1, -1]])
    np.testing.assert_array_equal(consistent_cells(contrast, np.zeros(3), total=6).cells, [2, 2, 2])


def test_what_is_not_proved_is_not_handed_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consistent, "MOST_STEPS", 1)
    with pytest.raises(NotConverged, match=r"proved only to .*expected 1e-05.*unbiased"):
        consistent_cells(workloads.prefix(20), noisy_cells(20, 0))


@pytest.mark.slow
def test_4096_cells_take_less_than_a_minute() -> None:
    rng = np.random.default_rng(0)
    cells = rng.multinomial(10**5, rng.dirichlet(np.full(4096, 0.3))) + rng.normal(0, 30, 4096)
    for total in (None, 10**5):
        assert consistent_cells(workloads.all_range(4096), cells, total).distance <= 1e-7
