"""Which pictures show a family of queries: by what its workload is."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

import numpy as np

from lowkey.attributes import Attribute, Ordered
from lowkey.report.formats import edge, short_words, value_words
from lowkey.report.heat_map import Grid, heat_map
from lowkey.report.picture import Picture
from lowkey.report.plots import columns, cumulative, intervals, rows
from lowkey.report.results import FamilyResult
from lowkey.report.series import Series
from lowkey.schema import Schema
from lowkey.workloads.base import Workload
from lowkey.workloads.combine import Renamed
from lowkey.workloads.marginals import Marginals
from lowkey.workloads.placement import Placed
from lowkey.workloads.ranges import Histogram, Prefix, Ranges

MOST_ROWS = 20  # named bars or intervals in one picture


def pictures(result: FamilyResult, schema: Schema, confidence: float) -> list[Picture]:
    """The family's answers drawn, as many pictures as it takes; nothing is drawn before it is written out."""
    series = Series(result.labels, result.answers, result.low, result.high, result.truth, confidence)
    workload, attributes = unwrapped(result.family.workload, schema)
    drawn = list(_drawn(result.name, series, workload, attributes))
    return drawn or list(_questions(result.name, series))


def unwrapped(workload: Workload, schema: Schema) -> tuple[Workload, Sequence[Attribute] | None]:
    """The workload inside its name and place, and the attributes that it is asked of (None: none fit its cells)."""
    attributes: Sequence[Attribute] | None = tuple(schema)
    while isinstance(workload, Renamed | Placed):
        if isinstance(workload, Placed):
            attributes = [schema[name] for name in workload.attributes]
        workload = workload.workload
    if attributes is not None and math.prod(attribute.size for attribute in attributes) != workload.shape[1]:
        attributes = None
    return workload, attributes


def _drawn(name: str, series: Series, workload: Workload, attributes: Sequence[Attribute] | None) -> Iterator[Picture]:
    if attributes is not None and isinstance(workload, Histogram) and len(attributes) <= 2:
        yield _marginal(name, series, attributes)
    elif attributes is not None and isinstance(workload, Prefix) and len(attributes) == 1:
        yield _prefix(name, series, attributes[0])
    elif attributes is not None and isinstance(workload, Ranges) and len(attributes) == 1:
        yield from _ranges(name, series, workload, attributes[0])
    elif attributes is not None and isinstance(workload, Marginals) and len(workload.sizes) == len(attributes):
        yield from _marginals(series, workload, attributes)
    else:
        yield from _questions(name, series)


def _marginal(name: str, series: Series, attributes: Sequence[Attribute]) -> Picture:
    """One attribute as bars, two as a table."""
    if len(attributes) == 1:
        return _bars(name, series, attributes[0])
    first, second = attributes
    shape = (first.size, second.size)
    return heat_map(
        name,
        Grid(
            first.name,
            second.name,
            [short_words(first, place) for place in range(first.size)],
            [short_words(second, place) for place in range(second.size)],
            series.values.reshape(shape),
            None if series.truth is None else series.truth.reshape(shape),
        ),
    )


def _bars(name: str, series: Series, attribute: Attribute) -> Picture:
    if isinstance(attribute, Ordered) or len(series) > MOST_ROWS:
        labelled = series.relabelled([short_words(attribute, place) for place in range(attribute.size)])
        return columns(name, labelled, attribute.name)
    return rows(name, series.relabelled([value_words(attribute, place) for place in range(attribute.size)]))


def _prefix(name: str, series: Series, attribute: Attribute) -> Picture:
    return cumulative(
        name, series.relabelled([_up_to(attribute, place) for place in range(attribute.size)]), attribute.name
    )


def _up_to(attribute: Attribute, place: int) -> str:
    if place == attribute.size - 1:
        return "everyone"
    return f"< {edge(attribute.edges[place + 1])}" if isinstance(attribute, Ordered) else value_words(attribute, place)


def _ranges(name: str, series: Series, workload: Ranges, attribute: Attribute) -> Iterator[Picture]:
    """The single values as bars; the ranges as intervals, the shortest ones first, where they are few."""
    first, last = workload._bounds(np.arange(len(series)))
    single = np.flatnonzero(first == last).tolist()
    if len(single) == attribute.size:
        yield _bars(f"{name}: single values", series.taken(single), attribute)
    wider = [place for place in range(len(series)) if first[place] < last[place] and series.labels[place] != "everyone"]
    if len(wider) <= MOST_ROWS:
        yield from _questions(f"{name}: wider ranges" if single else name, series.taken(wider))


def _marginals(series: Series, workload: Marginals, attributes: Sequence[Attribute]) -> Iterator[Picture]:
    start = 0
    for subset in workload.subsets:
        asked = [attributes[place] for place in subset]
        size = math.prod(attribute.size for attribute in asked)
        if 1 <= len(asked) <= 2:
            name = " and ".join(attribute.name for attribute in asked)
            yield _marginal(name, series.taken(range(start, start + size)), asked)
        start += size


def _questions(name: str, series: Series) -> Iterator[Picture]:
    """Queries of any kind; of many the largest answers."""
    if len(series) > MOST_ROWS:
        largest = np.argsort(-series.values, kind="stable")[:MOST_ROWS]
        yield intervals(f"{name}: the {MOST_ROWS} largest", series.taken(largest.tolist()))
    elif len(series):
        yield intervals(name, series)
