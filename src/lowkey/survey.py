"""A survey, read from the survey.toml that its analyst writes."""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from lowkey.checks import check_epsilon
from lowkey.encoding import quote
from lowkey.errors import InvalidInput
from lowkey.schema import Schema
from lowkey.survey_document import KINDS, MODELS, SurveyDocument, WorkloadTable, reason
from lowkey.workloads import Workload, renamed, stack

EXPECTED = {
    "survey": 'the table [survey] with "name" and "epsilon"',
    "attribute": "at least one table [[attribute]]",
    "workload": "at least one table [[workload]]",
    "name": "a text",
    "epsilon": "a positive number, such as 1.0",
    "labels": 'a list, such as ["yes", "no"]',
    "edges": "a list of increasing numbers, such as [0, 18, 65, inf]",
    "outside": '"error" or "clip"',
    "weight": "a positive finite number",
    "attributes": 'a list of attribute names, such as ["age"]',
    "min_width": "a whole number",
    "max_width": "a whole number",
    "k": "a whole number",
    "queries": "a list of SQL conditions, such as [\"age >= 65 AND plan = 'pro'\"]",
    "file": "the name of a CSV file",
    "rows": "a list of lists of numbers",
}


@dataclass(frozen=True)
class Part:
    """One part of a survey's workload: its kind as written, its name in tables, its weight."""

    kind: str
    name: str
    weight: float
    workload: Workload


@dataclass(frozen=True)
class Survey:
    """What an analyst wants to learn (`workload`, the stacked and weighted `parts`), from whom, and at which ε."""

    name: str
    epsilon: float
    schema: Schema
    parts: tuple[Part, ...]
    workload: Workload


def load_survey(path: str | Path) -> Survey:
    """Read a survey.toml; an error names the file, the table and the key, what stands there and what should.

    The file has one table [survey] (name, epsilon), a table [[attribute]] for each attribute (name, and labels or
    edges) and a table [[workload]] for each part of the workload (kind, its keys, attributes, weight, name).
    """
    file = Path(path)
    document = _validate(file, _read(file))
    with _within(f"{file}, [survey]"):
        epsilon = check_epsilon(document.survey.epsilon)
    schema = _build_schema(file, document)
    parts = []
    for place, table in enumerate(document.workload):
        with _within(f"{file}, {_title('workload', place)}"):
            parts.append(_build_part(table, schema, file.parent))
    workload = stack([part.workload for part in parts], [part.weight for part in parts])
    return Survey(document.survey.name, epsilon, schema, tuple(parts), workload)


def _build_schema(file: Path, document: SurveyDocument) -> Schema:
    attributes = []
    for place, table in enumerate(document.attribute):
        with _within(f"{file}, {_title('attribute', place)}"):
            attributes.append(table.build())
    with _within(f"{file}, [[attribute]]"):
        return Schema(attributes)


def _build_part(table: WorkloadTable, schema: Schema, folder: Path) -> Part:
    workload = table.build(schema, folder)
    if table.name is not None:
        workload = renamed(workload, table.name)
    return Part(table.kind, workload.name, table.weight, workload)


def _read(file: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(file.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(str(file), f"not readable ({reason(error)})", "a survey in TOML") from error
    except tomllib.TOMLDecodeError as error:
        advice = "Texts are quoted, lists stand in [ ], table names in [ ] or [[ ]]."
        raise InvalidInput(str(file), f"no valid TOML ({error})", "a survey in TOML", advice) from error


def _validate(file: Path, content: dict[str, Any]) -> SurveyDocument:
    try:
        return SurveyDocument.model_validate(content)
    except ValidationError as error:
        raise _to_invalid_input(file, error.errors()) from None


def _to_invalid_input(file: Path, errors: list[ErrorDetails]) -> InvalidInput:
    """The first of pydantic's errors in lowkey's words."""
    first = errors[0]
    tag, path = _split(first["loc"])
    table = _title(str(path[0]), path[1] if len(path) > 1 and isinstance(path[1], int) else None)
    key = next((str(step) for step in reversed(path[1:]) if isinstance(step, str)), None)
    what = f"{file}, {table}" if key is None else f"{file}, {key!r} of {table}"
    rest = len(errors) - 1
    advice = f"{rest} more of the file's keys {'needs' if rest == 1 else 'need'} correction." if rest else ""
    if first["type"].startswith("union_tag"):
        arrived = "not there" if first["type"] == "union_tag_not_found" else quote(first["input"]["kind"])
        return InvalidInput(f"{file}, 'kind' of {table}", arrived, f"one of {', '.join(KINDS)}", advice)
    if first["type"] == "extra_forbidden":
        keys = MODELS[tag or str(path[0])] if key else SurveyDocument
        return InvalidInput(what, "an unknown key", f"one of {', '.join(keys.model_fields)}", advice)
    given = first["input"]
    arrived = "not there" if first["type"] == "missing" else quote(given)
    return InvalidInput(what, arrived, EXPECTED.get(key or str(path[0]), first["msg"]), advice)


def _split(steps: tuple[int | str, ...]) -> tuple[str | None, tuple[int | str, ...]]:
    """The kind of workload that pydantic puts into an error's location, and the keys as they stand in the file."""
    if steps[0] == "workload" and len(steps) > 2:
        return str(steps[2]), steps[:2] + steps[3:]
    return None, steps


def _title(table: str, place: int | None) -> str:
    """How a table is found in the file: "[survey]", "[[workload]] number 2"."""
    if table not in SurveyDocument.model_fields:
        return repr(table)
    if place is None:
        return f"[{table}]" if table == "survey" else f"[[{table}]]"
    return f"[[{table}]] number {place + 1}"


@contextmanager
def _within(where: str) -> Iterator[None]:
    """Say in which file and table an error arose."""
    try:
        yield
    except InvalidInput as error:
        raise type(error)(f"{where}: {error.what}", error.arrived, error.expected, error.advice) from error
