"""Subset selection: its closed form is optimal, its best d is best, its simulation is exact."""

import math

import numpy as np
import pytest

from lowkey import workloads
from lowkey.analysis.variance import analyze
from lowkey.checks import Matrix, Vector
from lowkey.errors import InvalidInput
from lowkey.mechanisms import create, subset_selection
from lowkey.mechanisms.subset_selection import SubsetSelection, best_subset_size


@pytest.mark.parametrize(("n", "d"), [(2, 1), (5, 1), (5, 2), (6, 5), (9, 4)])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 5.0])
def test_closed_form_is_the_best_decoder(n: int, d: int, epsilon: float) -> None:
    for workload in (workloads.histogram(n), workloads.prefix(n), workloads.all_range(n)):
        listed = analyze(workload, create("subset_selection", n, epsilon, d=d, explicit=True))
        closed = analyze(workload, create("subset_selection", n, epsilon, d=d, explicit=False))
        np.testing.assert_allclose(closed.per_type, listed.per_type, rtol=1e-8)


@pytest.mark.parametrize("n", [2, 3, 8, 12])
@pytest.mark.parametrize("epsilon", [0.1, 1.0, 2.0, 5.0])
def test_default_size_has_the_least_variance_on_a_histogram(n: int, epsilon: float) -> None:
    histogram = workloads.histogram(n)
    variances = {
        d: analyze(histogram, create("subset_selection", n, epsilon, d=d, explicit=False)).worst_case
        for d in range(1, n)
    }
    chosen = analyze(histogram, create("subset_selection", n, epsilon)).worst_case
    assert chosen == pytest.approx(min(variances.values()), rel=1e-9)


def test_default_size_is_about_n_over_one_plus_e() -> None:
    assert [best_subset_size(1000, epsilon) for epsilon in (0.01, 1.0, 3.0, 12.0)] == [498, 269, 47, 1]


def test_one_cell_is_randomized_response() -> None:
    one = create("subset_selection", 6, 1.0, d=1, explicit=True).to_dense()
    np.testing.assert_allclose(one, create("randomized_response", 6, 1.0).to_dense(), rtol=1e-12)


@pytest.mark.parametrize(("n", "d"), [(5, 0), (5, 5), (1, 2), (5, 2.5)])
def test_size_must_leave_a_cell_out(n: int, d: object) -> None:
    with pytest.raises(InvalidInput, match=r"d is .*; expected"):
        create("subset_selection", n, 1.0, d=d)


def mean_and_covariance(mechanism: SubsetSelection, cell: int) -> tuple[Vector, Matrix]:
    strategy = mechanism.to_dense()
    patterns = strategy > strategy.min()
    mean = strategy[:, cell] @ patterns
    return mean, (patterns * strategy[:, [cell]]).T @ patterns - np.outer(mean, mean)


@pytest.mark.parametrize("bound", [10**9 - 1, 7, 2], ids=["one batch", "some batches", "by type"])
def test_counts_have_the_right_mean_and_covariance(bound: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole, in batches of 7 people, and type by type: 12 people in 5 cells, many times."""
    monkeypatch.setattr(subset_selection, "DRAWABLE", bound)
    mechanism = SubsetSelection(5, 1.0, 2)
    people = np.array([4, 0, 5, 1, 2])
    rng, runs = np.random.default_rng(5), 2000
    draws = np.array([mechanism.simulate(people, rng).values for _ in range(runs)])
    assert (draws.sum(axis=1) == 24).all()
    moments = [mean_and_covariance(mechanism, cell) for cell in range(5)]
    mean = sum(count * moment[0] for count, moment in zip(people, moments, strict=True))
    covariance = sum(count * moment[1] for count, moment in zip(people, moments, strict=True))
    np.testing.assert_allclose(draws.mean(axis=0), mean, atol=5 * math.sqrt(3.0 / runs))
    np.testing.assert_allclose(np.cov(draws.T), covariance, atol=5 * 3.0 * math.sqrt(2.0 / runs))


def test_single_people_report_each_set_as_often_as_they_should() -> None:
    mechanism = SubsetSelection(4, 1.0, 2)
    strategy = mechanism.to_dense()
    patterns = (strategy > strategy.min()).astype(float)
    rng, runs = np.random.default_rng(6), 4000
    person = np.eye(4)[2]
    seen = np.zeros(6)
    for _ in range(runs):
        values = mechanism.simulate(person, rng).values
        seen[np.flatnonzero((patterns == values).all(axis=1))] += 1
    expected = runs * strategy[:, 2]
    chi_square = ((seen - expected) ** 2 / expected).sum()
    assert seen.sum() == runs
    assert chi_square < 20.5  # 99.9% of χ² with 5 degrees of freedom


@pytest.mark.parametrize("people", [[3, 0, 9], [0, 0, 0], [25, 25, 25], [1, 1, 1]])
def test_batches_are_the_population(people: list[int], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(subset_selection, "DRAWABLE", 10)
    batches = [np.zeros(3, dtype=np.int64), *subset_selection._batches(np.array(people))]
    assert sum(batches).tolist() == people  # type: ignore[union-attr]
    for batch in batches:
        assert batch.sum() <= 10 or np.count_nonzero(batch) == 1


def test_a_trillion_people_in_a_hundred_cells() -> None:
    people = np.full(100, 10**10)
    mechanism = create("subset_selection", 100, 1.0)
    responses = mechanism.simulate(people, np.random.default_rng(1))
    error = mechanism.closed_form_estimate(responses) - people
    variance = analyze(workloads.histogram(100), mechanism).total_variance(people)
    assert 0.3 * variance < (error**2).sum() < 2 * variance
