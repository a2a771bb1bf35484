"""lowkey reproduce: the library's rows, the same call goes on, and mistakes cost nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from cli_runs import failure, output, record, run

import lowkey as lk
from lowkey.experiments import Outcome, Task
from lowkey.experiments.paper_workloads import paper_workload
from lowkey.experiments.results_file import ResultsFile

SMALL = ("--quick", "--sizes", "8", "--workloads", "prefix")
CLOSED = (*SMALL, "--mechanisms", "randomized_response,hadamard")


def test_json_holds_the_rows_of_the_table(tmp_path: Path) -> None:
    (found,) = record("reproduce", "figure1", *CLOSED, "--epsilons", "1,2", "--out", tmp_path)["figures"]
    assert (found["name"], found["computed"]) == ("figure1", 4)
    table = ResultsFile(tmp_path / "figure1-quick.csv")
    assert found["rows"] == [one.to_record() for one in table.rows.values()]
    expected = lk.analyze(paper_workload("prefix", 8), lk.mechanisms.create("hadamard", 8, 2.0))
    assert found["rows"][3]["worst_case"] == expected.worst_case
    assert [Path(name).name for name in found["files"]][:2] == ["figure1-quick.csv", "figure1-quick-light.svg"]


def test_the_text_fits_80_columns_and_names_the_files(tmp_path: Path) -> None:
    result = run("reproduce", "figure1", "figure2", *SMALL, "--out", tmp_path)
    assert result.exit_code == 0
    lines = result.stdout.splitlines()
    assert [line.strip() for line in lines if line.startswith("Figure")] == [
        "Figure 1: sample complexity over ε",
        "Figure 2: sample complexity over n",
    ]
    assert max(len(line) for line in lines if "Wrote" not in line) <= 80
    assert "36 rows, 36 of them computed now." in result.stdout
    assert "figure1-quick-dark.png" in result.stdout.replace("\n", "")
    assert "figure1-quick 36/36 prefix ε=4 n=8 lowkey: " in result.stderr
    assert "36 rows, 0 of them computed now." in output("reproduce", "figure1", *SMALL, "--out", tmp_path)


def test_an_interruption_says_how_to_go_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupt(task: Task, workload: object) -> Outcome:
        raise KeyboardInterrupt

    monkeypatch.setattr("lowkey.experiments.measure._optimized", interrupt)
    result = run("reproduce", "figure1", *SMALL, "--out", tmp_path, "--json")
    assert (result.exit_code, result.stdout) == (130, "")
    assert "the same command goes on" in result.stderr
    assert len(ResultsFile(tmp_path / "figure1-quick.csv").rows) == 7


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("figure9",), "expected one of figure1, figure2, figure3b, figure3c"),
        (("figure1", "figure7"), "expected one of figure1, figure2, figure3b, figure3c"),
        (("figure1", "--sizes", "8,16"), "expected one size"),
        (("figure2", "--sizes", "8,x"), "--sizes is 8,x; expected numbers with commas between"),
        (("figure2", "--workloads", "cdf"), "expected one of histogram, prefix"),
        (("figure2", "--time-limit", "-1"), "expected a positive number of seconds"),
        (("figure2", "--draw-only"), "with no such row"),
    ],
)
def test_mistakes_are_told_before_anything_is_computed(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    assert message in failure("reproduce", *arguments, "--out", tmp_path / "new")
    assert not (tmp_path / "new").exists()


def test_a_folder_that_is_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("", encoding="utf-8")
    assert "File exists" in failure("reproduce", "figure1", *CLOSED, "--out", tmp_path / "taken")


def test_help_has_an_example() -> None:
    text = output("reproduce", "--help")
    assert "      lowkey reproduce figure1 figure2 --quick" in text
    assert "figure1, figure2, figure3b, figure3c" in " ".join(text.split())
    assert max(map(len, text.splitlines())) <= 80


def test_python_m_lowkey_is_the_command() -> None:
    done = subprocess.run([sys.executable, "-m", "lowkey", "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"lowkey {lk.__version__}\n"
