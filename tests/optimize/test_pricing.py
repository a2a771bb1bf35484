"""Climbing never leads down, and from enough starts it leads to the best of all patterns."""

from __future__ import annotations

import array_api_strict
import numpy as np
import pytest
from two_level_cases import all_patterns, levels_of, problem_of, some_design

import lowkey as lk
from lowkey.checks import Matrix, Vector
from lowkey.optimize.arrays import Arrays
from lowkey.optimize.information import Point, Problem, evaluate
from lowkey.optimize.pricing import climb
from lowkey.optimize.weights import Design, Pace, settle

CASES = [("prefix", 10, 0.3), ("prefix", 9, 1.0), ("prefix", 8, 4.0), ("histogram", 10, 1.0), ("ranges", 8, 2.0)]


def halfway(name: str, cells: int, epsilon: float) -> tuple[Problem, Design, Point]:
    """A problem with a design that is good but lacks patterns."""
    problem = problem_of(getattr(lk.workloads, name)(cells), epsilon)
    return problem, *settle(problem, some_design(cells, epsilon), Pace(), 10)


def surplus(levels: Matrix, prior: Vector, point: Point) -> Vector:
    """(sᵀMs/(πᵀs) − νᵀs) / (πᵀs φ), pattern by pattern."""
    return np.array([(s @ point.middle @ s / (prior @ s) - point.multipliers @ s) / (prior @ s) for s in levels]) / (
        point.value
    )


@pytest.mark.parametrize(("name", "cells", "epsilon"), CASES)
@pytest.mark.parametrize(("tangents", "flips"), [(1, 0), (0, 1)])
def test_no_step_leads_down(name: str, cells: int, epsilon: float, tangents: int, flips: int) -> None:
    """In h(s) = sᵀMs/(πᵀs) − νᵀs, for every pattern as a start."""
    problem, design, point = halfway(name, cells, epsilon)
    starts = levels_of(all_patterns(cells), epsilon)
    ends = climb(problem, starts, design.prior, point, tangents, flips)[0]
    before, after = (surplus(s, design.prior, point) * (s @ design.prior) for s in (starts, ends))
    assert (after >= before - 1e-12 * np.abs(before).max()).all()
    assert (after > before).any()


@pytest.mark.parametrize(("name", "cells", "epsilon"), CASES)
def test_the_best_pattern_of_all_is_found_from_enough_starts(name: str, cells: int, epsilon: float) -> None:
    problem, design, point = halfway(name, cells, epsilon)
    every = levels_of(all_patterns(cells), epsilon)
    starts = np.vstack([design.levels, every[np.random.default_rng(1).integers(len(every), size=8 * cells)]])
    found, _ = climb(problem, starts, design.prior, point, 3, 8)
    best, climbed = (float((surplus(s, design.prior, point) * (s @ design.prior)).max()) for s in (every, found))
    assert climbed == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize(("name", "cells", "epsilon"), CASES)
def test_a_single_flip_is_the_best_of_the_n(name: str, cells: int, epsilon: float) -> None:
    problem, design, point = halfway(name, cells, epsilon)
    for pattern in all_patterns(cells)[::37]:
        neighbours = levels_of(np.vstack([pattern, pattern ^ np.eye(cells, dtype=bool)]), epsilon)
        values = surplus(neighbours, design.prior, point) * (neighbours @ design.prior)
        found, _ = climb(problem, neighbours[:1], design.prior, point, 0, 1)
        reached = surplus(found, design.prior, point) * (found @ design.prior)
        assert reached[0] == pytest.approx(values.max(), rel=1e-9, abs=1e-12)


def test_it_says_the_surplus_that_the_point_defines() -> None:
    problem, design, point = halfway("prefix", 8, 1.0)
    found, said = climb(problem, design.levels, design.prior, point)
    np.testing.assert_allclose(said, surplus(found, design.prior, point), rtol=1e-8, atol=1e-12)
    unmoved, same = climb(problem, design.levels, design.prior, point, 0, 0)
    np.testing.assert_array_equal(unmoved, design.levels)
    np.testing.assert_allclose(same, point.surplus(design.levels, np), rtol=1e-8, atol=1e-12)


def test_it_uses_nothing_beyond_the_array_standard() -> None:
    problem, design, point = halfway("prefix", 8, 1.0)
    strict = problem_of(lk.workloads.prefix(8), 1.0, Arrays(array_api_strict))
    there = Point(point.value, *map(array_api_strict.asarray, point[1:]))
    levels, prior = array_api_strict.asarray(design.levels), array_api_strict.asarray(design.prior)
    found = climb(strict, levels, prior, there)[0]
    np.testing.assert_allclose(np.asarray(found), climb(problem, design.levels, design.prior, point)[0], rtol=1e-12)
    assert evaluate(strict, levels, array_api_strict.asarray(design.weights), prior).value == pytest.approx(point.value)
