"""The six workloads: as many queries as the paper says, and a clear word where there is none."""

from __future__ import annotations

import pytest

from lowkey.errors import InvalidInput, LowkeyError, NotAvailable
from lowkey.experiments.paper_workloads import PAPER_WORKLOADS, paper_workload


def test_there_are_six() -> None:
    assert PAPER_WORKLOADS == ("histogram", "prefix", "all_range", "all_marginals", "3way_marginals", "parity")


@pytest.mark.parametrize(
    ("name", "queries"),
    [
        ("histogram", 16),
        ("prefix", 16),
        ("all_range", 16 * 17 // 2),
        ("all_marginals", 3**4),
        ("3way_marginals", 4 * 8),
        ("parity", 1 + 4 + 6 + 4),
    ],
)
def test_queries_over_sixteen_cells(name: str, queries: int) -> None:
    assert paper_workload(name, 16).shape == (queries, 16)


@pytest.mark.parametrize("name", ["all_marginals", "3way_marginals", "parity"])
def test_binary_attributes_take_a_power_of_two(name: str) -> None:
    with pytest.raises(NotAvailable, match=r"asked for with n = 12; expected a power of two"):
        paper_workload(name, 12)


def test_three_attributes_need_eight_cells() -> None:
    with pytest.raises(LowkeyError):
        paper_workload("3way_marginals", 4)


def test_others_are_refused_by_name() -> None:
    with pytest.raises(InvalidInput, match="expected one of histogram, prefix"):
        paper_workload("cdf", 8)
