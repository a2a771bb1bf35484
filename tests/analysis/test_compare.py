from __future__ import annotations

import math

import pytest

import lowkey as lk


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


def test_mechanisms_that_adapt_are_given_the_workload() -> None:
    """The L2 matrix mechanism for Prefix beats the Gaussian mechanism, and both are made for Prefix."""
    rows = {row.name: row for row in lk.compare(lk.workloads.prefix(8), 1.0, ["matrix_mechanism_l2", "gaussian"])}
    assert rows["matrix_mechanism_l2"].worst_case < rows["gaussian"].worst_case
