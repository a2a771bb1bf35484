"""lower_bound: the theorems' literal values, that no strategy beats them, and which one is chosen."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
from bound_cases import CASES, random_strategy
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import lowkey as lk
from lowkey.errors import InvalidInput, QueryNotAnswerable

KINDS = ["singular values", "nuclear norm", "relaxation", None]
WORKLOADS = ["histogram", "prefix", "all_range", "all_marginals", "3way_marginals", "parity"]


@pytest.mark.parametrize("epsilon", [0.25, 1.0, 2.0])
def test_histogram_as_in_the_paper(epsilon: float) -> None:
    """N ≥ (1/α)(1/e^ε − 1/n)."""
    bound = lk.lower_bound(lk.workloads.histogram(64), epsilon, kind="singular values")
    assert bound.sample_complexity(64, alpha=0.01) == pytest.approx(100 * (math.exp(-epsilon) - 1 / 64), rel=1e-9)
    assert bound.kind == "singular values"


@pytest.mark.parametrize("objective", ["worst", "average"])
def test_the_papers_is_the_singular_value_formula(objective: str) -> None:
    workload, n = lk.workloads.all_range(9), 9
    matrix = workload.to_dense()
    expected = np.linalg.svd(matrix, compute_uv=False).sum() ** 2 / (n * math.e) - (matrix**2).sum() / n
    found = lk.lower_bound(workload, 1.0, objective, kind="singular values").value
    assert found == pytest.approx(expected, rel=1e-8)


def test_a_prior_weighs_the_columns() -> None:
    prior = np.array([1, 2, 3, 4]) / 10
    matrix = lk.workloads.prefix(4).to_dense()
    nuclear = np.linalg.svd(matrix * np.sqrt(prior), compute_uv=False).sum()
    expected = nuclear**2 * math.exp(-0.1) - float(prior @ (matrix**2).sum(axis=0))
    found = lk.lower_bound(lk.workloads.prefix(4), 0.1, "average", prior, "singular values").value
    assert found == pytest.approx(expected, rel=1e-8)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 3.0])
@pytest.mark.parametrize(
    "workload",
    [lk.workloads.prefix(8), lk.workloads.histogram(8), lk.workloads.k_way_marginals([2, 2, 2], 2)],
    ids=lambda workload: workload.name,
)
def test_no_mechanism_of_the_catalogue_beats_it(
    workload: lk.workloads.Workload, epsilon: float, kind: str | None
) -> None:
    worst = lk.lower_bound(workload, epsilon, kind=kind)
    for prior in (None, np.array([8, 7, 6, 5, 4, 3, 2, 1.0])):
        bound = lk.lower_bound(workload, epsilon, "average", prior, kind)
        for name in ("randomized_response", "hadamard", "subset_selection", "fourier", "haar"):
            analysis = lk.analyze(workload, lk.mechanisms.create(name, 8, epsilon), prior)
            assert bound.value <= analysis.average * (1 + 1e-12)
            assert worst.value <= analysis.worst_case * (1 + 1e-12)


@given(st.sampled_from(CASES), st.sampled_from([0.5, 1.0, 2.0, 4.0]), st.integers(0, 2**31), st.booleans())
@settings(max_examples=30, deadline=None)
def test_no_random_strategy_beats_it(workload: lk.workloads.Workload, epsilon: float, seed: int, uniform: bool) -> None:
    rng = np.random.default_rng(seed)
    n = workload.shape[1]
    prior = None if uniform else rng.dirichlet(np.full(n, 2.0)) + 1e-3
    try:
        analysis = lk.analyze(workload, random_strategy(n, epsilon, rng), prior)
    except QueryNotAnswerable:
        assume(False)
    assert lk.lower_bound(workload, epsilon, "average", prior).value <= analysis.average * (1 + 1e-9)
    assert lk.lower_bound(workload, epsilon, "worst").value <= analysis.worst_case * (1 + 1e-9)


@pytest.mark.parametrize("epsilon", [0.1, 1.0, 4.0])
def test_for_two_cells_the_relaxation_is_what_randomized_response_attains(epsilon: float) -> None:
    for workload in (lk.workloads.histogram(2), lk.workloads.prefix(2)):
        attained = lk.analyze(workload, lk.mechanisms.create("randomized_response", 2, epsilon)).worst_case
        assert lk.lower_bound(workload, epsilon).value == pytest.approx(attained, rel=1e-6)


@pytest.mark.parametrize("objective", ["worst", "average"])
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 4.0])
def test_without_a_kind_the_best_one_is_chosen(objective: str, epsilon: float) -> None:
    workload = lk.workloads.prefix(7)
    values = [lk.lower_bound(workload, epsilon, objective, kind=kind).value for kind in KINDS]
    assert values[-1] == max(values)


@pytest.mark.parametrize("kind", KINDS)
def test_what_asks_nothing_of_people_has_bound_zero(kind: str | None) -> None:
    """One cell, a total, or no query at all: the answer is known without asking."""
    for matrix in ([[1.0]], [[2.0, 2.0, 2.0]], [[0.0, 0.0, 0.0]]):
        for objective in ("worst", "average"):
            assert lk.lower_bound(lk.workloads.from_matrix(matrix), 1.0, objective, kind=kind).value == 0


@pytest.mark.parametrize("exponent", [-500, -100, 100, 500])
@pytest.mark.parametrize("kind", KINDS)
def test_scaling_the_queries_by_a_power_of_two_scales_the_bound(kind: str | None, exponent: int) -> None:
    matrix = lk.workloads.prefix(5).to_dense()
    base = lk.lower_bound(lk.workloads.from_matrix(matrix), 1.0, kind=kind)
    scaled = lk.lower_bound(lk.workloads.from_matrix(matrix * 2.0**exponent), 1.0, kind=kind)
    assert scaled.value == base.value * 4.0**exponent


def test_the_worst_case_is_bounded_by_the_average_over_the_prior_that_is_reported() -> None:
    bound = lk.lower_bound(lk.workloads.prefix(32), 0.5)
    again = lk.lower_bound(lk.workloads.prefix(32), 0.5, "average", bound.prior)
    assert again.value == pytest.approx(bound.value, rel=1e-12)
    assert bound.value > 1.02 * lk.lower_bound(lk.workloads.prefix(32), 0.5, "average").value


def test_the_gap_is_the_excess_over_the_bound() -> None:
    bound = lk.lower_bound(lk.workloads.histogram(64), 1.0)
    assert bound.gap(3 * bound.value) == pytest.approx(2)
    assert lk.LowerBound(0.0, bound.kind, bound.objective, bound.prior).gap(1.0) == math.inf


def test_figures_in_the_document_are_those_of_the_committed_result() -> None:
    root = Path(__file__).parent.parent.parent
    lines = [line.split() for line in (root / "benchmarks/results/bounds.txt").read_text(encoding="utf-8").splitlines()]
    committed = [words for words in lines if words and words[0] in WORKLOADS]
    text = (root / "docs" / "bounds.md").read_text(encoding="utf-8")
    rows = [[word.strip() for word in line.split("|")[2:-1]] for line in text.splitlines() if "| Workload" not in line]
    documented = [row for row in rows if row and row[0] in WORKLOADS]
    assert len(documented) == 40
    assert documented == [[*words[:6], " ".join(words[7:]), words[6]] for words in committed]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"objective": "median"}, "expected one of worst, average"),
        ({"kind": "magic"}, "expected one of singular values, nuclear norm, relaxation"),
    ],
)
def test_the_words_must_exist(arguments: dict[str, str], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        lk.lower_bound(lk.workloads.histogram(4), 1.0, **arguments)
