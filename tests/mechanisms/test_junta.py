"""Base patterns on a few attributes: outputs as numbers, the matrix, its characters, what is drawn and refused."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
import scipy.stats

import lowkey as lk
from invariant_cases import cells, eigenvalues, information_matrix, queries, random_juntas, tables, threshold
from lowkey.errors import InvalidInput, QueryNotAnswerable, TooLarge
from lowkey.mechanisms import DenseMechanism
from lowkey.mechanisms.junta import Junta, JuntaMechanism
from lowkey.workloads.interactions import Interactions, interactions_of

SIZES = (2, 3, 2, 3, 2)
EVEN = np.full(72, 1 / 72)


def one_bit(pool: tuple[int, ...], share: float) -> Junta:
    return Junta(np.array([True, False]), [pool], share)


def draws_of(junta: Junta) -> list[tuple[int, ...]]:
    """Ordered draws, all equally likely: the slow definition."""
    pools: Sequence[Sequence[int]] = junta.pools
    return [drawn for drawn in itertools.product(*pools) if all(a != b for a, b in itertools.combinations(drawn, 2))]


def information(mechanism: JuntaMechanism) -> Any:
    """X for a uniform prior from the definition, with all draws as ordered ones."""
    total = np.zeros((72, 72))
    for junta in mechanism.juntas:
        level = np.where(junta.pattern, math.exp(mechanism.epsilon), 1.0)
        draws, shifts = draws_of(junta), list(np.ndindex(junta.pattern.shape))
        for drawn, t in itertools.product(draws, shifts):
            own = [tuple((u[a] - b) % SIZES[a] for a, b in zip(drawn, t, strict=True)) for u in cells(SIZES)]
            row = np.array([level[v] for v in own]) / level.sum() * junta.probability / len(draws)
            total += np.outer(row, row) / row.mean()
    return total


@pytest.mark.parametrize("seed", [0, 1])
def test_the_matrix_tells_what_the_definition_tells(seed: int) -> None:
    mechanism = random_juntas(seed)
    strategy = mechanism.to_dense()
    np.testing.assert_allclose(strategy.sum(axis=0), 1, rtol=1e-12)
    assert strategy.shape == mechanism.shape
    np.testing.assert_allclose(information_matrix(strategy, EVEN), information(mechanism), rtol=1e-10)


def test_rows_have_two_levels_of_the_ratio_e_to_epsilon() -> None:
    for row in random_juntas(2).to_dense():
        assert {round(float(value), 12) for value in row / row.min()} <= {1.0, round(math.e, 12)}


def test_every_number_is_one_output() -> None:
    mechanism = random_juntas(0)
    numbers = np.arange(mechanism.shape[0])
    found = set()
    for reports in mechanism.outputs.decode(numbers, np.ones(len(numbers))):
        for attributes, shifts in zip(reports.attributes.tolist(), reports.shifts.tolist(), strict=True):
            assert len(set(attributes)) == len(attributes)
            assert all(shift < SIZES[a] for a, shift in zip(attributes, shifts, strict=True))
            found.add((reports.junta, *attributes, *shifts))
    assert len(found) == mechanism.shape[0]


def test_symmetric_slots_are_drawn_in_ascending_order() -> None:
    """3 of 3 pairs × 4 shifts, 3! orders × 8, 2 · 2 × 18, 2 × 12, 2 × 3."""
    assert random_juntas(0).shape == (3 * 4 + 6 * 8 + 4 * 18 + 2 * 12 + 2 * 3, 72)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("epsilon", [0.01, 1.0])
def test_interactions_hold_the_eigenvalues(seed: int, epsilon: float) -> None:
    mechanism = random_juntas(seed, epsilon)
    expected = eigenvalues(mechanism.to_dense(), SIZES).reshape(SIZES)
    for degree in range(1, 6):
        for subset in itertools.combinations(range(5), degree):
            part = expected[tuple(slice(1, None) if a in subset else 0 for a in range(5))]
            np.testing.assert_allclose(mechanism.interaction(subset), part, rtol=1e-7, atol=1e-14)


@pytest.mark.parametrize("seed", range(3))
def test_the_variance_is_that_of_the_matrix(seed: int) -> None:
    asked = tables(SIZES, (0, 2), (1, 3), (4,), (1, 2), parities=((0, 4),))
    mechanism = random_juntas(seed)
    workload = lk.workloads.from_matrix(queries(SIZES, asked))
    dense = lk.analyze(workload, DenseMechanism(mechanism.to_dense(), 1.0))
    np.testing.assert_allclose(dense.per_type, mechanism.variance(interactions_of(SIZES, asked)), rtol=1e-8)


@pytest.mark.parametrize("subset", [(1, 3, 0, 2), (0, 1, 3)])
def test_what_no_junta_draws_together_is_not_answerable(subset: tuple[int, ...]) -> None:
    """Junta 2 draws both attributes of three values, and one of 2 and 4."""
    mechanism = random_juntas(0)
    assert not mechanism.interaction(subset).any()
    with pytest.raises(QueryNotAnswerable, match="do not determine what depends on attributes"):
        mechanism.variance(Interactions(SIZES, {subset: 1.0}))


@pytest.mark.parametrize("seed", range(3))
def test_distinct_rows_tell_as_much(seed: int) -> None:
    mechanism = random_juntas(seed)
    listed = mechanism.distinct()
    strategy = mechanism.to_dense()
    np.testing.assert_allclose(
        information_matrix(listed.to_dense(), EVEN), information_matrix(strategy, EVEN), rtol=1e-10
    )
    favoured = np.unique(strategy > strategy.min(axis=1, keepdims=True) * 1.01, axis=0)
    assert len(np.unique(listed.patterns, axis=0)) == listed.shape[0] == len(favoured)


def test_distinct_rows_of_nine_attributes_take_seconds() -> None:
    rng = np.random.default_rng(0)
    juntas = [
        threshold(6, range(9), 3, 0.4),
        threshold(5, range(9), 2, 0.3),
        Junta(rng.random((2,) * 4) < 0.5, [tuple(range(9))] * 4, 0.2),
        Junta(np.indices((2,) * 4).sum(axis=0) % 2 == 0, [tuple(range(9))] * 4, 0.1),
    ]
    mechanism = JuntaMechanism((2,) * 9, juntas, 1.0)
    begun = time.monotonic()
    listed = mechanism.distinct()
    assert time.monotonic() - begun < 20
    assert listed.shape[0] < mechanism.shape[0]
    values = mechanism.interaction((0, 3, 8))
    shares = listed.patterns @ np.where(np.bitwise_count(np.arange(512) & 0b100100001) % 2, -1.0, 1.0) / 512
    rise, means = listed.high - 1, 1 + (listed.high - 1) * listed.patterns.mean(axis=1)
    assert float(listed.weights @ ((rise * shares) ** 2 / means)) * 512 == pytest.approx(512 * values.item(), rel=1e-9)


def test_a_list_of_outputs_beyond_the_limit_is_refused() -> None:
    with pytest.raises(TooLarge, match=r"the list of outputs of junta is [\d,]+ × 1,267,650,600,228,.*at most 2,147,"):
        JuntaMechanism((2,) * 100, [threshold(3, range(100), 2)], 1.0).distinct()
    with pytest.raises(TooLarge, match=r"the list of outputs of junta is .* × 72; expected at most 2,000 entries"):
        random_juntas(0).distinct(limit=2000)


@pytest.mark.parametrize("seed", range(2))
def test_reports_are_as_frequent_as_the_matrix_says(seed: int) -> None:
    mechanism = random_juntas(seed)
    places = np.repeat([[1, 2, 0, 1, 1]], 2 * 10**5, axis=0)
    counts = np.bincount(mechanism.report(places, np.random.default_rng(seed)), minlength=mechanism.shape[0])
    cell = int(np.ravel_multi_index((1, 2, 0, 1, 1), SIZES))
    assert scipy.stats.chisquare(counts, 2e5 * mechanism.to_dense()[:, cell]).pvalue > 1e-3


@pytest.mark.parametrize("dense_tally", [0, 2**24])
def test_simulated_counts_are_as_frequent_as_the_matrix_says(dense_tally: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lowkey.mechanisms.outputs.DENSE_TALLY", dense_tally)
    monkeypatch.setattr("lowkey.mechanisms.group_sampling.PEOPLE_AT_A_TIME", 10_000)
    mechanism, x = random_juntas(3), np.arange(72) * 50
    responses = mechanism.simulate(x, np.random.default_rng(0))
    counts = responses.all_values(mechanism.shape[0])
    assert responses.users == counts.sum() == x.sum()
    assert scipy.stats.chisquare(counts, mechanism.to_dense() @ x).pvalue > 1e-3


def test_a_hundred_attributes_take_seconds() -> None:
    mechanism = JuntaMechanism((2,) * 100, [threshold(s, range(100), s // 2, 1 / 3) for s in (4, 5, 6)], 1.0)
    assert mechanism.shape[1] == 2**100
    weights = {s: 1.0 for degree in (1, 2, 3) for s in itertools.combinations(range(100), degree)}
    begun = time.monotonic()
    expected = sum(
        math.comb(100, degree) * (1 / mechanism.interaction(tuple(range(degree))).item() - 1) for degree in (1, 2, 3)
    )
    assert mechanism.variance(Interactions(mechanism.sizes, weights)) == pytest.approx(expected, rel=1e-9)
    rng = np.random.default_rng(0)
    outputs = mechanism.report(rng.integers(2, size=(10**5, 100)), rng)
    assert len(np.unique(outputs)) > 99_000
    assert time.monotonic() - begun < 20


def test_more_outputs_than_64_bits_number_are_refused() -> None:
    pattern = np.zeros((2,) * 8, dtype=bool)
    pattern[0, 1] = True
    with pytest.raises(TooLarge, match=r"the number of outputs is about 10\^\d\d; expected at most 2\^62"):
        JuntaMechanism((2,) * 1000, [Junta(pattern, [range(1000)] * 8, 1.0)], 1.0)


@pytest.mark.parametrize(
    ("pattern", "pools", "message"),
    [
        (np.eye(2), [(0, 1)] * 2, "the junta's pattern is an array of shape .2, 2. and type float64"),
        (np.array(True), [], "the junta's pattern is an array of shape .. and type bool"),
        (
            np.eye(2, dtype=bool),
            [(0, 1)],
            "the pools of the junta is .*; expected 2 collections of different attribute",
        ),
        (np.eye(2, dtype=bool), [(0, 1), ()], "the pools of the junta is"),
        (np.eye(2, dtype=bool), [(0, 0), (1,)], "the pools of the junta is"),
        (np.eye(2, dtype=bool), [("a",), (1,)], "the pools of the junta is"),
        (np.eye(2, dtype=bool), [(0, 1), (1, 2)], "the pools of the junta is overlapping without being equal"),
        (
            np.eye(2, dtype=bool),
            [(0,), (0,)],
            "a pool of the junta is too small: 2 slots draw from the attributes .0,.",
        ),
    ],
)
def test_what_is_no_junta_is_refused(pattern: Any, pools: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Junta(pattern, pools, 1.0)


@pytest.mark.parametrize(
    ("juntas", "message"),
    [
        ([], "the juntas is .*; expected a list of Junta, at least one"),
        ([one_bit((5,), 1.0)], "the pool of slot 0 of junta 0 is with attribute 5; expected attributes"),
        ([one_bit((0, 1), 1.0)], "with attribute 1; expected attributes of 2 values among the 5"),
        ([one_bit((0,), 0.5)], "the probabilities is .0.5. .sum 0.5."),
        ([one_bit((0,), -1.0)], "the probabilities is"),
    ],
)
def test_juntas_that_do_not_fit_are_refused(juntas: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        JuntaMechanism(SIZES, juntas, 1.0)


def test_outputs_that_there_are_not_are_refused() -> None:
    with pytest.raises(InvalidInput, match="the outputs is out of range; expected numbers from 0 to"):
        list(random_juntas(0).outputs.decode(np.array([10**6]), np.ones(1)))
