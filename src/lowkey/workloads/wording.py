"""Words for queries: how cells and spans of cells are named, by numbers or by attributes' own labels."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol, overload

from lowkey.attributes import Ordered
from lowkey.encoding import format_number

EVERYONE = "everyone"


class Axis(Protocol):
    """One dimension of a domain: names its values and contiguous spans. A schema's attributes are axes."""

    @property
    def size(self) -> int: ...
    @property
    def name(self) -> str: ...
    def value(self, index: int) -> str: ...
    def span(self, first: int, last: int) -> str: ...


@dataclass(frozen=True)
class Cells:
    """Cells that have only numbers: "cell 3", "cells 2 to 5"."""

    size: int
    name: str = "cell"

    def value(self, index: int) -> str:
        return f"cell {index}"

    def span(self, first: int, last: int) -> str:
        return self.value(first) if first == last else f"cells {first} to {last}"


@dataclass(frozen=True)
class Numbered:
    """An attribute known by its place alone: "attribute 1 = 3"."""

    place: int
    size: int

    @property
    def name(self) -> str:
        return f"attribute {self.place}"

    def value(self, index: int) -> str:
        return f"{self.name} = {index}"

    def span(self, first: int, last: int) -> str:
        return self.value(first) if first == last else f"{self.name} in {first} to {last}"


@dataclass(frozen=True)
class Joined:
    """Several axes read as one, row-major: "plan = free and sex = f"."""

    axes: tuple[Axis, ...]

    @property
    def size(self) -> int:
        return math.prod(axis.size for axis in self.axes)

    @property
    def name(self) -> str:
        return " × ".join(axis.name for axis in self.axes)

    def value(self, index: int) -> str:
        places = unravel(index, [axis.size for axis in self.axes])
        return both(axis.value(place) for axis, place in zip(self.axes, places, strict=True))

    def span(self, first: int, last: int) -> str:
        return self.value(first) if first == last else f"from ({self.value(first)}) to ({self.value(last)})"


class Labels(Sequence[str]):
    """The queries' names, each made when asked for: half a million of them cost nothing."""

    def __init__(self, size: int, label: Callable[[int], str]) -> None:
        self._size = size
        self._label = label

    def __len__(self) -> int:
        return self._size

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self._label(i) for i in range(*index.indices(self._size))]
        if not -self._size <= index < self._size:
            raise IndexError(f"query {index} of {self._size}")
        return self._label(index % self._size)


def unravel(index: int, sizes: Sequence[int]) -> list[int]:
    """The places of a row-major index, of any size along any number of axes."""
    places = []
    for size in reversed(sizes):
        index, place = divmod(index, size)
        places.append(place)
    return places[::-1]


def stretch(axis: Axis, first: int, last: int) -> str:
    """A contiguous part of an axis: "age < 25", "age >= 65", "plan from free to pro", everyone."""
    if first == 0 and last == axis.size - 1:
        return EVERYONE
    if isinstance(axis, Ordered) and first == 0:
        return f"{axis.name} < {format_number(axis.edges[last + 1])}"
    if isinstance(axis, Ordered) and last == axis.size - 1:
        return f"{axis.name} >= {format_number(axis.edges[first])}"
    return axis.span(first, last)


def both(conditions: Iterable[str]) -> str:
    """Conditions that must all hold: "age < 25 and plan = free"."""
    real = [condition for condition in conditions if condition != EVERYONE]
    return " and ".join(real) if real else EVERYONE


def aligned(axes: Sequence[Axis], own: Sequence[Axis]) -> tuple[Axis, ...]:
    """The given axes fitted to a workload's own ones, neighbours joined where needed.

    Where they do not fit (a marginal of two attributes asked of one with four values), the own axes serve.
    """
    sizes = [axis.size for axis in own]
    if [axis.size for axis in axes] == sizes:
        return tuple(axes)
    fitted: list[Axis] = []
    rest = list(axes)
    for axis in own:
        taken: list[Axis] = []
        while rest and (not taken or math.prod(a.size for a in taken) < axis.size):
            taken.append(rest.pop(0))
        fitted.append(taken[0] if len(taken) == 1 else Joined(tuple(taken)))
    fits = [axis.size for axis in fitted] == sizes and all(axis.size == 1 for axis in rest)
    return tuple(fitted) if fits else tuple(own)
