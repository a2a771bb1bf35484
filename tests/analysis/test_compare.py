from __future__ import annotations

import math
from typing import Any

import pytest

import lowkey as lk
from benchmarks.authors import Figure, figures, paper_workload
from lowkey.errors import InvalidInput


def test_the_best_comes_first_and_figures_are_analyze_s() -> None:
    workload = lk.workloads.prefix(16)
    table = lk.compare(workload, 1.0, ["randomized_response", "hierarchical", "hadamard"])
    assert [row.worst_case for row in table] == sorted(row.worst_case for row in table)
    for row in table:
        expected = lk.analyze(workload, lk.mechanisms.create(row.name, 16, 1.0)).worst_case
        assert row.worst_case == pytest.approx(expected)


def test_every_name_of_the_catalogue_appears_once() -> None:
    table = lk.compare(lk.workloads.histogram(8), 1.0)
    assert sorted(row.name for row in table) == sorted(lk.mechanisms.names())


def test_mechanisms_that_cannot_come_last_with_the_reason() -> None:
    low_degree = lk.mechanisms.create("fourier", 8, 1.0, degree=1)
    *_, last = lk.compare(lk.workloads.histogram(8), 1.0, ["randomized_response", low_degree])
    assert last.name == low_degree.name
    assert last.analysis is None
    assert last.worst_case == math.inf
    assert "not answerable" in last.reason


@pytest.mark.parametrize(
    ("mechanisms", "message"),
    [
        ("rappor", "mechanisms is 'rappor'; expected a list of names and mechanisms"),
        (["hadamard", "radamard"], "a mechanism to compare is 'radamard'; expected one of"),
        ([3], "a mechanism to compare is 3; expected one of"),
    ],
)
def test_what_is_no_mechanism_is_refused_and_not_ranked_last(mechanisms: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        lk.compare(lk.workloads.prefix(4), 1.0, mechanisms)


@pytest.mark.parametrize("figure", [f for f in figures("fourier") if f["epsilon"] == 1.0], ids=lambda f: f["workload"])
def test_fourier_competes_with_no_more_characters_than_the_workload_needs(figure: Figure) -> None:
    """As in the authors' code: degree 3 for 3-way marginals and parities, all characters for the others."""
    (row,) = lk.compare(paper_workload(figure["workload"]), 1.0, ["fourier"])
    assert row.analysis is not None
    assert row.worst_case == pytest.approx(figure["worst_case"], rel=1e-6)
    assert row.analysis.mechanism.shape[0] == figure["outputs"]


def test_mechanisms_that_adapt_are_given_the_workload() -> None:
    """The L2 matrix mechanism for Prefix beats the Gaussian mechanism, and both are made for Prefix."""
    rows = {row.name: row for row in lk.compare(lk.workloads.prefix(8), 1.0, ["matrix_mechanism_l2", "gaussian"])}
    assert rows["matrix_mechanism_l2"].worst_case < rows["gaussian"].worst_case
