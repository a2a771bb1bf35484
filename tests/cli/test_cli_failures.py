"""What goes wrong is told in one line without a traceback; a bug is not."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from cli_runs import UNWEIGHTED, failure, run, survey_in

import lowkey as lk

COMMAND = (sys.executable, "-c", "from lowkey.cli import main; main()")


def in_a_shell(*arguments: object, text: str = COMMAND[-1]) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", text, *map(str, arguments)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8")


@pytest.mark.parametrize("verb", ["design", "compare", "plan"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "No such file or directory"),
        ("{", "no valid TOML"),
        (UNWEIGHTED.replace("prefix", "prefixes"), "'kind' of [[workload]] number 2"),
        (UNWEIGHTED.replace("epsilon = 1.0", "epsilon = -1.0"), "expected a positive finite number"),
        (UNWEIGHTED.replace("pro'", "gold'"), "gold"),
    ],
)
def test_surveys(tmp_path: Path, verb: str, content: str | None, message: str) -> None:
    survey = tmp_path / "survey.toml" if content is None else survey_in(tmp_path, content)
    assert message in failure(verb, survey, *(["--users", 10] if verb == "plan" else []))


@pytest.mark.parametrize("verb", ["inspect", "simulate", "estimate"])
@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "No such file or directory"),
        ("{", "which is not JSON"),
        ('{"format": "lowkey-counts"}', "Is this file the deployment file at all?"),
        ("[1]", "Is this file the deployment file at all?"),
    ],
)
def test_deployments(tmp_path: Path, verb: str, content: str | None, message: str) -> None:
    path = tmp_path / "survey.lowkey"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    assert message in failure(verb, path, *(["counts.json"] if verb == "estimate" else []))


@pytest.mark.parametrize("verb", ["design", "inspect", "simulate"])
def test_a_directory_is_no_file(tmp_path: Path, verb: str) -> None:
    assert "Is a directory" in failure(verb, tmp_path)


@pytest.mark.parametrize("content", [None, "{", "{}", '{"format": "lowkey-counts", "version": 1}'])
def test_counts(deployment: Path, tmp_path: Path, content: str | None) -> None:
    path = tmp_path / "counts.json"
    if content is not None:
        path.write_text(content, encoding="utf-8")
    assert "the counts file" in failure("estimate", deployment, path)


@pytest.mark.parametrize(
    ("verb", "options", "message"),
    [
        ("design", ("--epsilon", "-1"), "epsilon is -1.0; expected a positive finite number"),
        ("design", ("--alpha", "0"), "alpha is 0.0; expected a positive number"),
        ("design", ("--users", "0"), "users is 0; expected a whole number of at least 1"),
        ("design", ("--seed", "-1"), "seed is -1; expected a whole number of at least 0"),
        ("design", ("--time-limit", "nan"), "time_limit is nan; expected a positive number of seconds"),
        ("compare", ("--alpha", "-1"), "alpha is -1.0"),
        ("plan", ("--users", "0"), "users is 0"),
        ("plan", ("--error", "0"), "error is 0.0; expected a share of the users"),
    ],
)
def test_numbers(survey: Path, verb: str, options: tuple[str, str], message: str) -> None:
    assert message in failure(verb, survey, *options)


@pytest.mark.parametrize(
    "arguments", [("nothing",), ("design",), ("design", "survey.toml", "--foo"), ("inspect", "x", "--users", "many")]
)
def test_a_wrong_command_line_shows_the_usage(arguments: tuple[str, ...]) -> None:
    result = run(*arguments)
    assert result.exit_code == 2
    assert result.stderr.startswith("Usage: ")
    assert "Traceback" not in result.stderr


def test_what_the_system_refuses(deployment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refused(path: Path) -> lk.Deployment:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr("lowkey.cli.inspect.load", refused)
    assert failure("inspect", deployment) == f"{deployment}: Permission denied"


def test_too_little_memory(deployment: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def greedy(path: Path) -> lk.Deployment:
        raise MemoryError

    monkeypatch.setattr("lowkey.cli.inspect.load", greedy)
    assert "does not fit in memory" in failure("inspect", deployment)


def test_a_bug_keeps_its_traceback(deployment: Path) -> None:
    script = "import lowkey.cli.inspect as i; i.load = lambda path: 1 / 0\n" + COMMAND[-1]
    with in_a_shell("inspect", deployment, text=script) as process:
        _, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert errors.startswith("Traceback")
    assert "ZeroDivisionError" in errors


def test_a_reader_that_leaves_is_no_error(deployment: Path) -> None:
    with in_a_shell("inspect", deployment, "--json") as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.close()
        assert process.stderr.read() == ""
    assert process.returncode == 1


def test_ctrl_c_keeps_the_best_design_so_far(survey: Path) -> None:
    script = """
import sys, time
import lowkey.cli.optimization as optimization
def show(moment):
    print("running", file=sys.stderr, flush=True)
    time.sleep(10)  # until Ctrl-C
optimization.is_watched = lambda: show
"""
    with in_a_shell("design", survey, text=script + COMMAND[-1]) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "running\n"
        process.send_signal(signal.SIGINT)
        text, errors = process.communicate(timeout=60)
    assert (process.returncode, errors) == (130, "Interrupted: this is the best found so far.\n")
    assert "Stopped by hand" in " ".join(text.split())
    assert lk.load(survey.with_name("survey.lowkey")).epsilon == 1.0


def test_a_terminal_without_the_letters_is_no_error(deployment: Path) -> None:
    process = subprocess.run(
        [*COMMAND, "inspect", str(deployment)], capture_output=True, env={"PYTHONIOENCODING": "ascii"}, check=True
    )
    assert process.stdout.startswith(b"? = 1, mechanism")
