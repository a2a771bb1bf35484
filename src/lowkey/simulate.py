"""simulate: the counts that a survey of a known population would yield (a real client draws from `secrets`)."""

from __future__ import annotations

import numbers
from collections.abc import Sequence

import numpy as np

from lowkey.checks import Vector, check_data_vector, check_size
from lowkey.counts import Counts
from lowkey.deployment import Deployment
from lowkey.errors import InvalidInput, NotAvailable, TooLarge, format_size
from lowkey.mechanisms.generated import GeneratedMechanism
from lowkey.mechanisms.places import check_places, read_as
from lowkey.schema import LIST_LIMIT, Schema

LISTED_TYPES = 2**20  # up to so many, records are counted by type
PEOPLE_AT_A_TIME = 2**17


def simulate(deployment: Deployment, population: object, seed: int = 0) -> Counts:
    """Counts of one collection from `population`, everyone reporting once; the same seed gives the same counts.

    population: how many people there are of each type (n numbers, see `schema.labels` for the order), or their
    records (dicts, tuples, a mapping of columns, a dataframe), encoded by the schema. One multinomial draw a type:
    a billion people take no longer than a thousand. Where there are too many types to count the people of each, they
    are given by their records, and one after the other reports.

    >>> from lowkey.deployment import deploy
    >>> from lowkey.mechanisms import create
    >>> from lowkey.schema import Categorical
    >>> from lowkey.workloads import histogram
    >>> plan = Schema([Categorical("plan", ["free", "pro"])])
    >>> simulate(deploy(plan, histogram(2), create("randomized_response", 2, 1.0)), [600_000_000, 400_000_000]).users
    1000000000
    """
    if not isinstance(deployment, Deployment):
        raise InvalidInput("the deployment", deployment, "a Deployment", "Use deploy or load.")
    if deployment.schema.size > LISTED_TYPES and not _is_numbers(population):
        return simulate_places(deployment, deployment.schema.places(population), seed)
    rng = _generator(seed)
    x = data_vector(deployment.schema, population)
    return Counts.from_responses(deployment, deployment.mechanism.simulate(x, rng))


def simulate_places(deployment: Deployment, places: object, seed: int = 0) -> Counts:
    """Counts of one collection from people given by the place of each one's value in each attribute (N, d).

    For deployments of base patterns, over a domain of any size.
    """
    mechanism, sizes = deployment.mechanism, deployment.schema.sizes
    if not isinstance(mechanism, GeneratedMechanism):
        advice = "Give simulate the number of people of each type, or records."
        raise NotAvailable("a simulation from places", f"asked of {mechanism.name}", "base patterns", advice)
    people, rng = check_places(places, sizes), _generator(seed)
    groups = (people[start : start + PEOPLE_AT_A_TIME] for start in range(0, len(people), PEOPLE_AT_A_TIME))
    reports = [mechanism.report(read_as(group, sizes, mechanism.sizes), rng) for group in groups]
    return Counts.from_reports(deployment, np.concatenate([np.zeros(0, dtype=np.int64), *reports]))


def data_vector(schema: Schema, population: object) -> Vector:
    """How many people of each type: the numbers themselves, or the records counted."""
    if _is_numbers(population):
        if schema.size > LIST_LIMIT:
            arrived = f"numbers for {format_size(schema.size)} types"
            raise TooLarge("the population", arrived, "records: too many types to count people by")
        return check_data_vector(population, schema.size, "the population")
    return schema.counts(population).astype(np.float64)


def _generator(seed: object) -> np.random.Generator:
    return np.random.default_rng(check_size("the seed", seed, minimum=0))


def _is_numbers(population: object) -> bool:
    if hasattr(population, "__array__"):
        array = np.asarray(population)
        return array.ndim == 1 and array.dtype.kind in "iuf"
    return (
        isinstance(population, Sequence)
        and not isinstance(population, str)
        and len(population) > 0
        and all(isinstance(value, numbers.Real) for value in population)
    )
