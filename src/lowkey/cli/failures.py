"""What goes wrong outside the program, told in one line; a bug keeps its traceback."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import typer

from lowkey.errors import LowkeyError

FAILED = 2
INTERRUPTED = 130  # as shells say it: 128 + SIGINT


@contextmanager
def told_in_a_line() -> Iterator[None]:
    """Turn errors of input, files and memory, Ctrl-C and a closed pipe into a line and an exit code."""
    try:
        yield
        sys.stdout.flush()
    except LowkeyError as error:
        raise _failed(str(error)) from error
    except KeyboardInterrupt:
        print("Interrupted.", file=sys.stderr)
        raise typer.Exit(INTERRUPTED) from None
    except BrokenPipeError:
        _forget_stdout()
        raise typer.Exit(1) from None
    except OSError as error:
        what = f"{error.filename}: " if error.filename else ""
        raise _failed(f"{what}{error.strerror or error}") from error
    except MemoryError as error:
        raise _failed("the computation does not fit in memory. Use coarser bins or fewer attributes.") from error


def _failed(message: str) -> typer.Exit:
    print("error: " + " ".join(message.split()), file=sys.stderr)
    return typer.Exit(FAILED)


def _forget_stdout() -> None:
    """Let nothing more be written to a pipe that nobody reads, not at exit either."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
