"""People to simulate: counted by type, or one by one where there are too many types."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np
import numpy.typing as npt

from lowkey.checks import Vector, check_size
from lowkey.cli.population import Population, drawn, read_population, read_records, uniform
from lowkey.counts import Counts
from lowkey.deployment import Deployment
from lowkey.errors import TooLarge
from lowkey.estimate import exact_answers
from lowkey.mechanisms.places import read_as
from lowkey.schema import Schema
from lowkey.simulate import LISTED_TYPES, simulate, simulate_places
from lowkey.workloads import Workload

DEFAULT_USERS = 100_000
MOST_VALUES = 2**28  # of all people's records together

Places = npt.NDArray[np.integer]


class People(Protocol):
    """A population whose truth is known."""

    def reports(self, deployment: Deployment, seed: int) -> Counts:
        """What they report, everyone once."""

    def answers(self, workload: Workload) -> Vector:
        """The truth."""


@dataclass(frozen=True)
class ByType:
    """How many people there are of each type."""

    numbers: Population

    def reports(self, deployment: Deployment, seed: int) -> Counts:
        return simulate(deployment, self.numbers, seed)

    def answers(self, workload: Workload) -> Vector:
        return workload.matvec(self.numbers)


@dataclass(frozen=True)
class OneByOne:
    """The place of each person's value in each attribute of the schema."""

    places: Places
    schema: Schema

    def reports(self, deployment: Deployment, seed: int) -> Counts:
        return simulate_places(deployment, self.places, seed)

    def answers(self, workload: Workload) -> Vector:
        return exact_answers(workload, read_as(self.places.astype(np.int64), self.schema.sizes, workload.sizes))


def people_of(schema: Schema, file: Path | None, users: int | None, seed: int) -> People:
    """The people of a CSV file, or so many drawn from it; without a file everyone is of any type alike."""
    if schema.size > LISTED_TYPES:
        return OneByOne(_places(schema, file, users, seed), schema)
    if file is None:
        return ByType(uniform(schema, DEFAULT_USERS if users is None else users, seed))
    people = read_population(file, schema)
    return ByType(people if users is None else drawn(people.astype(np.float64), users, seed))


def _places(schema: Schema, file: Path | None, users: int | None, seed: int) -> Places:
    rng = np.random.default_rng([check_size("the seed", seed, minimum=0), 1])  # not the stream of the reports
    if file is None:
        count = _check_values(check_size("users", DEFAULT_USERS if users is None else users), schema)
        kind = np.min_scalar_type(max(schema.sizes) - 1)
        return np.stack([rng.integers(size, size=count, dtype=kind) for size in schema.sizes], axis=1)
    records, counts = read_records(file, schema)
    places = schema.places(records)
    if users is None:
        _check_values(int(counts.sum()), schema)
        return np.repeat(places, counts.astype(np.int64), axis=0)
    count = _check_values(check_size("users", users), schema)
    return places[rng.choice(len(places), size=count, p=counts / counts.sum())]


def _check_values(users: int, schema: Schema) -> int:
    if users * len(schema) > MOST_VALUES:
        arrived = f"{users:,} people with {len(schema)} values each"
        raise TooLarge("the population", arrived, f"at most {MOST_VALUES // len(schema):,} people")
    return users
