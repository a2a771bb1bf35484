"""What holds for every workload, against the matrix written out from its definition."""

from __future__ import annotations

import json

import numpy as np
import pytest
from workload_cases import CASES, Case

from lowkey.checks import Matrix
from lowkey.errors import InvalidInput
from lowkey.workloads import workload_from_document

every_workload = pytest.mark.parametrize("case", CASES, ids=str)


def close(actual: object, expected: object) -> None:
    np.testing.assert_allclose(actual, expected, rtol=1e-12, atol=1e-10)  # type: ignore[call-overload]


def random_columns(rows: int, columns: int = 3) -> Matrix:
    return np.random.default_rng(0).normal(size=(rows, columns))


@every_workload
def test_dense_matrix_is_the_definition(case: Case) -> None:
    assert case.workload.shape == case.dense.shape
    np.testing.assert_array_equal(case.workload.to_dense(), case.dense)


@every_workload
def test_products_with_vectors_and_columns(case: Case) -> None:
    x, v = random_columns(case.dense.shape[1]), random_columns(case.dense.shape[0])
    close(case.workload.matvec(x), case.dense @ x)
    close(case.workload.matvec(x[:, 0]), case.dense @ x[:, 0])
    close(case.workload.rmatvec(v), case.dense.T @ v)
    close(case.workload.rmatvec(v[:, 0]), case.dense.T @ v[:, 0])


@every_workload
def test_products_leave_their_argument_alone(case: Case) -> None:
    x, v = random_columns(case.dense.shape[1]), random_columns(case.dense.shape[0])
    before = x.copy(), v.copy()
    for result in (case.workload.matvec(x), case.workload.rmatvec(v), case.workload.gram_matvec(x)):
        result[:] = 0
    np.testing.assert_array_equal(x, before[0])
    np.testing.assert_array_equal(v, before[1])


@every_workload
def test_gram_and_what_stands_for_it(case: Case) -> None:
    gram = case.dense.T @ case.dense
    x = random_columns(case.dense.shape[1])
    close(case.workload.gram(), gram)
    close(case.workload.gram_diagonal(), gram.diagonal())
    close(case.workload.gram_matvec(x), gram @ x)
    close(case.workload.gram_matvec(x[:, 0]), gram @ x[:, 0])
    close(case.workload.gram_row_sums(), gram.sum(axis=1))


@every_workload
def test_gram_is_computed_once_and_read_only(case: Case) -> None:
    gram = case.workload.gram()
    assert case.workload.gram() is gram
    with pytest.raises(ValueError, match="read-only"):
        gram[0, 0] = 1


@every_workload
def test_changing_a_diagonal_changes_no_gram(case: Case) -> None:
    case.workload.gram_diagonal()[:] = -1
    assert (case.workload.gram_diagonal() >= 0).all()


@every_workload
def test_rows_are_slices_of_the_matrix(case: Case) -> None:
    p = case.dense.shape[0]
    for start in range(p + 1):
        for stop in {start, min(start + 1, p), min(start + 3, p), p}:
            np.testing.assert_array_equal(case.workload.rows(start, stop), case.dense[start:stop])


@every_workload
def test_blocks_are_the_whole_matrix(case: Case, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("lowkey.workloads.base.BLOCK_ENTRIES", 2 * case.dense.shape[1])
    starts, blocks = zip(*case.workload.blocks(), strict=True)
    assert list(starts) == list(range(0, case.dense.shape[0], 2))
    np.testing.assert_array_equal(np.concatenate(blocks), case.dense)


@every_workload
def test_rows_that_do_not_exist_are_refused(case: Case) -> None:
    p = case.dense.shape[0]
    for start, stop in [(-1, 1), (1, 0), (0, p + 1)]:
        with pytest.raises(InvalidInput, match="row"):
            case.workload.rows(start, stop)


@every_workload
def test_there_is_one_label_a_query(case: Case) -> None:
    labels = list(case.workload.labels)
    assert len(labels) == len(case.workload.labels) == case.dense.shape[0]
    assert all(labels)


@every_workload
def test_equal_labels_mean_the_same_query_up_to_its_weight(case: Case) -> None:
    query_of: dict[str, Matrix] = {}
    for label, row in zip(case.workload.labels, case.dense, strict=True):
        scaled = row / max(abs(row).max(), 1e-300)
        close(scaled, query_of.setdefault(label, scaled))


@every_workload
def test_document_is_json_and_rebuilds_the_workload(case: Case) -> None:
    document = json.loads(json.dumps(case.workload.document(), allow_nan=False))
    again = workload_from_document(document, case.schema)
    assert type(again) is type(case.workload)
    assert again.name == case.workload.name
    assert list(again.labels) == list(case.workload.labels)
    assert [family.name for family in again.families] == [family.name for family in case.workload.families]
    assert again.document() == document
    np.testing.assert_array_equal(again.to_dense(), case.dense)


@every_workload
def test_families_cover_the_rows_with_their_weights(case: Case) -> None:
    families = case.workload.families
    assert [f.start for f in families] == [0, *(f.stop for f in families[:-1])]
    assert families[-1].stop == case.dense.shape[0]
    for family in families:
        close(family.weight * family.workload.to_dense(), case.dense[family.start : family.stop])


@every_workload
@pytest.mark.parametrize("bad", [[1.0], "abc", [[[1.0]]], None])
def test_vectors_that_do_not_fit_are_refused(case: Case, bad: object) -> None:
    if case.dense.shape[1] > 1:
        with pytest.raises(InvalidInput, match="x is"):
            case.workload.matvec(bad)


@every_workload
def test_descriptions_are_every_query_described(case: Case) -> None:
    axes, queries = case.workload.axes, range(case.workload.shape[0])
    assert list(case.workload.descriptions(axes)) == [case.workload.describe(query, axes) for query in queries]
