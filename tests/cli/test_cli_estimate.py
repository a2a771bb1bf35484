"""lowkey estimate: the library's answers, merged, shortened or whole."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from cli_runs import failure, output, record

import lowkey as lk

PEOPLE = ([3000, 500, 200, 100, 900, 300], [10, 20, 30, 40, 50, 60])


@pytest.fixture
def counts(deployed: lk.Deployment, tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"day{day}.json" for day in range(2)]
    for day, path in enumerate(paths):
        lk.simulate(deployed, PEOPLE[day], seed=day).save(path)
    return paths


@pytest.fixture
def merged(deployed: lk.Deployment) -> lk.Counts:
    return lk.simulate(deployed, PEOPLE[0], seed=0) + lk.simulate(deployed, PEOPLE[1], seed=1)


def test_the_answers_are_the_library_s_for_all_counts(
    deployment: Path, deployed: lk.Deployment, counts: list[Path], merged: lk.Counts
) -> None:
    found = record("estimate", deployment, *counts, "--confidence", 0.8)
    expected = list(lk.estimate(deployed, merged, confidence=0.8).rows())
    assert [tuple(one.values()) for one in found["answers"]] == expected
    assert list(found["answers"][0]) == ["family", "query", "answer", "low", "high"]
    assert (found["users"], found["method"], found["confidence"]) == (5210, "unbiased", 0.8)
    assert found["provenance"]["digest"] == deployed.digest


def test_csv_holds_every_answer(
    deployment: Path, deployed: lk.Deployment, counts: list[Path], merged: lk.Counts
) -> None:
    rows = list(csv.reader(io.StringIO(output("estimate", deployment, *counts, "--csv"))))
    assert rows[0] == ["family", "query", "answer", "low", "high"]
    found = [(family, query, *map(float, numbers)) for family, query, *numbers in rows[1:]]
    assert found == list(lk.estimate(deployed, merged).rows())


def test_consistent_answers_have_no_intervals(
    deployment: Path, deployed: lk.Deployment, counts: list[Path], merged: lk.Counts
) -> None:
    found = record("estimate", deployment, *counts, "--method", "wnnls", "--total", 5210)
    expected = lk.estimate(deployed, merged, "wnnls", total=5210)
    assert [one["answer"] for one in found["answers"]] == [row[2] for row in expected.rows()]
    assert all(one["low"] is None and one["high"] is None for one in found["answers"])
    assert output("estimate", deployment, *counts, "--method", "wnnls", "--csv").splitlines()[1].endswith(",,")
    assert "–" in output("estimate", deployment, *counts, "--method", "wnnls")


def test_the_text_gives_people_shares_and_intervals(
    deployment: Path, deployed: lk.Deployment, counts: list[Path], merged: lk.Counts
) -> None:
    text = output("estimate", deployment, *counts, "--confidence", 0.9)
    assert "90% interval" in text
    for _, query, answer, low, high in lk.estimate(deployed, merged, confidence=0.9).rows():
        line = next(line for line in text.splitlines() if line.startswith(f"  {query}  "))
        assert f"{answer:,.0f}" in line
        assert f"{low:,.0f} to {high:,.0f}" in line


def test_long_families_are_shortened(deployment: Path, counts: list[Path]) -> None:
    text = output("estimate", deployment, *counts, "--rows", 1)
    assert "plan = free" in text
    assert "plan = pro " not in text
    assert "… and 1 more: --csv or --json gives all" in text
    assert "… and 2 more: --csv or --json gives all" in text
    assert "more" not in output("estimate", deployment, *counts)


def test_counts_of_another_deployment_are_refused(deployment: Path, counts: list[Path], tmp_path: Path) -> None:
    lk.Counts("another", [1, 2]).save(tmp_path / "other.json")
    assert "is another (2 outputs)" in failure("estimate", deployment, tmp_path / "other.json")
    assert "Counts of different deployments" in failure("estimate", deployment, counts[0], tmp_path / "other.json")


def test_one_form_of_output(deployment: Path, counts: list[Path]) -> None:
    assert "both --csv and --json; expected one of them" in failure("estimate", deployment, *counts, "--csv", "--json")
