"""Workloads from matrices: what is accepted, kept and refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from lowkey.errors import InvalidInput
from lowkey.workloads import from_matrix, workload_from_document
from lowkey.workloads.explicit import MatrixWorkload

SPARSE = sp.random_array((50, 40), density=0.05, rng=np.random.default_rng(0), format="coo")


@pytest.mark.parametrize("given", [[[1, 2], [3, 4]], ((1, 2), (3, 4)), pd.DataFrame([[1, 2], [3, 4]])], ids=type)
def test_anything_like_a_matrix_is_accepted(given: object) -> None:
    assert from_matrix(given).to_dense().tolist() == [[1, 2], [3, 4]]


@pytest.mark.parametrize("given", [SPARSE, SPARSE.tocsc(), SPARSE.todok(), SPARSE.tolil()], ids=type)
def test_sparse_stays_sparse(given: object) -> None:
    workload = from_matrix(given)
    assert isinstance(workload.matrix, sp.csr_array)
    assert workload.matrix.nnz == SPARSE.nnz
    np.testing.assert_array_equal(workload.to_dense(), SPARSE.toarray())


def test_repeated_entries_of_a_sparse_matrix_add_up_without_overflow() -> None:
    entries = np.array([100, 100], dtype=np.int8)
    assert from_matrix(sp.coo_array((entries, ([0, 0], [1, 1])), shape=(1, 2))).to_dense().tolist() == [[0, 200]]


def test_later_changes_of_the_argument_do_not_reach_the_workload() -> None:
    dense, sparse = np.eye(2), sp.csr_array(np.eye(2))
    from_dense, from_sparse = from_matrix(dense), from_matrix(sparse)
    dense[0, 0] = sparse.data[0] = 7.0
    assert from_dense.to_dense()[0, 0] == from_sparse.to_dense()[0, 0] == 1


def test_the_matrix_itself_is_read_only() -> None:
    with pytest.raises(ValueError, match="read-only"):
        from_matrix(np.eye(2)).matrix[0, 0] = 7


def test_labels_name_the_queries() -> None:
    assert list(from_matrix(np.eye(2), labels=["a", "b"]).labels) == ["a", "b"]
    assert list(from_matrix(np.eye(2)).labels) == ["query 0", "query 1"]


def test_a_name_survives_the_document() -> None:
    workload = MatrixWorkload(np.eye(2), name="mine")
    assert workload.name == workload_from_document(workload.document()).name == "mine"


@pytest.mark.parametrize(
    ("matrix", "message"),
    [
        ([], r"shape \(0,\)"),
        ([[]], r"shape \(1, 0\)"),
        ([1, 2], r"Write a single query as \[\[\.\.\.\]\]"),
        (np.zeros((2, 2, 2)), r"shape \(2, 2, 2\)"),
        (sp.csr_array((0, 3)), r"shape \(0, 3\)"),
        ([[1, np.nan]], "NaN or infinity"),
        (sp.csr_array([[1, np.inf]]), "NaN or infinity"),
        ([[1, 2], [3]], "same length"),
        ([["1", "2"]], "type <U1"),
        ([[1j]], "complex"),
        (sp.csr_array([[1j]]), "complex"),
        ([[1, None]], "NaN|numbers"),
        pytest.param([[1, object()]], "numbers", id="object"),
        ("matrix", "matrix"),
        (None, "None|shape"),
        (3, r"shape \(\)"),
    ],
    ids=repr,
)
def test_what_is_no_matrix_of_numbers_is_refused(matrix: object, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        from_matrix(matrix)


@pytest.mark.parametrize("labels", [["a"], ["a", "b", "c"], "ab", [1, 2], ["a", ""], 3])
def test_labels_that_do_not_fit_are_refused(labels: list[str]) -> None:
    with pytest.raises(InvalidInput, match="label"):
        from_matrix(np.eye(2), labels)


@pytest.mark.parametrize("name", ["", " ", None, 3])
def test_a_name_is_a_text(name: str) -> None:
    with pytest.raises(InvalidInput, match="the name of the workload"):
        MatrixWorkload(np.eye(2), name=name)
