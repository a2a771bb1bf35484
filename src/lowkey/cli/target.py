"""Files to write: refused early where they cannot be written, or where something else would be lost."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from lowkey.deployment import load
from lowkey.errors import InvalidInput, LowkeyError


def check_target(path: Path, what: str, read: Callable[[Path], object]) -> None:
    """Refuse a place that cannot be written, and one where something other than `what` stands."""
    advice = "Choose another with -o."
    if path.is_dir():
        raise InvalidInput(f"the file for {what}", f"{str(path)!r} (a directory)", "a file name", advice)
    if not path.parent.is_dir():
        raise InvalidInput(f"the file for {what}", f"{str(path)!r}", "a place in a directory that exists", advice)
    if not os.access(path.parent, os.W_OK):
        raise InvalidInput(f"the file for {what}", f"{str(path)!r}", "a directory that can be written", advice)
    if path.exists():
        _refuse_something_else(path, what, read)


def _refuse_something_else(path: Path, what: str, read: Callable[[Path], object]) -> None:
    try:
        read(path)
    except LowkeyError as error:
        arrived = f"{str(path)!r}, where something else stands"
        raise InvalidInput(f"the file for {what}", arrived, f"a new name, or {what} to replace") from error


def keep_earlier(path: Path, digest: str) -> Path | None:
    """Put another design that stands there aside: reports made with it could never be read without it."""
    if not path.exists():
        return None
    earlier = load(path).digest
    if earlier == digest:
        return None
    aside = path.with_name(f"{path.stem}.{earlier[:8]}{path.suffix}")
    path.rename(aside)
    return aside
