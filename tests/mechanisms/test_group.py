"""Base patterns with all shifts: the matrix, its characters, what is drawn, and what is refused."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import scipy.stats

import lowkey as lk
from invariant_cases import cells, eigenvalues, information_matrix, queries, random_group, tables
from lowkey.errors import InvalidInput, QueryNotAnswerable, TooLarge
from lowkey.mechanisms.group import GroupMechanism
from lowkey.mechanisms.two_level import high_level
from lowkey.workloads.interactions import Interactions, interactions_of

DOMAINS = [(2, 3, 4), (2, 2, 2, 2), (3, 3, 3), (5,), (2, 1, 3)]


@pytest.mark.parametrize("sizes", DOMAINS)
def test_the_matrix_is_the_definition(sizes: tuple[int, ...]) -> None:
    """Q[(b,t), u] = θ_b s_b(u − t)/Σ s_b."""
    mechanism = random_group(0, sizes)
    expected = []
    for share, pattern in zip(mechanism.probabilities, mechanism.patterns, strict=True):
        level = dict(zip(cells(sizes), np.where(pattern, math.e, 1.0), strict=True))
        for t in cells(sizes):
            shifted = [tuple((a - b) % n for a, b, n in zip(u, t, sizes, strict=True)) for u in cells(sizes)]
            expected.append([share * level[v] / sum(level.values()) for v in shifted])
    np.testing.assert_allclose(mechanism.to_dense(), expected, rtol=1e-13)


@pytest.mark.parametrize("sizes", DOMAINS)
def test_columns_sum_to_one_and_no_ratio_exceeds_the_high_level(sizes: tuple[int, ...]) -> None:
    strategy = random_group(1, sizes).to_dense()
    np.testing.assert_allclose(strategy.sum(axis=0), 1, rtol=1e-12)
    limit = Fraction(high_level(1.0)) * Fraction(1 + 2.0**-52)
    assert all(Fraction(float(row.max())) <= limit * Fraction(float(row.min())) for row in strategy)


@pytest.mark.parametrize("sizes", DOMAINS)
@pytest.mark.parametrize("epsilon", [1e-3, 1.0, 5.0])
def test_the_spectrum_holds_the_eigenvalues(sizes: tuple[int, ...], epsilon: float) -> None:
    mechanism = random_group(2, sizes, epsilon=epsilon)
    expected = eigenvalues(mechanism.to_dense(), sizes)
    np.testing.assert_allclose(mechanism.spectrum.ravel(), expected, rtol=1e-8, atol=1e-14)
    assert mechanism.spectrum.flat[0] == pytest.approx(1, abs=1e-15)


def test_interactions_are_parts_of_the_spectrum() -> None:
    mechanism = random_group(3, (2, 3, 4))
    np.testing.assert_array_equal(mechanism.interaction((1, 2)), mechanism.spectrum[0, 1:, 1:])
    np.testing.assert_array_equal(mechanism.interaction((2, 1)), mechanism.spectrum[0, 1:, 1:].T)
    np.testing.assert_array_equal(mechanism.interaction(()), 1)


@pytest.mark.parametrize("sizes", [(2, 3, 4), (2, 2, 2, 2), (3, 3, 3)])
def test_the_variance_is_that_of_the_matrix(sizes: tuple[int, ...]) -> None:
    asked = tables(sizes, (0, 1), (2,), (0, 1, 2))
    mechanism = random_group(4, sizes)
    dense = lk.analyze(
        lk.workloads.from_matrix(queries(sizes, asked)), lk.mechanisms.DenseMechanism(mechanism.to_dense(), 1.0)
    )
    np.testing.assert_allclose(dense.per_type, mechanism.variance(interactions_of(sizes, asked)), rtol=1e-9)


def test_what_no_pattern_shows_is_not_answerable() -> None:
    """The pattern depends on the first attribute alone."""
    mechanism = GroupMechanism((2, 3), np.array([[True] * 3 + [False] * 3]), [1.0], 1.0)
    assert mechanism.variance(Interactions((2, 3), {(0,): 1.0, (1,): 0.0})) > 0
    with pytest.raises(QueryNotAnswerable, match="do not determine what depends on attributes 0, 1 together"):
        mechanism.variance(Interactions((2, 3), {(0, 1): 1.0}))


def test_interactions_over_other_attributes_are_refused() -> None:
    with pytest.raises(InvalidInput, match=r"the workload's attributes is of sizes .3, 2.; expected sizes .2, 3"):
        random_group(0, (2, 3)).variance(Interactions((3, 2), {}))


@pytest.mark.parametrize("sizes", DOMAINS)
def test_distinct_rows_tell_as_much(sizes: tuple[int, ...]) -> None:
    mechanism, even = random_group(5, sizes), np.full(math.prod(sizes), 1 / math.prod(sizes))
    listed = mechanism.distinct()
    np.testing.assert_allclose(
        information_matrix(listed.to_dense(), even), information_matrix(mechanism.to_dense(), even), rtol=1e-10
    )
    assert len(np.unique(listed.patterns, axis=0)) == listed.shape[0]


def test_a_list_of_outputs_beyond_the_limit_is_refused() -> None:
    with pytest.raises(TooLarge, match=r"the list of outputs of group is \d\d × 16; expected at most 100 entries"):
        random_group(0, (2, 2, 2, 2)).distinct(limit=100)


def check_frequencies(counts: Any, expected: Any) -> None:
    """Chi-square with a fixed seed: refuses one in a thousand of correct samplers."""
    assert counts.sum() == pytest.approx(expected.sum())
    assert scipy.stats.chisquare(counts, expected * (counts.sum() / expected.sum())).pvalue > 1e-3


@pytest.mark.parametrize("sizes", [(2, 3, 4), (2, 2, 2)])
def test_reports_are_as_frequent_as_the_matrix_says(sizes: tuple[int, ...]) -> None:
    mechanism = random_group(6, sizes)
    place = np.array([[size - 1 for size in sizes]])
    outputs = mechanism.report(np.repeat(place, 10**5, axis=0), np.random.default_rng(1))
    counts = np.bincount(outputs, minlength=mechanism.shape[0])
    check_frequencies(counts, 1e5 * mechanism.to_dense()[:, -1])


@pytest.mark.parametrize("people", [10, 4000, 10**8])
def test_simulated_counts_are_as_frequent_as_the_matrix_says(people: int) -> None:
    """Few in a cell are drawn one by one, many together."""
    mechanism = random_group(7, (2, 3, 4))
    x = np.arange(24) * people
    responses = mechanism.simulate(x, np.random.default_rng(2))
    assert responses.users == x.sum()
    check_frequencies(responses.values, mechanism.to_dense() @ x)


def test_responses_of_many_outputs_name_those_that_occurred(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism, x = random_group(8, (2, 3)), np.array([3, 0, 0, 0, 1, 0])
    listed = mechanism.simulate(x, np.random.default_rng(3))
    monkeypatch.setattr("lowkey.mechanisms.group.LISTED_RESPONSES", 10)
    sparse = mechanism.simulate(x, np.random.default_rng(3))
    assert sparse.outputs is not None
    np.testing.assert_array_equal(sparse.all_values(18), listed.values)
    np.testing.assert_array_equal(sparse.outputs, listed.tally()[0])


def test_it_keeps_its_epsilon_and_none_smaller() -> None:
    assert random_group(0, (2, 3)).is_ldp(1.0)
    assert not random_group(0, (2, 3)).is_ldp(0.999)
    assert GroupMechanism((2,), [[True, True]], [1.0], 1.0).is_ldp(1e-9)


def test_packed_patterns_are_taken_as_they_are() -> None:
    mechanism = random_group(9, (3, 3))
    packed = GroupMechanism((3, 3), np.packbits(mechanism.patterns, axis=1), mechanism.probabilities, 1.0)
    np.testing.assert_array_equal(packed.patterns, mechanism.patterns)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sizes": ()}, "the sizes is .*; expected the number of values of each attribute"),
        ({"sizes": (2, 0)}, "the size of an attribute is 0; expected a whole number of at least 1"),
        ({"sizes": (2, 3)}, "the patterns is an array of shape .1, 4. and type bool; expected booleans with 6 columns"),
        ({"patterns": [[1, 0, 0, 0]]}, "the patterns is an array of shape .1, 4. and type int64"),
        ({"probabilities": [0.5]}, "the probabilities is .0.5. .sum 0.5.; expected 1 positive numbers of sum 1"),
        ({"probabilities": [0.5, 0.5]}, "the probabilities is an array of shape .2,."),
        ({"epsilon": 0}, "epsilon is 0"),
        ({"sizes": (2,) * 40}, "the domain of a base pattern is 1,099,511,627,776 cells"),
    ],
)
def test_what_is_no_mechanism_is_refused(arguments: dict[str, Any], message: str) -> None:
    complete = {"sizes": (2, 2), "patterns": [[True, False, False, False]], "probabilities": [1.0], "epsilon": 1.0}
    with pytest.raises(InvalidInput, match=message):
        GroupMechanism(**{**complete, **arguments})


@pytest.mark.parametrize(
    ("places", "message"),
    [
        ([[0, 3]], "the places is out of range in column 1; expected numbers from 0 to 2 there"),
        ([0, 1], "the places is an array of shape .2,. and type int64; expected whole numbers, one row a person, 2"),
        ([[0.0, 1.0]], "the places is an array of shape .1, 2. and type float64"),
    ],
)
def test_people_elsewhere_are_refused(places: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        random_group(0, (2, 3)).report(places, np.random.default_rng(0))
