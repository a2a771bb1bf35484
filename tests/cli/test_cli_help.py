"""Every verb explains itself, and the reference is what the command says of itself."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import typer.cli
from cli_runs import output, run
from typer.testing import CliRunner

import lowkey as lk

VERBS = ("design", "plan", "compare", "inspect", "simulate", "estimate", "reproduce")
REFERENCE = Path(__file__).parents[2] / "docs" / "cli.md"
GENERATE = ("lowkey.cli", "utils", "docs", "--name", "lowkey", "--title", "The command lowkey")


@pytest.mark.parametrize("verb", VERBS)
def test_help_has_an_example_and_fits_80_columns(verb: str) -> None:
    text = output(verb, "--help")
    assert f"      lowkey {verb} {'figure1' if verb == 'reproduce' else 'survey.'}" in text
    assert "--json" in text
    assert max(map(len, text.splitlines())) <= 80


def test_the_command_lists_its_verbs_and_its_version() -> None:
    assert all(f"  {verb} " in output("--help") for verb in VERBS)
    assert run().exit_code == 2  # no verb: the help, and a failure for scripts
    assert output("--version") == f"lowkey {lk.__version__}\n"


def test_results_fit_80_columns_without_colours(survey: Path, deployment: Path) -> None:
    for arguments in (("compare", survey), ("inspect", deployment), ("simulate", deployment)):
        text = output(*arguments)
        assert "\x1b" not in text
        assert max(map(len, text.splitlines())) <= 80


def test_the_reference_is_up_to_date() -> None:
    result = CliRunner().invoke(typer.cli.app, GENERATE)
    advice = f"run: typer {' '.join(GENERATE[:-1])} '{GENERATE[-1]}' --output docs/cli.md"
    assert result.stdout.rstrip("\n") == REFERENCE.read_text(encoding="utf-8").rstrip("\n"), advice


def test_help_loads_no_heavy_library() -> None:
    heavy = "matplotlib jinja2 pandas polars pyarrow torch"
    script = f"import sys, lowkey.cli; print(*[name for name in '{heavy}'.split() if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout == "\n"
