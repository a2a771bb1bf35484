"""The demo: its synthetic population is what its documentation says, and a short run does the whole way."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import lowkey as lk

EXAMPLES = Path(__file__).parent.parent / "examples"
SURVEY = lk.load_survey(EXAMPLES / "commute" / "survey.toml")


@pytest.fixture
def population(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.syspath_prepend(str(EXAMPLES))
    import importlib

    return importlib.import_module("commute.population")


def test_population_has_the_tables_that_it_documents(population: ModuleType) -> None:
    joint = population.shares(SURVEY.schema).reshape(SURVEY.schema.sizes)
    assert joint.min() > 0
    age = joint.sum(axis=(1, 2, 3))
    np.testing.assert_allclose(age, [0.14, 0.24, 0.33, 0.25, 0.04])
    np.testing.assert_allclose(joint.sum(axis=(2, 3))[0] / age[0], [0.38, 0.30, 0.27, 0.05])
    by_mode = joint.sum(axis=(0, 3))
    np.testing.assert_allclose(by_mode[1] / by_mode[1].sum(), [0.05, 0.24, 0.45, 0.26])
    odds = joint.sum(axis=2)  # age, mode, income: drivers against those at home differ by e^0.3 a band
    ratio = odds[:, 3, 1:] / odds[:, 3, :-1] / (odds[:, 0, 1:] / odds[:, 0, :-1])
    np.testing.assert_allclose(ratio, np.exp(0.45 - 0.15))


def test_minutes_and_income_are_independent_given_age_and_mode(population: ModuleType) -> None:
    joint = population.shares(SURVEY.schema).reshape(SURVEY.schema.sizes)
    given = joint[2, 1] / joint[2, 1].sum()
    np.testing.assert_allclose(given, np.outer(given.sum(axis=1), given.sum(axis=0)))


def test_draw_draws_everybody_and_the_same_again(population: ModuleType) -> None:
    people = population.draw(SURVEY.schema, 10_000, seed=3)
    assert people.sum() == 10_000
    np.testing.assert_array_equal(people, population.draw(SURVEY.schema, 10_000, seed=3))
    assert (people != population.draw(SURVEY.schema, 10_000, seed=4)).any()


def test_another_schema_is_refused(population: ModuleType) -> None:
    with pytest.raises(ValueError, match=r"this population has .* of sizes \(5, 4, 4, 4\); the schema is"):
        population.shares(lk.Schema([lk.Categorical("age", ["young", "old"])]))


def test_a_short_run_goes_the_whole_way(tmp_path: Path) -> None:
    options = ["--out", "out", "--users", "20000", "--iterations", "10", "--repeats", "2"]
    command = [sys.executable, str(EXAMPLES / "demo.py"), *options]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    page = tmp_path / "out" / "index.html"
    assert page.as_uri() in done.stdout
    assert "320 combinations, 137 queries, ε = 1." in done.stdout
    assert "The answers: 20,000 simulated people report once each" in done.stdout
    content = page.read_text(encoding="utf-8")
    for part in SURVEY.parts:
        assert part.name in done.stdout
        assert part.name in content
    for mechanism in ("subset selection", "randomized response", "matrix mechanism L2"):
        assert mechanism in done.stdout
        assert mechanism in content
