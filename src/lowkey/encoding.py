"""From a column of raw values to places among labels or bins; nothing that does not fit is passed over."""

from __future__ import annotations

import math
import numbers
from collections.abc import Callable, Iterable, Sequence
from decimal import Decimal
from functools import partial
from itertools import repeat
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from lowkey.errors import EncodingError

Column = Sequence[object] | npt.NDArray[Any]
Codes = npt.NDArray[np.int64]
Kind = Literal["text", "number", "truth"]

NO_PLACE = -1


def kind_of(value_type: type) -> Kind | None:
    """What a value of this type is: True is no number here, and "1" neither."""
    if issubclass(value_type, str):
        return "text"
    if issubclass(value_type, bool | np.bool_):
        return "truth"
    if issubclass(value_type, numbers.Real | Decimal):
        return "number"
    return None


def encode_labels(name: str, column: Column, labels: Sequence[object], kind: Kind) -> Codes:
    """The place of each value among the labels, matched by equality within their kind."""
    values = _to_python(column)
    table = {label: place for place, label in enumerate(labels)}
    types = set(map(type, values))
    fitting = {value_type for value_type in types if kind_of(value_type) == kind}
    places: Iterable[int] = map(table.get, values, repeat(NO_PLACE))
    if fitting != types:
        places = (table.get(value, NO_PLACE) if type(value) in fitting else NO_PLACE for value in values)
    codes = np.fromiter(places, dtype=np.int64, count=len(values))
    expected = "one of " + ", ".join(map(repr, labels))
    _refuse_misfits(name, values, codes, expected, partial(_label_advice, kind=kind))
    return codes


def encode_numbers(name: str, column: Column, edges: Sequence[float], labels: Sequence[str], clip: bool) -> Codes:
    """The half-open bin of each number, or of a bin's own label; values outside get the nearest (clip) or an error."""
    values = _to_floats(column)
    bins = len(edges) - 1
    codes = np.searchsorted(np.asarray(edges), values, side="right").astype(np.int64) - 1
    if clip:
        codes = np.clip(codes, 0, bins - 1)
    codes[np.isnan(values) | (codes >= bins)] = NO_PLACE
    _place_labels(column, codes, labels)
    inside = f"a number of at least {format_number(edges[0])} and below {format_number(edges[-1])}"
    expected = "a number" if clip else inside
    _refuse_misfits(name, column, codes, expected, partial(_number_advice, edges=edges))
    return codes


def _place_labels(column: Column, codes: Codes, labels: Sequence[str]) -> None:
    """What `Schema.decode` gives can be encoded again: "[18, 25)" is its own bin."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "iuf":
        return
    table = {label: place for place, label in enumerate(labels)}
    for row in np.flatnonzero(codes == NO_PLACE).tolist():
        value = column[row]
        if isinstance(value, str):
            codes[row] = table.get(value, NO_PLACE)


def is_missing(value: object) -> bool:
    """None, NaN, NaT, pandas' NA."""
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return isinstance(value, float | np.floating | Decimal) and math.isnan(value)


def _to_python(column: Column) -> Sequence[object]:
    """Python values; those that NumPy would turn into something else (dates into integers) stay NumPy's."""
    if isinstance(column, np.ndarray):
        return column.tolist() if column.dtype.kind in "iufbUO" else list(column)
    return column


def _to_floats(column: Column) -> npt.NDArray[np.float64]:
    """The numbers of a column, NaN for whatever is none."""
    if isinstance(column, np.ndarray) and column.dtype.kind in "iuf":
        return column.astype(np.float64)
    if set(map(type, column)) <= {int, float}:
        try:
            return np.array(column, dtype=np.float64)
        except OverflowError:
            pass
    return np.fromiter(map(_to_float, column), dtype=np.float64, count=len(column))


def _to_float(value: object) -> float:
    if is_missing(value) or kind_of(type(value)) != "number":
        return math.nan
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]


def _refuse_misfits(name: str, column: Column, codes: Codes, expected: str, advise: Callable[[object], str]) -> None:
    """Raise for the first value without a place, and say how many there are."""
    misfits = np.flatnonzero(codes == NO_PLACE)
    if not misfits.size:
        return
    row = int(misfits[0])
    value = column[row]
    value = value.item() if isinstance(value, np.generic) else value
    advice = f"{count_misfits(misfits.size, len(codes))} {advise(value)}".strip()
    raise EncodingError(f"{name!r} in row {row}", _describe(value), expected, advice)


def quote(value: object) -> object:
    """A value for an error message, texts in quotes."""
    return repr(value) if isinstance(value, str) else value


def _describe(value: object) -> object:
    if is_missing(value):
        return f"missing ({value})"
    if isinstance(value, int) and value.bit_length() > 64:
        return f"a whole number of {value.bit_length():,} bits"
    return quote(value)


def count_misfits(misfits: int, rows: int) -> str:
    """How many rows an error is about, where it is more than the one that it names."""
    return f"{misfits:,} of {rows:,} rows do not fit, this is the first." if misfits > 1 else ""


def _label_advice(value: object, kind: Kind) -> str:
    if is_missing(value):
        return "Leave such rows out, or give the attribute a label of their own."
    words = {"text": "text", "number": "whole numbers", "truth": "true or false"}
    if kind_of(type(value)) != kind:
        return f"The labels are {words[kind]}: convert the column first."
    return ""


def _number_advice(value: object, edges: Sequence[float]) -> str:
    if is_missing(value):
        return "Leave such rows out."
    if kind_of(type(value)) != "number":
        return "Convert the column to numbers first."
    if value == edges[-1]:
        return "Bins are half-open: raise the last edge to count it in."
    return 'Add edges, or count it in the nearest bin with outside="clip".'


def format_number(value: float) -> str:
    """An edge as people write it: 18, 2.5, inf."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)
