"""The command's verbs put together."""

from __future__ import annotations

import sys
from typing import Annotated, Any

import typer
import typer.core

from lowkey import __version__
from lowkey.cli.compare import compare
from lowkey.cli.design import design
from lowkey.cli.estimate import estimate
from lowkey.cli.failures import told_in_a_line
from lowkey.cli.inspect import inspect
from lowkey.cli.plan import plan
from lowkey.cli.reproduce import reproduce
from lowkey.cli.simulate import simulate


class Verbs(typer.core.TyperGroup):
    """The verbs, whose errors are told in a line."""

    def invoke(self, ctx: Any) -> object:
        with told_in_a_line():
            return super().invoke(ctx)


app = typer.Typer(
    cls=Verbs,
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,  # an exception that nobody foresaw is a bug: show it as Python does
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)
for verb in (design, plan, compare, inspect, simulate, estimate, reproduce):
    app.command()(verb)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        print(f"lowkey {__version__}")
        raise typer.Exit


@app.callback()
def root(
    version: Annotated[
        bool, typer.Option("--version", help="Print the version and exit.", callback=_print_version, is_eager=True)
    ] = False,
) -> None:
    """Learn statistics from people without ever holding their answers.

    A survey is a TOML file: what is asked, of whom, at which privacy ε. Every verb has --help with an example, and
    --json for machines.

    Example:

        lowkey design survey.toml
    """


def main() -> None:
    """The entry point."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")  # ε on a terminal without it is a question mark, not a crash
    app()
