"""Patterns over an ordered attribute and others that are drawn: outputs, the matrix, what is reported and refused."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
import scipy.stats

from lowkey.errors import InvalidInput, TooLarge
from lowkey.mechanisms.sampled import SampledMechanism
from sampled_cases import random_sampled, slow_strategy

Case = tuple[tuple[int, ...], int, list[tuple[int, ...]]]
CASES: list[Case] = [
    ((3, 2, 2, 2), 0, [(1, 2, 3)] * 2),
    ((2, 3, 3, 4), 3, [(1, 2), (0,), (1, 2)]),
    ((2, 5, 2), 1, [(0, 2)]),
]


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_matrix_is_that_of_the_definition(case: Case, epsilon: float) -> None:
    mechanism = random_sampled(*case, epsilon)
    strategy = mechanism.to_dense()
    assert strategy.shape == mechanism.shape
    reports = zip(*(part.tolist() for part in mechanism.decode(np.arange(mechanism.shape[0]))), strict=True)
    np.testing.assert_allclose(strategy, [slow_strategy(mechanism, report) for report in reports], rtol=1e-12)
    np.testing.assert_allclose(strategy.sum(axis=0), 1, rtol=1e-12)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("case", CASES, ids=str)
def test_no_ratio_is_above_e_to_epsilon(case: Case, epsilon: float) -> None:
    mechanism = random_sampled(*case, epsilon)
    strategy = mechanism.to_dense()
    assert (strategy.max(axis=1) <= math.exp(epsilon) * strategy.min(axis=1)).all()
    assert mechanism.is_ldp(epsilon)
    assert not mechanism.is_ldp(epsilon * 0.99)


def test_every_number_is_one_output() -> None:
    mechanism = random_sampled((2, 3, 3, 4), 3, [(1, 2), (0,), (1, 2)])
    attributes, patterns, shifts = mechanism.decode(np.arange(mechanism.shape[0]))
    rows = {(*a, s, *t) for a, s, t in zip(attributes.tolist(), patterns.tolist(), shifts.tolist(), strict=True)}
    assert len(rows) == mechanism.shape[0] == 2 * 40 * 18
    assert {a[1] for a in attributes.tolist()} == {0}


@pytest.mark.parametrize("cell", [(0, 1, 2, 3), (1, 0, 0, 0)])
def test_reports_come_as_often_as_the_matrix_says(cell: tuple[int, ...]) -> None:
    mechanism = random_sampled((2, 3, 3, 4), 3, [(1, 2), (0,)], patterns=6)
    column = mechanism.to_dense()[:, np.ravel_multi_index(cell, mechanism.sizes)]
    found = mechanism.report(np.array([cell] * 200_000), np.random.default_rng(3))
    counts = np.bincount(found, minlength=mechanism.shape[0])
    assert scipy.stats.chisquare(counts, 200_000 * column / column.sum()).pvalue > 1e-3


def test_simulated_responses_are_those_of_the_people() -> None:
    mechanism = random_sampled((3, 2, 2), 0, [(1, 2)])
    people = np.arange(12) * 1000
    responses = mechanism.simulate(people, np.random.default_rng(0))
    expected = mechanism.to_dense() @ people
    values = responses.all_values(mechanism.shape[0])
    assert responses.users == people.sum() == values.sum()
    assert scipy.stats.chisquare(values, expected * values.sum() / expected.sum()).pvalue > 1e-3


def test_a_hundred_attributes_beside_the_ordered_one() -> None:
    many = tuple(range(100))
    mechanism = random_sampled((2,) * 100 + (4,), 100, [many] * 3, patterns=20)
    assert mechanism.shape == (100 * 99 * 98 * 20 * 8, 4 * 2**100)
    people = np.zeros((10, 101), dtype=np.int64)
    people[:, 100] = 3
    attributes, _, _ = mechanism.decode(mechanism.report(people, np.random.default_rng(0)))
    assert (attributes < 100).all()
    with pytest.raises(TooLarge, match="strategy matrix"):
        mechanism.to_dense()


BITS = np.zeros((1, 3, 2), dtype=bool)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (((3, 2), 2, [(1,)], BITS, [1.0], 1.0), "the ordered attribute is 2; expected one of the 2 attributes"),
        (((3, 2), 0, [(0,)], BITS, [1.0], 1.0), "with attribute 0; expected other attributes"),
        (((3, 2), 0, [(5,)], BITS, [1.0], 1.0), "with attribute 5; expected other attributes"),
        (((3, 4), 0, [(1,)], BITS, [1.0], 1.0), "of shape .3, 2.; expected an axis of 3 values"),
        (((3, 2, 4), 0, [(1, 2)], BITS, [1.0], 1.0), "of shape .3, 2.; expected an axis of 3 values"),
        (((3, 2), 0, [(1,), (1,)], BITS, [1.0], 1.0), "the pools of the mechanism is"),
        (((3, 2), 0, [(1,)], BITS[0], [1.0], 1.0), "expected booleans"),
        (
            ((3, 2), 0, [(1,)], BITS, [0.9], 1.0),
            "columns of value 0 sum to 0.9; expected weights with which every column",
        ),
        (((3, 2), 0, [(1,)], BITS, [-1.0], 1.0), "expected 1 positive numbers"),
    ],
)
def test_what_is_no_mechanism_is_refused(arguments: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        SampledMechanism(*arguments)
