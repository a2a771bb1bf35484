"""Workloads given as a matrix, dense or sparse."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import cast

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from lowkey.checks import Matrix, Vector
from lowkey.errors import InvalidInput
from lowkey.workloads.base import Indices, Workload, check_domain, check_shape
from lowkey.workloads.wording import Axis

WHAT = "the workload matrix"
EXPECTED = "a p×n matrix of numbers, one query a row, one cell a column"


class MatrixWorkload(Workload):
    """Any p×n matrix of finite coefficients: a dense array, or a SciPy sparse one that stays sparse (CSR).

    Rows may repeat, depend on each other or be zero.
    """

    def __init__(self, matrix: object, labels: Iterable[str] | None = None, name: str = "matrix") -> None:
        self.matrix = _check_matrix(matrix)
        self.name = check_workload_name(name)
        self.shape = check_shape(self.matrix.shape[0], check_domain(self.matrix.shape[1]))
        self._labels = None if labels is None else _check_labels(labels, self.shape[0])

    def _matvec(self, x: Matrix) -> Matrix:
        return np.asarray(self.matrix @ x)

    def _rmatvec(self, v: Matrix) -> Matrix:
        return np.asarray(self.matrix.T @ v)

    def _rows(self, queries: Indices) -> Matrix:
        return _dense(self.matrix[queries])

    def _gram(self) -> Matrix:
        return _dense(self.matrix.T @ self.matrix)

    def _gram_diagonal(self) -> Vector:
        if isinstance(self.matrix, np.ndarray):
            return np.asarray(np.einsum("pn,pn->n", self.matrix, self.matrix))
        return _dense(self.matrix.power(2).sum(axis=0))

    def describe(self, query: int, axes: Sequence[Axis]) -> str:
        return self._labels[query] if self._labels is not None else f"query {query}"

    def document(self) -> dict[str, object]:
        labels = None if self._labels is None else list(self._labels)
        return {"kind": "matrix", "name": self.name, "labels": labels, **_matrix_document(self.matrix)}


def from_matrix(A: object, labels: Iterable[str] | None = None) -> MatrixWorkload:
    """The queries that are the rows of A, a dense or a SciPy sparse matrix of shape (queries, cells).

    >>> from_matrix([[1, 1, 0], [0, 1, -1]], labels=["small", "difference"]).matvec([3, 4, 5])
    array([ 7., -1.])
    """
    return MatrixWorkload(A, labels)


def matrix_from_document(entries: Mapping[str, object]) -> object:
    """The matrix that MatrixWorkload.document() wrote: its rows, or the entries of a sparse one."""
    advice = 'Give "rows", or "shape", "queries", "cells" and "values".'
    if set(entries) == {"rows"}:
        return entries["rows"]
    if set(entries) != {"shape", "queries", "cells", "values"}:
        raise InvalidInput(WHAT, f"given by {', '.join(sorted(entries))}" if entries else "missing", EXPECTED, advice)
    try:
        values = np.array(entries["values"], dtype=np.float64)
        places = tuple(_whole_numbers(entries[field]) for field in ("queries", "cells"))
        return sp.coo_array((values, places), shape=tuple(_whole_numbers(entries["shape"]).tolist()))
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(WHAT, str(error), EXPECTED, advice) from error


def _whole_numbers(value: object) -> npt.NDArray[np.int64]:
    array = np.array(value)
    if array.ndim != 1 or (array.size and array.dtype.kind not in "iu"):
        raise TypeError(f"{value!r} is not a list of whole numbers")
    return array.astype(np.int64)


def _matrix_document(matrix: Matrix | sp.csr_array) -> dict[str, object]:
    if isinstance(matrix, np.ndarray):
        return {"rows": matrix.tolist()}
    entries = matrix.tocoo()
    return {
        "shape": list(entries.shape),
        "queries": entries.row.tolist(),
        "cells": entries.col.tolist(),
        "values": entries.data.tolist(),
    }


def _dense(matrix: object) -> Matrix:
    return np.asarray(matrix.toarray() if isinstance(matrix, sp.csr_array | sp.csc_array) else matrix, dtype=np.float64)


def _check_matrix(matrix: object) -> Matrix | sp.csr_array:
    if sp.issparse(matrix):
        sparse = cast("sp.coo_array", matrix)  # every sparse format has what is asked of it here
        _check_table(sparse.shape, sparse.dtype)
        return _checked_sparse(sparse)
    array = _as_array(matrix)
    _check_table(array.shape, array.dtype)
    return _checked_dense(array)


def _as_array(matrix: object) -> npt.NDArray[np.generic]:
    try:
        array = np.asarray(matrix)
        return array.astype(np.float64) if array.dtype.kind == "O" else array
    except (TypeError, ValueError) as error:
        raise InvalidInput(WHAT, matrix, EXPECTED, "All rows need the same length.") from error


def _check_table(shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> None:
    if len(shape) != 2 or 0 in shape:
        advice = "Write a single query as [[...]]." if len(shape) == 1 else ""
        raise InvalidInput(WHAT, f"an array of shape {shape}", EXPECTED, advice)
    if dtype.kind not in "biuf":
        raise InvalidInput(WHAT, f"an array of type {dtype}", EXPECTED)


def _checked_dense(array: npt.NDArray[np.generic]) -> Matrix:
    copy = np.array(array, dtype=np.float64, order="C")
    _refuse_not_finite(copy)
    copy.flags.writeable = False
    return copy


def _checked_sparse(matrix: sp.coo_array) -> sp.csr_array:
    copy = sp.csr_array(matrix.astype(np.float64, copy=True))  # first: repeated small integers could overflow
    copy.sum_duplicates()
    _refuse_not_finite(copy.data)
    copy.eliminate_zeros()
    return copy


def _refuse_not_finite(values: Matrix) -> None:
    if not np.isfinite(values).all():
        raise InvalidInput(WHAT, "an array with NaN or infinity", "finite numbers")


def _check_labels(labels: object, queries: int) -> tuple[str, ...]:
    expected = f"a list of {queries} texts, one a query"
    if isinstance(labels, str | bytes) or not isinstance(labels, Iterable):
        raise InvalidInput("the labels of the workload", labels, expected)
    texts = tuple(labels)
    if len(texts) != queries:
        raise InvalidInput("the labels of the workload", f"a list of {len(texts)}", expected)
    for text in texts:
        if not isinstance(text, str) or not text:
            arrived = "empty" if isinstance(text, str) else text
            raise InvalidInput("a label of the workload", arrived, "a text that is not empty")
    return texts


def check_workload_name(name: object) -> str:
    """The display name of a workload."""
    if not isinstance(name, str) or not name.strip():
        arrived = "empty" if isinstance(name, str) else name
        raise InvalidInput("the name of the workload", arrived, "a text that is not empty")
    return name
