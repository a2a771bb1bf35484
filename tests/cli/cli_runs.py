"""What the tests of the command share: tiny surveys, and a way to run a verb."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from typer.testing import CliRunner, Result

from lowkey.cli import app

PLANS_AND_AGES = """
[survey]
name = "Plans and ages"
epsilon = 1.0

[[attribute]]
name = "plan"
labels = ["free", "pro"]

[[attribute]]
name = "age"
edges = [0, 18, 65, 120]

[[workload]]
kind = "histogram"
name = "Plans"
attributes = ["plan"]
{weight}

[[workload]]
kind = "prefix"
name = "Ages"
attributes = ["age"]

[[workload]]
kind = "sql"
name = "Policy"
queries = ["age >= 65 AND plan = 'pro'"]
"""
UNWEIGHTED = PLANS_AND_AGES.format(weight="")
WEIGHTED = PLANS_AND_AGES.format(weight="weight = 3.0")


def run(*arguments: object) -> Result:
    """The verb's outcome; a bug's exception is raised, not kept."""
    result = CliRunner().invoke(app, [str(argument) for argument in arguments])
    if result.exception is not None and not isinstance(result.exception, SystemExit):
        raise result.exception
    return result


def output(*arguments: object) -> str:
    """What a successful run prints."""
    result = run(*arguments)
    assert result.exit_code == 0, result.stderr
    return result.stdout


def record(*arguments: object) -> dict[str, Any]:
    """What a successful run prints with --json; stderr stays empty where nobody watches."""
    result = run(*arguments, "--json")
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    assert isinstance(found, dict)
    return found


def failure(*arguments: object) -> str:
    """The one line that a failing run says, exit code 2."""
    result = run(*arguments)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1
    return result.stderr.removeprefix("error: ").removesuffix("\n")


def survey_in(folder: Path, text: str = UNWEIGHTED) -> Path:
    """A survey.toml in the folder."""
    path = folder / "survey.toml"
    path.write_text(text, encoding="utf-8")
    return path
