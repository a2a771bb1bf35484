"""Print a benchmark's lines and keep them, with date and machine, in results/."""

from __future__ import annotations

import datetime
from pathlib import Path

from lowkey.experiments.machine import gpu, machine

__all__ = ["Record", "gpu", "machine"]

RESULTS = Path(__file__).parent / "results"


class Record:
    """Collects what a benchmark prints."""

    def __init__(self, name: str, title: str, device: str | None = None) -> None:
        self._file = RESULTS / f"{name}.txt"
        self._lines: list[str] = []
        self.say(title)
        self.say(f"{datetime.datetime.now(datetime.UTC):%Y-%m-%d}, {device or machine()}")
        self.say("")

    def say(self, line: str) -> None:
        """Print a line at once and keep it."""
        print(line, flush=True)
        self._lines.append(line)

    def write(self) -> None:
        """Write the result file."""
        RESULTS.mkdir(exist_ok=True)
        self._file.write_text("\n".join(self._lines) + "\n")
