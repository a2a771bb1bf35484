"""From records of any shape to one column an attribute; missing and surplus attributes are refused."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import narwhals as nw
import numpy as np

from lowkey.encoding import Column, count_misfits, quote
from lowkey.errors import EncodingError

Names = tuple[str, ...]
Columns = dict[str, Column]

SHAPES = "a list of dicts or tuples, a mapping of names to columns, or a dataframe"


def to_columns(records: object, names: Names) -> Columns:
    """The column of each attribute, all of one length."""
    if isinstance(records, Mapping):
        return _from_mapping(records, names)
    frame = _open(records)
    if isinstance(frame, nw.DataFrame | nw.LazyFrame):
        return _from_frame(frame, names)
    if isinstance(records, str | bytes) or not isinstance(records, Iterable):
        raise EncodingError("the value to encode", quote(records), SHAPES)
    return _from_rows(list(records), names)


def _open(records: object) -> object:
    """The dataframe as narwhals sees it, or the records themselves."""
    try:
        return nw.from_native(records, pass_through=True)
    except nw.exceptions.NarwhalsError as error:
        raise EncodingError("the dataframe", f"not usable ({error})", "columns with distinct names") from error


# -- dataframes and mappings of columns --------------------------------------------


def _from_frame(frame: nw.DataFrame[Any] | nw.LazyFrame[Any], names: Names) -> Columns:
    _refuse_other_columns(frame.collect_schema().names(), names, "the dataframe")
    eager = frame.collect() if isinstance(frame, nw.LazyFrame) else frame
    return {name: _from_series(eager[name]) for name in names}


def _from_series(series: nw.Series[Any]) -> Column:
    """NumPy where the column is plain numbers, else Python values (missing ones stay what they are)."""
    if series.dtype.is_numeric() and not series.is_null().any():
        array = series.to_numpy()
        if array.dtype.kind in "iuf":
            return array
    return series.to_list()


def _from_mapping(columns: Mapping[Any, Any], names: Names) -> Columns:
    _refuse_other_columns(columns, names, "the mapping")
    found = {name: _to_column(name, columns[name]) for name in names}
    lengths = {name: len(column) for name, column in found.items()}
    if len(set(lengths.values())) > 1:
        arrived = ", ".join(f"{length} in {name!r}" for name, length in lengths.items())
        raise EncodingError("the number of rows", arrived, "the same in each column")
    return found


def _to_column(name: str, values: object) -> Column:
    series = nw.from_native(values, series_only=True, pass_through=True)
    if isinstance(series, nw.Series):
        return _from_series(series)
    if isinstance(values, np.ndarray) and values.ndim == 1:
        return values
    if isinstance(values, Sequence) and not isinstance(values, str | bytes):
        return values
    advice = "A single record goes into a list: [record]."
    raise EncodingError(f"the column {name!r}", quote(values), "a list of values, one a record", advice)


def _refuse_other_columns(found: Iterable[object], names: Names, where: str) -> None:
    there = list(found)
    expected = f"the columns {', '.join(names)}"
    for name in names:
        if name not in there:
            advice = f"There are: {', '.join(map(str, there)) or 'none'}."
            raise EncodingError(f"the column {name!r}", f"not in {where}", expected, advice)
    for column in there:
        if column not in names:
            advice = "Select the schema's columns first."
            raise EncodingError(f"the column {column!r} of {where}", "no attribute", f"only {expected}", advice)


# -- one record after the other ----------------------------------------------------


def _from_rows(rows: list[Any], names: Names) -> Columns:
    misfits = [place for place, row in enumerate(rows) if not _fits(row, names)]
    if misfits:
        raise _row_error(rows[misfits[0]], misfits[0], names, count_misfits(len(misfits), len(rows)))
    return {
        name: [row[place] if isinstance(row, tuple | list) else row[name] for row in rows]
        for place, name in enumerate(names)
    }


def _fits(row: object, names: Names) -> bool:
    if not isinstance(row, tuple | list | Mapping) or len(row) != len(names):
        return False
    return not isinstance(row, Mapping) or all(name in row for name in names)


def _row_error(row: object, place: int, names: Names, count: str) -> EncodingError:
    expected = f"exactly {', '.join(names)}"
    if isinstance(row, Mapping):
        for name in names:
            if name not in row:
                return EncodingError(f"{name!r} in row {place}", "not there", expected, count)
        surplus, value = next(item for item in row.items() if item[0] not in names)
        return EncodingError(f"{surplus!r} in row {place}", f"no attribute (value {value!r})", expected, count)
    if isinstance(row, tuple | list):
        arrived = f"a {type(row).__name__} of {len(row)} values: {row!r}"
        return EncodingError(f"row {place}", arrived, f"{len(names)} values: {', '.join(names)}", count)
    return EncodingError(f"row {place}", quote(row), f"a dict or a tuple with {', '.join(names)}", count)
