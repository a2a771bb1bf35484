"""What a workload has without any closed form of its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest

from lowkey.checks import Matrix
from lowkey.workloads import Workload
from lowkey.workloads.base import Indices
from lowkey.workloads.wording import Axis

MATRIX = np.arange(12.0).reshape(4, 3) - 5


class Bare(Workload):
    """Only what the contract asks for."""

    name = "bare"
    shape = (4, 3)

    def _matvec(self, x: Matrix) -> Matrix:
        return np.asarray(MATRIX @ x)

    def _rmatvec(self, v: Matrix) -> Matrix:
        return np.asarray(MATRIX.T @ v)

    def _rows(self, queries: Indices) -> Matrix:
        return MATRIX[queries]

    def describe(self, query: int, axes: Sequence[Axis]) -> str:
        return f"{query} of {axes[0].size}"

    def document(self) -> dict[str, object]:
        return {}


def test_the_gram_matrix_is_summed_over_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lowkey.workloads.base.BLOCK_ENTRIES", 3)
    np.testing.assert_array_equal(Bare().gram(), MATRIX.T @ MATRIX)


def test_the_rest_follows() -> None:
    workload, gram = Bare(), MATRIX.T @ MATRIX
    x = np.array([1.0, -2.0, 0.5])
    np.testing.assert_allclose(workload.gram_matvec(x), gram @ x)
    np.testing.assert_allclose(workload.gram_row_sums(), gram.sum(axis=0))
    np.testing.assert_array_equal(workload.to_dense(), MATRIX)
    assert list(workload.labels) == ["0 of 3", "1 of 3", "2 of 3", "3 of 3"]
    assert workload.labels[1:3] == ["1 of 3", "2 of 3"]
    assert repr(workload) == "<Bare 'bare': 4 queries over 3 cells>"
    [family] = workload.families
    assert (family.name, family.workload, family.weight, family.start, family.stop) == ("bare", workload, 1.0, 0, 4)


def test_the_diagonal_is_the_callers_own() -> None:
    workload = Bare()
    diagonal = workload.gram_diagonal()
    np.testing.assert_array_equal(diagonal, (MATRIX**2).sum(axis=0))
    diagonal[:] = 0
    np.testing.assert_array_equal(workload.gram_diagonal(), (MATRIX**2).sum(axis=0))
