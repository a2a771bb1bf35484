"""Ranges: literal values, words, and sizes at which the matrix could not be stored."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable

import numpy as np
import pytest

from lowkey import workloads
from lowkey.errors import InvalidInput, TooLarge
from lowkey.workloads import Workload


def peak_bytes(action: Callable[[], object]) -> int:
    tracemalloc.start()
    try:
        action()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_literal_matrices() -> None:
    assert workloads.prefix(3).to_dense().tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    assert workloads.prefix(3).gram().tolist() == [[3, 2, 1], [2, 2, 1], [1, 1, 1]]
    assert workloads.histogram(2).gram().tolist() == [[1, 0], [0, 1]]
    assert workloads.all_range(2).to_dense().tolist() == [[1, 0], [1, 1], [0, 1]]
    assert workloads.all_range(3).gram().tolist() == [[3, 2, 1], [2, 4, 2], [1, 2, 3]]
    assert workloads.ranges(3, 2, 2).to_dense().tolist() == [[1, 1, 0], [0, 1, 1]]


@pytest.mark.parametrize(("n", "p"), [(64, 2080), (1024, 524_800), (4096, 8_390_656)])
def test_number_of_ranges(n: int, p: int) -> None:
    assert workloads.all_range(n).shape == (p, n)


def test_width_limits_count_the_ranges_between() -> None:
    assert workloads.ranges(10, 2, 4).shape[0] == 9 + 8 + 7
    assert workloads.ranges(10).shape == workloads.all_range(10).shape


def test_ranges_without_limits_are_all_ranges() -> None:
    limited, every = workloads.ranges(20), workloads.all_range(20)
    x = np.random.default_rng(1).normal(size=20)
    np.testing.assert_allclose(limited.gram(), every.gram())
    np.testing.assert_allclose(limited.gram_matvec(x), every.gram_matvec(x))


def test_gram_of_all_ranges_at_1024_is_the_formula() -> None:
    gram = workloads.all_range(1024).gram()
    for i, j in [(0, 0), (0, 1023), (511, 512), (1023, 1023), (700, 3)]:
        assert gram[i, j] == (min(i, j) + 1) * (1024 - max(i, j))


@pytest.mark.parametrize("workload", [workloads.all_range(1024), workloads.ranges(1024, 3, 700)], ids=str)
def test_answers_to_half_a_million_ranges_take_little_more_than_themselves(workload: Workload) -> None:
    x = np.arange(1024.0)
    answers = workload.shape[0] * 8
    assert peak_bytes(lambda: workload.matvec(x)) < 1.5 * answers
    assert peak_bytes(lambda: workload.rmatvec(np.ones(workload.shape[0]))) < 3 * answers


@pytest.mark.parametrize("workload", [workloads.all_range(4096), workloads.ranges(4096, 3, 3000)], ids=str)
def test_gram_products_at_4096_need_vectors_only(workload: Workload) -> None:
    x = np.random.default_rng(2).normal(size=4096)
    assert peak_bytes(lambda: workload.gram_matvec(x)) < 100 * x.nbytes
    assert peak_bytes(lambda: workload.gram_diagonal()) < 100 * x.nbytes
    np.testing.assert_allclose(workload.gram_matvec(x), workload.gram() @ x, rtol=1e-9, atol=1e-4)


def test_rows_of_all_ranges_at_4096_build_only_themselves() -> None:
    workload = workloads.all_range(4096)
    assert peak_bytes(lambda: workload.rows(5_000_000, 5_000_100)) < 10 * 100 * 4096 * 8
    start, stop = 8_390_653, 8_390_656  # [4094, 4094], [4094, 4095], [4095, 4095]
    assert workload.rows(start, stop)[:, 4093:].tolist() == [[0, 1, 0], [0, 1, 1], [0, 0, 1]]
    assert list(workload.labels[start:stop]) == ["cell 4094", "cells 4094 to 4095", "cell 4095"]


def test_labels_without_a_schema() -> None:
    assert list(workloads.histogram(2).labels) == ["cell 0", "cell 1"]
    assert list(workloads.prefix(3).labels) == ["cell 0", "cells 0 to 1", "everyone"]
    assert list(workloads.ranges(3, 2).labels) == ["cells 0 to 1", "everyone", "cells 1 to 2"]
    assert workloads.prefix(3).labels[-1] == "everyone"
    with pytest.raises(IndexError, match="query 3 of 3"):
        workloads.prefix(3).labels[3]


@pytest.mark.parametrize("build", [workloads.histogram, workloads.prefix, workloads.all_range, workloads.ranges])
@pytest.mark.parametrize("n", [0, -1, 2.5, "64", None, True, np.nan, [4]])
def test_bad_numbers_of_cells_are_refused(build: Callable[[object], Workload], n: object) -> None:
    with pytest.raises(InvalidInput, match=r"number of cells is .*; expected a whole number of at least 1"):
        build(n)


def test_domains_beyond_memory_are_refused() -> None:
    with pytest.raises(TooLarge, match=r"about 10\^12 cells; expected at most"):
        workloads.prefix(10**12)
    with pytest.raises(TooLarge, match="Gram matrix is 100,000 × 100,000"):
        workloads.prefix(10**5).gram()
    with pytest.raises(TooLarge, match="Use matvec"):
        workloads.all_range(4096).to_dense()


@pytest.mark.parametrize(("low", "high"), [(0, 3), (3, 2), (1, 6), (6, None), (1.5, 3), ("1", 3), (1, 0)])
def test_bad_widths_are_refused(low: int, high: int | None) -> None:
    with pytest.raises(InvalidInput, match="width"):
        workloads.ranges(5, low, high)
