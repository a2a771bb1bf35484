"""The results file: a CSV that only grows, line by line, and survives being cut off."""

from __future__ import annotations

import csv
import io
import os
from collections.abc import Sequence
from pathlib import Path

from lowkey.errors import InvalidInput
from lowkey.experiments.results import COLUMNS, Row, Task

WHAT = "the results file"


class ResultsFile:
    """The rows of one file, by task. Where a task was computed twice, the later row counts."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: dict[Task, Row] = {}
        for row in _rows(path, _whole_lines(path)):
            self.rows[row.task] = row

    def append(self, row: Row) -> None:
        """Add a row: one write of a whole line, on disk before this returns."""
        header = not self.path.exists() or _drop_half_line(self.path) == 0
        text = (_line(COLUMNS) if header else "") + _line(row.to_texts())
        descriptor = os.open(self.path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o666)
        try:
            os.write(descriptor, text.encode("utf-8"))
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
        self.rows[row.task] = row


def _line(texts: Sequence[str]) -> str:
    content = io.StringIO()
    csv.writer(content, lineterminator="\n").writerow(texts)
    return content.getvalue()


def _whole_lines(path: Path) -> list[str]:
    """The lines that end: what follows the last line break is a write that was cut off."""
    if not path.exists():
        return []
    try:
        content = path.read_bytes()
        lines = content[: content.rfind(b"\n") + 1].decode("utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise InvalidInput(WHAT, f"{str(path)!r}, which is not text", "a CSV file that this made") from error
    if not lines and content and not _line(COLUMNS).encode().startswith(content):
        raise _foreign(path)
    return lines


def _drop_half_line(path: Path) -> int:
    """Cut off what follows the last line break; the size that is left."""
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if whole < len(content):
        os.truncate(path, whole)
    return whole


def _rows(path: Path, lines: Sequence[str]) -> list[Row]:
    if not lines:
        return []
    if lines[0] != _line(COLUMNS).rstrip("\n"):
        raise _foreign(path)
    return [_row(path, number, texts) for number, texts in enumerate(csv.reader(lines[1:]), start=2) if texts]


def _row(path: Path, number: int, texts: Sequence[str]) -> Row:
    try:
        return Row.from_texts(dict(zip(COLUMNS, texts, strict=True)))
    except (ValueError, KeyError) as error:
        arrived = f"{str(path)!r}, whose line {number} is no row ({error})"
        raise InvalidInput(
            WHAT, arrived, "rows as they were written", "Delete the line to compute it again."
        ) from error


def _foreign(path: Path) -> InvalidInput:
    arrived = f"{str(path)!r}, with other columns"
    return InvalidInput(WHAT, arrived, "a file that this version made", "Choose another folder with --out.")
