"""Results on stdout: tables for people, or JSON for machines."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, is_dataclass, replace

from rich.console import Console
from rich.text import Text

from lowkey.report.tables import Table


def show(*parts: Table | str) -> None:
    """Print paragraphs and tables, each table's note below it at full width."""
    console = Console(highlight=False)
    for part in parts:
        if isinstance(part, str):
            console.print(Text(part))
            continue
        console.print()
        console.print(replace(part, note="").to_rich())
        if part.note:
            console.print(Text(part.note))


def print_json(record: Mapping[str, object]) -> None:
    """Print one JSON object; dataclasses are objects, numbers that JSON has not are null."""
    print(json.dumps(_plain(record), ensure_ascii=False, allow_nan=False, indent=2))


def _plain(value: object) -> object:
    if is_dataclass(value) and not isinstance(value, type):
        return _plain(asdict(value))
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def is_watched() -> bool:
    """Whether somebody would see what moves on stderr."""
    return sys.stderr.isatty()


@contextmanager
def spinning(what: str) -> Iterator[None]:
    """A spinner on stderr, if somebody sees it."""
    if not is_watched():
        yield
        return
    with Console(stderr=True).status(Text(what)):
        yield
