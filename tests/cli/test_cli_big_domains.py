"""Every verb on a hundred yes-or-no questions: what it does, or which size it would need."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest
from cli_runs import failure, output, record

import lowkey as lk

QUESTIONS = [f"q{place}" for place in range(100)]
SURVEY = (
    '[survey]\nname = "A hundred"\nepsilon = 1.0\n'
    + "".join(f'[[attribute]]\nname = "{name}"\nlabels = ["no", "yes"]\n' for name in QUESTIONS)
    + '[[workload]]\nkind = "k_way_marginals"\nname = "Pairs"\nk = 2\n'
    + '[[workload]]\nkind = "histogram"\nname = "Three"\nattributes = ["q7", "q50", "q3"]\nweight = 3.0\n'
)


@pytest.fixture(scope="module")
def survey(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hundred") / "survey.toml"
    path.write_text(SURVEY)
    return path


@pytest.fixture(scope="module")
def deployment(survey: Path) -> Path:
    record("design", survey)
    return survey.with_name("survey.lowkey")


@pytest.fixture(scope="module")
def counts(deployment: Path) -> Path:
    path = deployment.with_name("counts.json")
    output("simulate", deployment, "--users", 5000, "-o", path)
    return path


def test_design_tells_the_accuracy_of_each_family_and_writes_a_small_file(survey: Path, deployment: Path) -> None:
    text = output("design", survey)
    assert "A hundred: 19,808 queries over about 10^30 cells" in text
    assert "Pairs" in text
    assert "Three" in text
    assert "not here (the domain to compare mechanisms on is about 10^30 cells)" in text.replace("\n", " ")
    assert deployment.stat().st_size < 20_000


def test_inspect_gives_the_same_figures(survey: Path, deployment: Path) -> None:
    designed, inspected = record("design", survey), record("inspect", deployment)
    assert inspected["families"] == designed["families"]
    assert inspected["cells"] == 2**100
    assert inspected["outputs"] == designed["outputs"]
    assert "about 10^30 cells" in output("inspect", deployment)


def test_simulate_keeps_what_was_designed(deployment: Path) -> None:
    found = record("simulate", deployment, "--users", 5000)
    assert found["users"] == 5000
    for family in found["families"]:
        assert family["error"] < 2 * family["designed_error"]
    assert found["families"][0]["intervals_that_hold"] == pytest.approx(0.95 * 19_800, rel=0.04)


def test_simulate_reads_records_of_a_hundred_columns(deployment: Path, tmp_path: Path) -> None:
    people, kept = tmp_path / "people.csv", tmp_path / "counts.json"
    rows = np.random.default_rng(0).choice(["no", "yes"], size=(40, 100))
    lines = [",".join([*QUESTIONS, "count"]), *(",".join([*row, "3"]) for row in rows.tolist())]
    people.write_text("\n".join(lines) + "\n")
    assert record("simulate", deployment, "--population", people, "-o", kept)["users"] == 120
    records = [dict(zip(QUESTIONS, row, strict=True)) for row in np.repeat(rows, 3, axis=0).tolist()]
    assert lk.Counts.load(kept) == lk.simulate(lk.load(deployment), records)
    assert record("simulate", deployment, "--population", people, "--users", 70)["users"] == 70


def test_estimate_prints_the_first_answers_and_writes_all(deployment: Path, counts: Path) -> None:
    text = output("estimate", deployment, counts, "--rows", 2)
    assert "q0 = no and q1 = no" in text
    assert "q7 = no and q50 = no and q3 = no" in text
    assert "… and 19,798 more" in text
    rows = list(csv.DictReader(output("estimate", deployment, counts, "--csv").splitlines()))
    made = lk.estimate(lk.load(deployment), lk.Counts.load(counts))
    assert [row["query"] for row in rows] == made.to_frame("pandas")["query"].tolist()
    assert [float(row["low"]) for row in rows] == [low for *_, low, _ in made.rows()]
    assert len(record("estimate", deployment, counts)["answers"]) == 19_808


def test_compare_and_plan_work_without_the_domain(survey: Path) -> None:
    ranked = record("compare", survey)["competitors"]
    assert ranked[0]["name"] == "optimized"
    planned = record("plan", survey, "--users", 10**6)
    assert 0 < planned["error"] < 0.5
    assert record("plan", survey, "--error", planned["error"])["users"] == pytest.approx(10**6, rel=1e-6)


def test_consistent_answers_are_shares_of_those_who_reported(deployment: Path, counts: Path) -> None:
    found = record("estimate", deployment, counts, "--method", "wnnls")["answers"]
    answers = [one["answer"] for one in found]
    assert min(answers) >= 0
    assert [sum(answers[start : start + 4]) for start in (0, 4, 19_796)] == pytest.approx([5000] * 3)
    assert found[0]["low"] is None


def test_what_needs_the_cells_says_so(survey: Path, deployment: Path) -> None:
    assert "expected at most 16,384" in failure("design", survey, "--max-outputs", 500)
    assert "at most 2,684,354 people" in failure("simulate", deployment, "--users", 10**9)
