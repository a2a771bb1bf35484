"""Orbits: sizes and costs by enumeration of all characters."""

from __future__ import annotations

import numpy as np
import pytest
from slow_invariant import TABLES, cells_of, interactions, orbit_of, orbits

import lowkey as lk
from lowkey.optimize.invariant.orbits import UNWANTED, Orbits
from lowkey.workloads.interactions import Interactions

BOTH = pytest.mark.parametrize("labels_alike", [True, False])
EACH = pytest.mark.parametrize("name", TABLES)


@BOTH
@EACH
def test_sizes_and_costs_are_those_of_all_characters_counted(name: str, labels_alike: bool) -> None:
    found = orbits(TABLES[name], labels_alike)
    known = interactions(TABLES[name])
    counted: dict[object, list[float]] = {}
    for k in cells_of(known.sizes):
        weight = known.weights.get(tuple(a for a, value in enumerate(k) if value))
        if weight:
            counted.setdefault(orbit_of(found, k), []).append(weight)
    assert found.count == len(counted)
    expected = np.array(sorted((len(g), g[0]) for g in counted.values()))
    np.testing.assert_allclose(sorted(zip(found.members, found.weights, strict=True)), expected)
    np.testing.assert_allclose(found.costs, found.members**2 * found.weights)
    assert found.constant == pytest.approx(sum(sum(g) for g in counted.values()))


@BOTH
@EACH
def test_characters_have_one_orbit_when_nothing_tells_them_apart(name: str, labels_alike: bool) -> None:
    found = orbits(TABLES[name], labels_alike)
    known = interactions(TABLES[name])
    slots = [number for number, members in enumerate(found.classes) for _ in members]
    order = [attribute for members in found.classes for attribute in members]
    characters = [k for k in cells_of(known.sizes) if any(k)]
    numbers = found.of(slots, np.array([[k[a] for a in order] for k in characters]))
    assert set(numbers[numbers != UNWANTED]) == set(range(found.count))
    same: dict[object, set[int]] = {}
    for k, number in zip(characters, numbers.tolist(), strict=True):
        wanted = tuple(a for a, value in enumerate(k) if value) in known.weights
        assert wanted == (number != UNWANTED)
        if wanted:
            same.setdefault(orbit_of(found, k), set()).add(number)
    assert all(len(met) == 1 for met in same.values())
    assert len(set.union(*same.values())) == len(same)


def test_more_attributes_than_any_query_combines_are_unwanted() -> None:
    found = orbits(lk.workloads.parity(5, 2), labels_alike=True)
    characters = np.array([[1, 1, 1], [1, 1, 0], [0, 0, 1], [0, 0, 0]])
    numbers = found.of([0, 0, 0], characters)
    assert numbers[0] == numbers[3] == UNWANTED
    assert numbers[1] != numbers[2]


def test_values_beyond_two_bytes_are_told_apart() -> None:
    size = 2**16 + 3
    found = orbits(lk.workloads.histogram(size), labels_alike=False)
    assert found.count == (size - 1) // 2
    one, beyond = found.of([0], np.array([[1], [2**16 + 1]]))
    assert one != beyond


def test_classes_that_are_nearly_alike_share_their_mean() -> None:
    """What is minimised is the variance of the strategies that treat them alike, whatever their weights are."""
    uneven = Interactions((2, 2, 2), {(0,): 1.0, (1,): 2.0, (2,): 6.0})
    assert Orbits(uneven, ((0, 1, 2),), labels_alike=True).types == {(1,): 3.0}
