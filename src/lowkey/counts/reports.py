"""Reports: the output numbers that people sent, whatever column they come in."""

from __future__ import annotations

import numbers
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from lowkey.errors import InvalidInput

EXACT = 2**53  # up to which a float that is whole is the number that was meant


def output_numbers(reports: Iterable[object], outputs: int) -> npt.NDArray[np.int64]:
    """The reports as numbers; anything that is none of the outputs is refused."""
    if isinstance(reports, str | bytes) or not isinstance(reports, Iterable):
        raise InvalidInput("the reports", reports, "a list or an array of output numbers")
    array = np.asarray(reports) if hasattr(reports, "__array__") else _as_array(reports)
    if array.ndim != 1:
        raise InvalidInput("the reports", f"an array of shape {array.shape}", "one output number a person")
    if array.dtype.kind in "iu":
        bad = (array < 0) | (array >= outputs)
    else:
        bad = np.fromiter((not _is_output(value, outputs) for value in array), dtype=bool, count=len(array))
    if bad.any():
        place = int(np.argmax(bad))
        value = array[place].item() if isinstance(array[place], np.generic) else array[place]
        raise InvalidInput(
            "the reports",
            f"wrong in {int(bad.sum()):,} of {len(array):,} places, the first being {value!r} in place {place}",
            f"whole numbers from 0 to {outputs - 1}",
            "Are these reports of this deployment?",
        )
    return array.astype(np.int64)


def _as_array(reports: Iterable[object]) -> npt.NDArray[Any]:
    """The reports as integers where all are, else as the objects that they are, so that none changes its type."""
    values = list(reports)
    if not values:
        return np.zeros(0, dtype=np.int64)
    if all(type(value) is int for value in values):
        array = np.array(values)
        return array if array.dtype.kind in "iu" else np.array(values, dtype=object)
    objects = np.empty(len(values), dtype=object)
    objects[:] = values
    return objects


def _is_output(value: object, outputs: int) -> bool:
    """Whole numbers in range; 3.0 is one, True is none, nor is a float that may have been rounded."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real | np.number):
        return False
    if isinstance(value, numbers.Integral):
        return bool(0 <= int(value) < outputs)
    return bool(0 <= value < min(outputs, EXACT)) and float(value).is_integer()  # type: ignore[operator]
