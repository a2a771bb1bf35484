"""The results file: rows come back as they were, and a write that was cut off costs that row alone."""

from __future__ import annotations

from dataclasses import fields
from pathlib import Path

import pytest
from experiment_cases import row
from hypothesis import given
from hypothesis import strategies as st

from lowkey.errors import InvalidInput
from lowkey.experiments import Outcome, Row, Task
from lowkey.experiments.results import COLUMNS
from lowkey.experiments.results_file import ResultsFile

FIRST, SECOND = Task("prefix", 1.0, 8, "hadamard"), Task("prefix", 0.1, 8, "lowkey", 32, 3, float("inf"), "cpu")

texts = st.text(max_size=20).map(lambda text: " ".join(text.split()))
numbers = st.none() | st.floats(allow_nan=False)
counts = st.none() | st.integers()
tasks = st.builds(Task, texts, st.floats(allow_nan=False), st.integers(), texts, counts, counts, numbers, st.none())
outcomes = st.builds(
    Outcome,
    status=texts,
    note=texts,
    outputs=counts,
    **{field.name: numbers for field in fields(Outcome) if field.type == "float | None"},
)


@given(st.builds(Row, tasks, outcomes, texts, texts, texts))
def test_a_row_comes_back_exactly(one: Row) -> None:
    assert Row.from_texts(dict(zip(COLUMNS, one.to_texts(), strict=True))) == one


def test_the_columns() -> None:
    assert COLUMNS[:4] == ("workload", "epsilon", "n", "mechanism")
    assert {"sample_complexity", "worst_case", "average", "bound", "gap", "outputs", "seconds"} < set(COLUMNS)
    assert COLUMNS[-3:] == ("machine", "version", "date")


def test_rows_are_found_by_their_task(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    kept = [row(FIRST, 2.5, note='a "note",\nof two  lines'), row(SECOND, None)]
    for one in kept:
        ResultsFile(path).append(one)
    found = ResultsFile(path).rows
    assert found[SECOND] == kept[1]
    assert found[FIRST].outcome.note == 'a "note", of two lines'
    assert len(path.read_text(encoding="utf-8").splitlines()) == 3


def test_wherever_the_last_write_was_cut_off_the_rest_is_there(tmp_path: Path) -> None:
    path = tmp_path / "table.csv"
    ResultsFile(path).append(row(FIRST))
    whole = path.read_bytes()
    ResultsFile(path).append(row(SECOND))
    everything = path.read_bytes()
    for length in {*range(0, len(everything), 11), len(whole) - 1, len(whole), len(whole) + 1, len(everything) - 1}:
        path.write_bytes(everything[:length])
        table = ResultsFile(path)
        assert list(table.rows) == ([FIRST] if length >= len(whole) else [])
        for task in {FIRST, SECOND} - set(table.rows):
            table.append(row(task))
        assert set(ResultsFile(path).rows) == {FIRST, SECOND}


def test_the_later_row_of_a_task_counts(tmp_path: Path) -> None:
    table = ResultsFile(tmp_path / "table.csv")
    table.append(row(FIRST, 1.0))
    table.append(row(FIRST, 2.0))
    assert ResultsFile(table.path).rows == {FIRST: row(FIRST, 2.0)}


@pytest.mark.parametrize("content", ["a,b\n1,2\n", "something else", "\n"])
def test_another_file_is_refused_and_left_alone(tmp_path: Path, content: str) -> None:
    path = tmp_path / "table.csv"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"with other columns; expected a file that this version made"):
        ResultsFile(path)
    assert path.read_text(encoding="utf-8") == content


@pytest.mark.parametrize(("old", "new"), [("1.0", "one"), (",hadamard", ""), ("prefix,1.0", "prefix,")])
def test_a_line_that_is_no_row_is_named(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "table.csv"
    ResultsFile(path).append(row(FIRST))
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(InvalidInput, match=r"whose line 2 is no row .* Delete the line"):
        ResultsFile(path)


def test_a_file_that_is_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_bytes(b"\xff\xfe\n")
    with pytest.raises(InvalidInput, match="which is not text"):
        ResultsFile(tmp_path / "table.csv")
