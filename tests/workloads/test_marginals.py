"""Marginals and parities: the paper's query counts, closed forms, words, and refusals."""

from __future__ import annotations

import math

import numpy as np
import pytest

from lowkey import workloads
from lowkey.errors import InvalidInput, TooLarge


def test_query_counts_of_the_paper_at_64_cells() -> None:
    assert workloads.all_marginals([2] * 6).shape == (729, 64)
    assert workloads.k_way_marginals([2] * 6, 3).shape == (160, 64)
    assert workloads.parity(6, 3).shape == (42, 64)


def test_categorical_marginals_count_the_cells_of_each_table() -> None:
    assert workloads.all_marginals([2, 3, 4]).shape == (3 * 4 * 5, 24)
    assert workloads.k_way_marginals([2, 3, 4], 2).shape == (6 + 8 + 12, 24)


def test_first_attribute_is_slowest() -> None:
    answers = workloads.k_way_marginals([2, 3], 1).matvec([1, 2, 3, 10, 20, 30])
    assert answers.tolist() == [6, 60, 11, 22, 33]


def test_gram_of_all_marginals_is_a_power_of_two_for_each_agreement() -> None:
    assert workloads.all_marginals([2, 3]).gram()[0].tolist() == [4, 2, 2, 2, 1, 1]


def test_gram_of_3_way_marginals_counts_the_shared_triples() -> None:
    gram = workloads.k_way_marginals([2] * 6, 3).gram()
    assert gram[0, 0] == math.comb(6, 3)
    assert gram[0, 1] == math.comb(5, 3)
    assert gram[0, 0b111] == 1
    assert gram[0, 0b1111] == 0


def test_all_parities_are_orthogonal() -> None:
    np.testing.assert_array_equal(workloads.parity(4, 4).gram(), 16 * np.eye(16))


def test_parity_signs() -> None:
    assert workloads.parity(2, 2).matvec([1, 10, 100, 1000]).tolist() == [1111, -1089, -909, 891]


def test_labels_without_a_schema() -> None:
    labels = list(workloads.all_marginals([2, 3]).labels)
    assert labels[:4] == ["everyone", "attribute 0 = 0", "attribute 0 = 1", "attribute 1 = 0"]
    assert labels[-1] == "attribute 0 = 1 and attribute 1 = 2"
    assert list(workloads.parity(2, 2).labels) == [
        "everyone",
        "parity of attribute 0",
        "parity of attribute 1",
        "parity of attribute 0, attribute 1",
    ]


def test_twelve_attributes_are_no_trouble() -> None:
    workload = workloads.all_marginals([2] * 12)
    assert workload.shape == (3**12, 4096)
    x = np.random.default_rng(3).integers(0, 100, 4096).astype(float)
    assert workload.matvec(x)[0] == x.sum()
    np.testing.assert_allclose(workload.gram_matvec(x), workload.rmatvec(workload.matvec(x)))


@pytest.mark.parametrize("sizes", [[], [0], [2, -1], [2.5], ["2"], "22", 4, None, [2, None], [True]])
def test_bad_sizes_are_refused(sizes: list[int]) -> None:
    with pytest.raises(InvalidInput, match="size"):
        workloads.all_marginals(sizes)
    with pytest.raises(InvalidInput, match="size"):
        workloads.k_way_marginals(sizes, 1)


@pytest.mark.parametrize("k", [-1, 3, 1.0, "1", None, True])
def test_bad_degrees_are_refused(k: int) -> None:
    with pytest.raises(InvalidInput, match=r"^k is"):
        workloads.k_way_marginals([2, 2], k)
    with pytest.raises(InvalidInput, match=r"^k is"):
        workloads.parity(2, k)


def test_sizes_may_be_any_integers() -> None:
    assert workloads.all_marginals(np.array([2, 3])).sizes == (2, 3)  # type: ignore[arg-type]


@pytest.mark.parametrize("d", [0, -1, 2.5, "3"])
def test_bad_numbers_of_binary_attributes_are_refused(d: int) -> None:
    with pytest.raises(InvalidInput, match="number of binary attributes"):
        workloads.parity(d, 0)


def test_what_would_not_fit_is_refused() -> None:
    with pytest.raises(TooLarge, match="cells"):
        workloads.k_way_marginals([10] * 12, 2).gram_diagonal()
    with pytest.raises(TooLarge, match="cells"):
        workloads.parity(50, 1).gram_diagonal()
    with pytest.raises(TooLarge, match="sets of attributes"):
        workloads.parity(28, 14)
    with pytest.raises(InvalidInput, match="1 to 60 attributes"):
        workloads.k_way_marginals([1] * 100, 1)
