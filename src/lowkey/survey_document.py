"""The form of a survey.toml: one model a table; each kind of workload knows its keys and builds itself."""

from __future__ import annotations

import math
from abc import abstractmethod
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

import numpy as np
from pydantic import BaseModel, ConfigDict, Field

from lowkey.errors import InvalidInput
from lowkey.schema import Attribute, Categorical, Ordered, Schema
from lowkey.workloads import (
    Workload,
    all_marginals,
    all_range,
    from_matrix,
    histogram,
    k_way_marginals,
    parity,
    prefix,
    ranges,
    sql,
)


class Table(BaseModel):
    """A table of the file: no other keys, no conversions."""

    model_config = ConfigDict(strict=True, extra="forbid", frozen=True)


class SurveyTable(Table):
    name: str = Field(min_length=1)
    epsilon: float


class AttributeTable(Table):
    name: str
    labels: list[Any] | None = None
    edges: list[Any] | None = None
    outside: Literal["error", "clip"] | None = None

    def build(self) -> Attribute:
        if (self.labels is None) == (self.edges is None):
            arrived = "without labels and edges" if self.labels is None else "with both labels and edges"
            advice = "Labels name categories; edges cut a number into bins."
            raise InvalidInput(f"the attribute {self.name!r}", arrived, "either labels or edges", advice)
        if self.edges is not None:
            return Ordered(self.name, self.edges, self.outside or "error")
        if self.outside is not None:
            raise InvalidInput(f"outside of {self.name!r}", self.outside, "no such key beside labels")
        return Categorical(self.name, self.labels or [])


class WorkloadTable(Table):
    """A part of the workload: its weight, and its name in tables."""

    kind: str
    weight: float = Field(default=1.0, gt=0, allow_inf_nan=False)
    name: str | None = Field(default=None, min_length=1)

    @abstractmethod
    def build(self, schema: Schema, folder: Path) -> Workload:
        """The part over the schema's cells; files are looked for in `folder`."""


class PlacedTable(WorkloadTable):
    """A part that is asked of some attributes, or of all."""

    attributes: list[str] | None = Field(default=None, min_length=1)

    def build(self, schema: Schema, folder: Path) -> Workload:
        names = schema.names if self.attributes is None else tuple(self.attributes)
        sizes = [schema[name].size for name in names]
        return self.over(names, sizes, folder).on(schema, *names)

    @abstractmethod
    def over(self, names: tuple[str, ...], sizes: list[int], folder: Path) -> Workload:
        """The workload over the cells of these attributes."""


class HistogramTable(PlacedTable):
    kind: Literal["histogram"]

    def over(self, names: tuple[str, ...], sizes: list[int], folder: Path) -> Workload:
        return histogram(math.prod(sizes))


class LineTable(PlacedTable):
    """A part that runs along one attribute."""

    def over(self, names: tuple[str, ...], sizes: list[int], folder: Path) -> Workload:
        if len(names) != 1:
            expected, advice = "exactly one attribute, whose order matters", 'Write attributes = ["age"].'
            raise InvalidInput("attributes", ", ".join(names), expected, advice)
        return self.along(sizes[0])

    @abstractmethod
    def along(self, size: int) -> Workload:
        """The workload over an attribute of this size."""


class PrefixTable(LineTable):
    kind: Literal["prefix"]

    def along(self, size: int) -> Workload:
        return prefix(size)


class AllRangeTable(LineTable):
    kind: Literal["all_range"]

    def along(self, size: int) -> Workload:
        return all_range(size)


class RangesTable(LineTable):
    kind: Literal["ranges"]
    min_width: int = 1
    max_width: int | None = None

    def along(self, size: int) -> Workload:
        return ranges(size, self.min_width, self.max_width)


class AllMarginalsTable(PlacedTable):
    kind: Literal["all_marginals"]

    def over(self, names: tuple[str, ...], sizes: list[int], folder: Path) -> Workload:
        return all_marginals(sizes)


class KWayMarginalsTable(PlacedTable):
    kind: Literal["k_way_marginals"]
    k: int

    def over(self, names: tuple[str, ...], sizes: list[int], folder: Path) -> Workload:
        return k_way_marginals(sizes, self.k)


class ParityTable(PlacedTable):
    kind: Literal["parity"]
    k: int

    def over(self, names: tuple[str, ...], sizes: list[int], folder: Path) -> Workload:
        for name, size in zip(names, sizes, strict=True):
            if size != 2:
                raise InvalidInput(f"the attribute {name!r}", f"of {size} values", "attributes of two values")
        return parity(len(sizes), self.k)


class SqlTable(WorkloadTable):
    kind: Literal["sql"]
    queries: list[str] = Field(min_length=1)

    def build(self, schema: Schema, folder: Path) -> Workload:
        return sql(schema, self.queries)


class MatrixTable(PlacedTable):
    kind: Literal["matrix"]
    file: str | None = None
    rows: list[Any] | None = None

    def over(self, names: tuple[str, ...], sizes: list[int], folder: Path) -> Workload:
        if (self.file is None) == (self.rows is None):
            arrived = "without file and rows" if self.file is None else "with both file and rows"
            raise InvalidInput("the matrix", arrived, "either file or rows")
        matrix = from_matrix(self.rows if self.file is None else _read_csv(folder / self.file))
        if matrix.shape[1] != math.prod(sizes):
            expected = f"{math.prod(sizes)} columns, one a cell of {', '.join(names)}"
            raise InvalidInput("the matrix", f"{matrix.shape[1]} columns wide", expected)
        return matrix


AnyWorkloadTable = (
    HistogramTable
    | PrefixTable
    | AllRangeTable
    | RangesTable
    | AllMarginalsTable
    | KWayMarginalsTable
    | ParityTable
    | SqlTable
    | MatrixTable
)
KINDS: dict[str, type[Table]] = {
    get_args(table.model_fields["kind"].annotation)[0]: table for table in get_args(AnyWorkloadTable)
}
MODELS: dict[str, type[Table]] = {"survey": SurveyTable, "attribute": AttributeTable, **KINDS}


class SurveyDocument(Table):
    survey: SurveyTable
    attribute: list[AttributeTable] = Field(min_length=1)
    workload: list[Annotated[AnyWorkloadTable, Field(discriminator="kind")]] = Field(min_length=1)


def reason(error: OSError | UnicodeDecodeError) -> str:
    """Why a file cannot be read, in the system's words."""
    return error.strerror or str(error) if isinstance(error, OSError) else "it is not UTF-8"


def _read_csv(path: Path) -> object:
    expected = "a CSV file of numbers with commas between them, one query a line"
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput(f"the file {path}", f"not readable ({reason(error)})", expected) from error
    if not text.strip():
        raise InvalidInput(f"the file {path}", "an empty file", expected)
    try:
        return np.loadtxt(text.splitlines(), delimiter=",", ndmin=2)
    except ValueError as error:
        raise InvalidInput(f"the file {path}", f"not numbers ({error})", expected) from error
