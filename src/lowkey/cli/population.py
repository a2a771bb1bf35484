"""The people of a simulation: everyone alike, or read from a CSV file."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from lowkey.checks import Vector, check_size
from lowkey.errors import InvalidInput
from lowkey.mechanisms.base import MOST_PEOPLE
from lowkey.schema import Attribute, Ordered, Schema

Population = npt.NDArray[np.int64]
Value = str | int | float | bool

COUNT = "count"
EXPECTED = "a CSV file with a column for each attribute, and if wanted one named count"


def uniform(schema: Schema, users: int, seed: int) -> Population:
    """So many people, each of any type alike."""
    return drawn(np.ones(schema.size), users, seed)


def drawn(weights: Vector, users: int, seed: int) -> Population:
    """So many people drawn with these weights of the types."""
    people = check_size("users", users)
    if people > MOST_PEOPLE:
        raise InvalidInput("users", people, f"at most 2^53 ({MOST_PEOPLE:,})")
    rng = np.random.default_rng([check_size("the seed", seed, minimum=0), 1])  # not the stream of the reports
    return rng.multinomial(people, weights / weights.sum()).astype(np.int64)


def read_population(path: Path, schema: Schema) -> Population:
    """How many people of each type a CSV file holds: one a row, or as many as its column `count` says."""
    records, counts = read_records(path, schema)
    people = np.bincount(schema.encode(records), weights=counts, minlength=schema.size)
    return people.astype(np.int64)


def read_records(path: Path, schema: Schema) -> tuple[dict[str, list[Value]], Vector]:
    """The records of a CSV file, column by column, and how many people each stands for."""
    rows = _rows(path)
    columns = _columns(path, rows)
    texts = columns.pop(COUNT, None) if COUNT not in schema else None
    counts = np.ones(len(rows) - 1) if texts is None else _counts(path, texts)
    if not 0 < counts.sum() <= MOST_PEOPLE:
        raise InvalidInput(f"the population {path}", f"of {counts.sum():g} people", "one to 2^53 people")
    return {name: _values(texts_of, schema, name) for name, texts_of in columns.items()}, counts


def _rows(path: Path) -> list[list[str]]:
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [row for row in csv.reader(file, strict=True) if row]
    except OSError as error:
        raise InvalidInput(f"the population {path}", f"not readable ({error.strerror})", EXPECTED) from error
    except (UnicodeDecodeError, csv.Error) as error:
        raise InvalidInput(f"the population {path}", f"not CSV in UTF-8 ({error})", EXPECTED) from error
    if len(rows) < 2:
        raise InvalidInput(f"the population {path}", "without records", EXPECTED)
    return rows


def _columns(path: Path, rows: list[list[str]]) -> dict[str, Sequence[str]]:
    head = [name.strip() for name in rows[0]]
    for place, row in enumerate(rows[1:]):
        if len(row) != len(head):
            what = f"record {place} of the population {path}"
            raise InvalidInput(what, f"of {len(row)} values", f"{len(head)}, as the heading has")
    if len(set(head)) < len(head):
        raise InvalidInput(f"the heading of the population {path}", ", ".join(head), "names that differ")
    return dict(zip(head, zip(*rows[1:], strict=True), strict=True))


def _values(texts: Sequence[str], schema: Schema, name: str) -> list[Value]:
    """The column as its attribute's kind of values; what is none stays text, and the schema tells where it stands."""
    if name not in schema:
        return list(texts)
    attribute = schema[name]
    return [_value(text.strip(), attribute) for text in texts]


def _value(text: str, attribute: Attribute) -> Value:
    if not isinstance(attribute, Ordered) and attribute.kind == "truth":
        return {"true": True, "false": False}.get(text.lower(), text)
    if not isinstance(attribute, Ordered) and attribute.kind == "text":
        return text
    try:
        return float(text) if isinstance(attribute, Ordered) else int(text)
    except ValueError:
        return text


def _counts(path: Path, texts: Sequence[str]) -> Vector:
    for place, text in enumerate(texts):
        if not text.strip().isdecimal():
            what = f"{COUNT!r} in record {place} of the population {path}"
            raise InvalidInput(what, repr(text), "a whole number of people")
    return np.array([float(text) for text in texts])
