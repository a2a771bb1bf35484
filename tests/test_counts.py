"""Counts: tallying, merging, files, and what they refuse."""

import ast
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa  # type: ignore[import-untyped]
import pytest
from hypothesis import given
from hypothesis import strategies as st

import lowkey.counts
from lowkey.counts import Counts
from lowkey.errors import InvalidInput


@dataclass(frozen=True)
class Survey:
    """All that counts know of a deployment."""

    digest: str = "abc"
    outputs: int = 4


tallies = st.lists(st.integers(0, 10**9), min_size=4, max_size=4).map(lambda values: Counts("abc", values))
report_lists = st.lists(st.integers(0, 3), max_size=50)


def test_reports_are_tallied_per_output() -> None:
    counts = Counts.from_reports(Survey(), [3, 0, 3, 1, 3])
    assert counts.values.tolist() == [1, 1, 0, 3]
    assert counts.users == 5
    assert counts.digest == "abc"
    assert counts.responses.values.tolist() == [1, 1, 0, 3]
    assert counts.responses.users == 5


@pytest.mark.parametrize(
    "reports",
    [
        np.array([3, 0, 3]),
        np.array([3, 0, 3], dtype=np.uint8),
        np.array([3.0, 0.0, 3.0]),
        [3, 0, np.int64(3)],
        (value for value in [3, 0, 3]),
        pd.Series([3, 0, 3]),
        pl.Series([3, 0, 3]),
        pa.chunked_array([[3, 0], [3]]),
        [3.0, 0, 3],
    ],
    ids=lambda reports: type(reports).__name__,
)
def test_any_column_of_output_numbers_will_do(reports: Iterable[object]) -> None:
    assert Counts.from_reports(Survey(), reports).values.tolist() == [1, 0, 0, 2]


def test_nobody_reported_is_a_count_too() -> None:
    assert Counts.from_reports(Survey(), []) == Counts.empty(Survey())
    assert Counts.empty(Survey()).users == 0


@given(tallies, tallies, tallies)
def test_merging_is_associative_and_commutative_and_empty_is_neutral(a: Counts, b: Counts, c: Counts) -> None:
    assert (a + b) + c == a + (b + c)
    assert a + b == b + a
    assert a + Counts.empty(Survey()) == a
    assert (a + b).users == a.users + b.users


@given(report_lists, report_lists)
def test_merged_counts_are_those_of_all_reports(first: list[int], second: list[int]) -> None:
    parts = [Counts.from_reports(Survey(), first), Counts.from_reports(Survey(), second)]
    assert sum(parts, Counts.empty(Survey())) == Counts.from_reports(Survey(), first + second)


def test_reports_need_a_deployment() -> None:
    deployment: Any = "survey.lowkey"
    with pytest.raises(InvalidInput, match=r"the deployment is survey\.lowkey; expected a Deployment"):
        Counts.from_reports(deployment, [0])


def test_a_list_of_counts_can_be_summed() -> None:
    parts = [Counts("abc", [1, 0]), Counts("abc", [2, 5])]
    assert sum(parts) == Counts("abc", [3, 5])
    with pytest.raises(TypeError):
        1 + parts[0]


def test_counts_of_different_deployments_do_not_add_up() -> None:
    with pytest.raises(InvalidInput, match=r"xyz \(4 outputs\); expected abc \(4 outputs\).*each by itself"):
        Counts("abc", [1, 2, 3, 4]) + Counts("xyz", [1, 2, 3, 4])
    with pytest.raises(InvalidInput, match=r"abc \(3 outputs\)"):
        Counts("abc", [1, 2, 3, 4]) + Counts("abc", [1, 2, 3])
    with pytest.raises(TypeError):
        Counts("abc", [1]) + 1  # type: ignore[operator]


def test_equality_needs_digest_and_values() -> None:
    assert Counts("abc", [1, 2]) == Counts("abc", np.array([1, 2], dtype=np.uint16))
    assert len({Counts("abc", [1, 2]), Counts("abc", [1, 2])}) == 1
    assert Counts("abc", [1, 2]) != Counts("abd", [1, 2])
    assert Counts("abc", [1, 2]) != Counts("abc", [2, 1])
    assert Counts("abc", [1, 2]) != [1, 2]


def test_counts_do_not_change() -> None:
    original = np.array([1, 2])
    counts = Counts("abc", original)
    original[0] = 7
    assert counts.values.tolist() == [1, 2]
    with pytest.raises(ValueError, match="read-only"):
        counts.values[0] = 5


@pytest.mark.parametrize(
    ("reports", "message"),
    [
        ([0, 4, 1, -1], r"wrong in 2 of 4 places, the first being 4 in place 1; expected whole numbers from 0 to 3"),
        (np.array([0, 4]), r"wrong in 1 of 2 places, the first being 4 in place 1"),
        (np.array([0, 2**64 - 1], dtype=np.uint64), r"the first being 18446744073709551615"),
        ([0, 10**30], r"the first being 1000000000000000000000000000000 in place 1"),
        ([1.5, 2], r"wrong in 1 of 2 places, the first being 1.5 in place 0"),
        (np.array([1.0, np.nan]), r"the first being nan in place 1"),
        ([1, None], r"the first being None in place 1"),
        ([True, 1], r"the first being True in place 0"),
        (np.array([True, False]), r"wrong in 2 of 2 places"),
        (["1", 2], r"the first being '1' in place 0"),
        (pd.Series([1, None]), r"the first being nan in place 1"),
        ("0123", "a list or an array"),
        (7, "a list or an array"),
        (np.zeros((2, 2), dtype=int), r"shape \(2, 2\)"),
    ],
)
def test_reports_that_are_no_outputs_are_refused_by_number_and_place(reports: Any, message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        Counts.from_reports(Survey(), reports)


@pytest.mark.parametrize(
    "values", [[-1, 2], [], [[1, 2]], [1.5], ["a"], [[1], [2, 3]], [2**53, 1], [2**60] * 32, [True], None]
)
def test_tallies_that_are_none_are_refused(values: object) -> None:
    with pytest.raises(InvalidInput, match=r"the counts is .*whole numbers of people"):
        Counts("abc", values)


@pytest.mark.parametrize("digest", ["", None, 7])
def test_a_digest_that_is_none_is_refused(digest: Any) -> None:
    with pytest.raises(InvalidInput, match=r"digest of the counts.*D\.digest"):
        Counts(digest, [1])


# -- files ------------------------------------------------------------------------------


@given(counts=tallies)
def test_round_trip(tmp_path_factory: pytest.TempPathFactory, counts: Counts) -> None:
    path = tmp_path_factory.mktemp("counts") / "counts.json"
    counts.save(path)
    assert Counts.load(path) == counts


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "lowkey-deployment"}, "format of the counts file is 'lowkey-deployment'"),
        ({"version": 9}, "format version of the counts file is 9; expected 1"),
        ({"users": 4}, "number of users is 4; expected 3.*damaged or altered"),
        ({"values": [1, -2]}, "the counts is"),
        ({"values": "many"}, "the counts is"),
        ({"digest": 5}, "digest of the counts"),
        ({"extra": 1}, "keys of the counts file"),
    ],
)
def test_damaged_files_are_refused(tmp_path: Path, change: dict[str, object], message: str) -> None:
    Counts("abc", [1, 2]).save(tmp_path / "a")
    document = json.loads((tmp_path / "a").read_text())
    (tmp_path / "a").write_text(json.dumps({**document, **change}))
    with pytest.raises(InvalidInput, match=message):
        Counts.load(tmp_path / "a")


def test_counting_needs_no_server_no_sql_and_no_dataframes() -> None:
    trees = [ast.parse(file.read_text()) for file in Path(lowkey.counts.__file__).parent.glob("*.py")]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    froms = {node.module for node in nodes if isinstance(node, ast.ImportFrom)}
    plain = {name.name for node in nodes if isinstance(node, ast.Import) for name in node.names}
    strangers = {"duckdb", "narwhals", "pandas", "fastapi", "sqlalchemy", "pyspark"}
    assert not strangers & {str(name).split(".")[0] for name in froms | plain}
    assert {str(name) for name in froms if str(name).startswith("lowkey.")} <= {
        "lowkey.checks",
        "lowkey.counts",
        "lowkey.counts.counts",
        "lowkey.counts.reports",
        "lowkey.errors",
        "lowkey.files",
        "lowkey.mechanisms.base",
        "lowkey.mechanisms.ranks",
        "lowkey.workloads.base",
    }


# -- very many outputs ------------------------------------------------------------------


MANY = Survey("abc", 2**61)
some_reports = st.lists(st.sampled_from([0, 7, 2**40, 2**61 - 1]), max_size=20)


@given(some_reports, some_reports)
def test_counts_of_many_outputs_add_up_to_those_of_all_reports(first: list[int], second: list[int]) -> None:
    parts = [Counts.from_reports(MANY, first), Counts.from_reports(MANY, second)]
    together = Counts.from_reports(MANY, first + second)
    assert parts[0] + parts[1] == parts[1] + parts[0] == together
    assert sum(parts, Counts.empty(MANY)) == together
    assert hash(parts[0] + parts[1]) == hash(together)
    assert together.users == len(first + second)


def test_of_many_outputs_those_that_occurred_are_kept() -> None:
    counts = Counts.from_reports(MANY, [2**40, 7, 2**40])
    assert counts.numbers is not None
    assert (counts.numbers.tolist(), counts.people.tolist()) == ([7, 2**40], [1, 2])
    assert counts.responses.outputs is counts.numbers
    assert repr(counts) == "<Counts of abc: 3 people, 2 of 2,305,843,009,213,693,952 outputs>"
    with pytest.raises(InvalidInput, match=r"count of every output is a list of 2,305.*Use numbers and people"):
        counts.values  # noqa: B018


def test_outputs_are_listed_up_to_a_limit_and_listed_counts_are_the_same_either_way() -> None:
    few, many = Survey("abc", 2**24), Survey("abc", 2**24 + 1)
    assert Counts.from_reports(few, [5]).numbers is None
    listed = Counts.from_reports(many, [5, 5])
    assert listed.numbers is not None
    assert listed == Counts("abc", listed.values)
    assert listed.values[5] == listed.values.sum() == 2


@given(some_reports)
def test_round_trip_of_many_outputs(tmp_path_factory: pytest.TempPathFactory, reports: list[int]) -> None:
    path = tmp_path_factory.mktemp("counts") / "counts.json"
    Counts.from_reports(MANY, reports).save(path)
    assert json.loads(path.read_text())["version"] == 2
    assert Counts.load(path) == Counts.from_reports(MANY, reports)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 1}, "keys of the counts file"),
        ({"users": 4}, "number of users is 4; expected 3"),
        ({"numbers": [7]}, "the counts is 2 for 1 outputs"),
        ({"numbers": [7, 2**61]}, "numbers of the outputs is from 7 to 2,305"),
        ({"numbers": [-1, 7]}, "numbers of the outputs is from -1 to 7"),
        ({"numbers": [7.5, 8.5]}, "numbers of the outputs is"),
        ({"outputs": 2**63}, "at most 2\\^62"),
        ({"outputs": "many"}, "number of outputs is .many"),
        ({"people": [1, -2]}, "the counts is"),
    ],
)
def test_damaged_files_of_many_outputs_are_refused(tmp_path: Path, change: dict[str, object], message: str) -> None:
    Counts.from_reports(MANY, [2**40, 7, 2**40]).save(tmp_path / "a")
    document = json.loads((tmp_path / "a").read_text())
    (tmp_path / "a").write_text(json.dumps({**document, **change}))
    with pytest.raises(InvalidInput, match=message):
        Counts.load(tmp_path / "a")


def test_a_float_too_large_to_be_exact_is_no_output_number() -> None:
    assert Counts.from_reports(MANY, [float(2**52)]).users == 1
    with pytest.raises(InvalidInput, match="wrong in 1 of 1 places"):
        Counts.from_reports(MANY, [float(2**60)])
