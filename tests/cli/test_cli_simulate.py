"""lowkey simulate: truth against estimate, for people of any kind or those of a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from cli_runs import WEIGHTED, failure, output, record, survey_in

import lowkey as lk
from lowkey.cli.formats import percent
from lowkey.cli.population import drawn, uniform


def csv_in(folder: Path, text: str) -> Path:
    path = folder / "people.csv"
    path.write_text(text, encoding="utf-8")
    return path


RECORDS = "age,plan\n17.5,free\n70,pro\n18,pro\n64,free\n"


def test_the_errors_are_those_of_the_counts_written(deployment: Path, deployed: lk.Deployment, tmp_path: Path) -> None:
    written = tmp_path / "counts.json"
    found = record("simulate", deployment, "--users", 3000, "--seed", 5, "-o", written)
    truth = uniform(deployed.schema, 3000, seed=5)
    counts = lk.Counts.load(written)
    assert counts == lk.simulate(deployed, truth, seed=5)
    answers = list(lk.estimate(deployed, counts).rows())
    exact = deployed.workload.matvec(truth)
    for family, start, stop in zip(found["families"], (0, 2, 5), (2, 5, 6), strict=True):
        wrong = [answers[i][2] - exact[i] for i in range(start, stop)]
        assert family["error"] == pytest.approx(np.sqrt(np.mean(np.square(wrong))) / 3000)
        held = sum(answers[i][3] - 1e-3 <= exact[i] <= answers[i][4] + 1e-3 for i in range(start, stop))
        assert family["intervals_that_hold"] == held
    assert (found["users"], found["counts"], found["digest"]) == (3000, str(written), deployed.digest)


def test_the_designed_error_is_the_analysis_s(deployment: Path, design: lk.Solution) -> None:
    families = record("simulate", deployment, "--users", 3000)["families"]
    expected = [one.error(3000) for one in design.analysis.families]
    assert [one["designed_error"] for one in families] == pytest.approx(expected, rel=1e-12)


def test_weights_are_taken_out(tmp_path: Path) -> None:
    survey = survey_in(tmp_path, WEIGHTED)
    record("design", survey)
    plans = record("simulate", survey.with_name("survey.lowkey"), "--users", 10**9)["families"][0]
    assert plans["error"] < 4 * plans["designed_error"] < 0.001


def test_the_text_holds_the_record(deployment: Path) -> None:
    text = output("simulate", deployment, "--users", 2000)
    assert "Truth against estimate: 2,000 people" in text
    for one in record("simulate", deployment, "--users", 2000)["families"]:
        line = next(line for line in text.splitlines() if one["name"] in line)
        assert percent(one["error"]) in line
        assert percent(one["designed_error"]) in line
        assert f"{one['intervals_that_hold']} of {one['queries']}" in line


def test_the_default_is_a_hundred_thousand_people(deployment: Path) -> None:
    assert record("simulate", deployment)["users"] == 100_000


def test_everyone_in_the_file_reports_once(deployment: Path, deployed: lk.Deployment, tmp_path: Path) -> None:
    written = tmp_path / "counts.json"
    found = record("simulate", deployment, "--population", csv_in(tmp_path, RECORDS), "-o", written)
    assert found["users"] == 4
    people = [{"plan": "free", "age": 17.5}, {"plan": "pro", "age": 70}]
    people += [{"plan": "pro", "age": 18}, {"plan": "free", "age": 64}]
    assert lk.Counts.load(written) == lk.simulate(deployed, people)


def test_a_count_stands_for_many(deployment: Path, deployed: lk.Deployment, tmp_path: Path) -> None:
    written = tmp_path / "counts.json"
    file = csv_in(tmp_path, "plan,age,count\nfree,17,600\npro,70,0\npro,70,400\n\n")
    assert record("simulate", deployment, "--population", file, "-o", written)["users"] == 1000
    assert lk.Counts.load(written) == lk.simulate(deployed, [600, 0, 0, 0, 0, 400])


def test_people_are_drawn_from_the_file_for_a_number_of_users(deployment: Path, tmp_path: Path) -> None:
    file = csv_in(tmp_path, "plan,age,count\nfree,17,3\npro,70,1\n")
    assert record("simulate", deployment, "--population", file, "--users", 10_000)["users"] == 10_000
    people = drawn(np.array([3.0, 0, 0, 0, 0, 1.0]), 10_000, seed=0)
    assert people[[1, 2, 3, 4]].tolist() == [0, 0, 0, 0]
    assert abs(people[0] - 7500) < 4 * np.sqrt(10_000 * 0.75 * 0.25)


def test_labels_that_are_numbers_or_truths(tmp_path: Path) -> None:
    schema = lk.Schema([lk.Categorical("rooms", [1, 2, 3]), lk.Categorical("owner", [False, True])])
    mechanism = lk.mechanisms.create("randomized_response", 6, 1.0)
    D = lk.deploy(schema, lk.workloads.histogram(6), mechanism)
    D.save(tmp_path / "rooms.lowkey")
    file = csv_in(tmp_path, "\ufeffrooms, owner\n2,true\n3,FALSE\n")
    record("simulate", tmp_path / "rooms.lowkey", "--population", file, "-o", tmp_path / "c.json")
    assert lk.Counts.load(tmp_path / "c.json") == lk.simulate(D, [0, 0, 0, 1, 1, 0])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is without records"),
        ("plan,age\n", "is without records"),
        ("plan,age\nfree\n", "record 0 of the population"),
        ("plan,plan,age\nfree,free,3\n", "names that differ"),
        ("plan\nfree\n", "the column 'age' is not in"),
        ("plan,age,income\nfree,3,4\n", "'income'"),
        ("plan,age\nfree,3\ngold,3\n", "'plan' in row 1 is 'gold'"),
        ("plan,age\nfree,old\n", "'age' in row 0 is 'old'"),
        ("plan,age\nfree,\n", "'age' in row 0"),
        ("plan,age\nfree,130\n", "'age' in row 0 is 130"),
        ("plan,age,count\nfree,3,-1\n", "'count' in record 0"),
        ("plan,age,count\nfree,3,1.5\n", "a whole number of people"),
        ("plan,age,count\nfree,3,0\n", "of 0 people"),
        ('plan,age\n"free,3\n', "is not CSV in UTF-8"),
    ],
)
def test_a_file_that_does_not_fit_is_refused(deployment: Path, tmp_path: Path, text: str, message: str) -> None:
    assert message in failure("simulate", deployment, "--population", csv_in(tmp_path, text))


def test_a_file_of_other_bytes_is_refused(deployment: Path, tmp_path: Path) -> None:
    file = tmp_path / "people.csv"
    file.write_bytes(b"plan,age\n\xff\xfe,3\n")
    assert "is not CSV in UTF-8" in failure("simulate", deployment, "--population", file)


@pytest.mark.parametrize("users", ["0", "-5", str(2**53 + 1)])
def test_numbers_of_people(deployment: Path, users: str) -> None:
    assert failure("simulate", deployment, "--users", users).startswith(f"users is {users}; expected")


def test_nothing_but_counts_is_overwritten(deployment: Path) -> None:
    before = deployment.read_bytes()
    assert "where something else stands" in failure("simulate", deployment, "-o", deployment)
    assert deployment.read_bytes() == before
