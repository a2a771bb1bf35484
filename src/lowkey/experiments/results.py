"""A row of a results file: what was asked (its key), what came out, and where and when."""

from __future__ import annotations

import types
import typing
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

NOT_AVAILABLE = "not available"


@dataclass(frozen=True)
class Task:
    """All that a row depends on; what does not matter to a mechanism is None, so that changing it computes nothing."""

    workload: str
    epsilon: float
    n: int
    mechanism: str
    outputs_asked: int | None = None
    seed: int | None = None
    time_limit: float | None = None
    device: str | None = None


@dataclass(frozen=True)
class Outcome:
    """What was measured, or in `note` why there is nothing.

    Variances are per user; `sample_complexity` is for α = 0.01; `bound` is proved for every ε-LDP mechanism, `gap`
    is how far the worst case may be above the best possible. `seconds` is the time of the optimization, where there
    is one, and of the whole row elsewhere.
    """

    status: str
    sample_complexity: float | None = None
    worst_case: float | None = None
    average: float | None = None
    bound: float | None = None
    gap: float | None = None
    delta: float | None = None
    outputs: int | None = None
    iteration_seconds: float | None = None
    seconds: float | None = None
    note: str = ""


@dataclass(frozen=True)
class Row:
    """A task done."""

    task: Task
    outcome: Outcome
    machine: str
    version: str
    date: str

    def to_record(self) -> dict[str, object]:
        """The row flat, by column."""
        own = {"machine": self.machine, "version": self.version, "date": self.date}
        return asdict(self.task) | asdict(self.outcome) | own

    def to_texts(self) -> list[str]:
        """The row as it stands in the file: numbers so that they come back exactly, one line whatever a note says."""
        return ["" if value is None else " ".join(str(value).split()) for value in self.to_record().values()]

    @classmethod
    def from_texts(cls, texts: Mapping[str, str]) -> Row:
        """The row again; ValueError or KeyError where it is none."""
        read = {column: _read(text, KINDS[column]) for column, text in texts.items()}
        part: dict[str, Any] = {column: read.pop(column) for column in PROVENANCE}
        task = Task(**{field.name: read.pop(field.name) for field in fields(Task)})
        return cls(task, Outcome(**read), **part)


def _kinds(of: type) -> dict[str, tuple[type, bool]]:
    """The columns of a dataclass: their type, and whether they may be empty."""
    kinds = {}
    for name, hint in typing.get_type_hints(of).items():
        options = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
        kinds[name] = (options[0], len(options) > 1)
    return kinds


def _read(text: str, kind: tuple[type, bool]) -> Any:
    of, may_be_empty = kind
    return None if may_be_empty and not text else of(text)


PROVENANCE = ("machine", "version", "date")
KINDS = _kinds(Task) | _kinds(Outcome) | dict.fromkeys(PROVENANCE, (str, False))
COLUMNS = tuple(KINDS)
