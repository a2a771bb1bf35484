"""The relaxation in characters: below the optimum, close to it, and the same by weight as difference by difference."""

from __future__ import annotations

import numpy as np
import pytest
from bound_cases import exact_optimum

import lowkey as lk
from lowkey.analysis.invariant_relaxation import (
    Classes,
    Search,
    classes_of,
    every_slice,
    invariant_relaxation_value,
    is_translation_invariant,
)
from lowkey.analysis.pattern_maximum import PatternFunction, by_enumeration

EPSILONS = (0.5, 1.0, 2.0, 4.0)
BINARY = [
    lk.workloads.histogram(8),
    lk.workloads.all_marginals([2, 2, 2]),
    lk.workloads.k_way_marginals([2, 2, 2], 1),
    lk.workloads.parity(3, 2),
    lk.workloads.stack(
        [lk.workloads.histogram(4), lk.workloads.parity(2, 1), lk.workloads.k_way_marginals([2, 2], 1)], [1, 2, 0.5]
    ),
    lk.workloads.product([lk.workloads.histogram(2), lk.workloads.all_marginals([2, 2])]),
]


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("workload", BINARY, ids=lambda workload: workload.name)
def test_it_is_below_the_optimum_and_close(workload: lk.workloads.Workload, epsilon: float) -> None:
    n = workload.shape[1]
    optimum = exact_optimum(workload.gram(), epsilon, np.full(n, 1 / n)).value
    assert 0.93 * optimum <= invariant_relaxation_value(workload.gram(), epsilon) <= optimum * (1 + 1e-12)


@pytest.mark.parametrize("workload", BINARY, ids=lambda workload: workload.name)
def test_these_workloads_are_invariant(workload: lk.workloads.Workload) -> None:
    assert is_translation_invariant(workload.gram())


@pytest.mark.parametrize(
    "workload", [lk.workloads.prefix(8), lk.workloads.histogram(6), lk.workloads.all_range(4)], ids=lambda w: w.name
)
def test_these_are_not(workload: lk.workloads.Workload) -> None:
    assert not is_translation_invariant(workload.gram())


def test_one_entry_that_differs_in_the_last_bit_ends_the_invariance() -> None:
    gram = lk.workloads.all_marginals([2] * 4).gram().copy()
    gram[9, 12] = gram[12, 9] = np.nextafter(gram[9, 12], np.inf)
    assert not is_translation_invariant(gram)


def test_sums_of_characters_over_a_weight_are_those_written_out() -> None:
    n = 32
    cells = np.arange(n)
    weight = np.bitwise_count(cells.astype(np.uint64))
    classes = classes_of(lk.workloads.parity(5, 2).gram()[0])
    assert isinstance(classes, Classes)
    for i, representative in enumerate(classes.representatives):
        signs = (-1.0) ** np.bitwise_count((cells & representative).astype(np.uint64))
        for j in range(6):
            assert classes.sums[i, j] == signs[weight == j].sum()
    np.testing.assert_array_equal(classes.sizes, np.bincount(weight))


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_by_weight_it_is_the_same_as_difference_by_difference(epsilon: float, monkeypatch: pytest.MonkeyPatch) -> None:
    gram = lk.workloads.all_marginals([2] * 4).gram()
    by_weight = invariant_relaxation_value(gram, epsilon)
    signs = (-1.0) ** np.bitwise_count((np.arange(16)[:, None] & np.arange(16)).astype(np.uint64))
    each = Classes(np.ones(16), signs, tuple(range(16)))
    monkeypatch.setattr("lowkey.analysis.invariant_relaxation.classes_of", lambda row: each)
    assert invariant_relaxation_value(gram, epsilon) == pytest.approx(by_weight, rel=2e-3)


@pytest.mark.parametrize(
    ("workload", "epsilon", "reached"),
    [
        (lk.workloads.all_marginals([2] * 6), 4.0, 155.30),
        (lk.workloads.k_way_marginals([2] * 6, 3), 4.0, 46.901),
        (lk.workloads.parity(6, 3), 4.0, 136.77),
        (lk.workloads.parity(6, 3), 2.0, 1198.3),
        (lk.workloads.parity(6, 3), 1.0, 6164.7),
    ],
)
def test_it_is_within_a_hundredth_of_the_variances_that_were_reached(
    workload: lk.workloads.Workload, epsilon: float, reached: float
) -> None:
    bound = lk.lower_bound(workload, epsilon)
    assert 0.99 * reached <= bound.value <= reached


@pytest.mark.parametrize("exponent", [-900, -7, 900])
def test_scaling_by_a_power_of_two_scales_it(exponent: int) -> None:
    gram = lk.workloads.parity(4, 2).gram()
    scaled = invariant_relaxation_value(gram * 2.0**exponent, 2.0)
    assert scaled == invariant_relaxation_value(gram, 2.0) * 2.0**exponent


@pytest.mark.parametrize("seed", range(8))
def test_its_maximum_bounds_every_pattern(seed: int) -> None:
    """Whatever t, δ and N are: the claimed maximum against all 2¹⁶ patterns, with K written out as a matrix."""
    rng = np.random.default_rng(seed)
    row = lk.workloads.all_marginals([2] * 4).gram()[0] if seed % 2 else rng.normal(size=16) + 20 * (np.arange(16) == 0)
    classes = classes_of(row)
    assert classes is not None
    values = np.maximum(classes.sums @ row[list(classes.representatives)] / 16, 0)
    values[0] = 0
    search = Search(float(rng.uniform(0.3, 5)), classes, values, every_slice(16))
    point = np.concatenate([rng.normal(size=len(search.kept)), rng.normal(size=15 * len(classes.sizes))])
    multipliers = point[len(search.kept) :].reshape(15, -1)
    multipliers[:, 1:] = np.abs(multipliers[:, 1:])
    roots = np.zeros(len(values))
    roots[values > 0] = point[: len(search.kept)]
    by_weight = len(classes.sizes) < 16
    number = np.bitwise_count(np.arange(16, dtype=np.uint64)) if by_weight else np.arange(16)
    signs = (-1.0) ** np.bitwise_count((np.arange(16)[:, None] & np.arange(16)).astype(np.uint64))
    function = PatternFunction(signs / 4 * roots[number], np.zeros(16), np.full(16, 1 / 16), search.epsilon)
    nuclear, largest = search.proved(point)
    assert by_enumeration(function) - 2 * function.error <= largest
    assert nuclear == pytest.approx(np.sqrt(values[number]) @ np.abs(roots[number]), rel=1e-9)
    solved = search.solve()
    roots[values > 0] = solved[: len(search.kept)]
    function = PatternFunction(signs / 4 * roots[number], np.zeros(16), np.full(16, 1 / 16), search.epsilon)
    attained, bound = by_enumeration(function), search.proved(solved)[1]
    assert attained - 2 * function.error <= bound <= 1.2 * attained
