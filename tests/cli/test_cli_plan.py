"""lowkey plan: the library's answer, and which two numbers it takes."""

from __future__ import annotations

from pathlib import Path

import pytest
from cli_runs import failure, output, record, run

import lowkey as lk
from lowkey.cli.formats import percent


def test_two_numbers_give_the_third(survey: Path) -> None:
    workload = lk.load_survey(survey).workload
    for options in ({"users": 2000, "error": 0.05}, {"epsilon": 0.5, "users": 2000}, {"epsilon": 0.5, "error": 0.05}):
        arguments = [part for name, value in options.items() for part in (f"--{name}", value)]
        found, expected = record("plan", survey, *arguments), lk.plan(workload, **options)  # type: ignore[arg-type]
        assert found["solved"] == ({"epsilon", "users", "error"} - set(options)).pop() == expected.solved
        assert (found["epsilon"], found["users"]) == (expected.epsilon, expected.users)
        assert found["error"] == expected.error
        assert [(one["epsilon"], one["users"], one["error"]) for one in found["curve"]] == [
            (one.epsilon, one.users, one.error) for one in expected.curve
        ]


def test_one_number_is_joined_by_the_survey_s_epsilon(survey: Path) -> None:
    assert record("plan", survey, "--users", 500) == {
        **record("plan", survey, "--users", 500, "--epsilon", 1.0),
        "seconds": pytest.approx(0, abs=60),
    }
    assert record("plan", survey, "--error", 0.1)["epsilon"] == 1.0


def test_the_text_gives_the_answer_and_the_curve(survey: Path) -> None:
    plan = lk.plan(lk.load_survey(survey).workload, epsilon=1.0, error=0.05)
    text = output("plan", survey, "--error", 0.05)
    assert text.startswith(f"{plan.users:,} people, for ε = 1 and error ±5%\n")
    for point in plan.curve:
        assert any(f"{point.users:,}" in line and percent(point.error) in line for line in text.splitlines())


def test_exactly_two_numbers(survey: Path) -> None:
    expected = "expected exactly two of epsilon, users and error"
    assert failure("plan", survey).startswith(f"what plan was given is none of them; {expected}")
    assert "is epsilon alone" in failure("plan", survey, "--epsilon", 1)
    assert "is all three" in failure("plan", survey, "--epsilon", 1, "--users", 10, "--error", 0.1)


def test_out_of_reach(survey: Path) -> None:
    message = failure("plan", survey, "--users", 1, "--error", 1e-8)
    assert "not to be had from so few people" in message
    assert "Ask more people, or accept a larger error." in message


def test_ctrl_c(survey: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(moment: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("lowkey.cli.plan.is_watched", lambda: interrupted)
    half = run("plan", survey, "--users", 1000, "--error", 0.1)
    assert (half.exit_code, half.stdout, half.stderr) == (130, "", "Interrupted.\n")
    whole = run("plan", survey, "--users", 1000)
    assert whole.exit_code == 130
    assert "for ε = 1 and 1,000 people" in whole.stdout
