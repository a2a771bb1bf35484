"""simulate: the counts that a survey of a known population would yield (a real client draws from `secrets`)."""

from __future__ import annotations

import numbers
from collections.abc import Sequence

import numpy as np

from lowkey.checks import Vector, check_data_vector, check_size
from lowkey.counts import Counts
from lowkey.deployment import Deployment
from lowkey.errors import InvalidInput
from lowkey.schema import Schema


def simulate(deployment: Deployment, population: object, seed: int = 0) -> Counts:
    """Counts of one collection from `population`, everyone reporting once; the same seed gives the same counts.

    population: how many people there are of each type (n numbers, see `schema.labels` for the order), or their
    records (dicts, tuples, a mapping of columns, a dataframe), encoded by the schema. One multinomial draw a type:
    a billion people take no longer than a thousand.

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
    rng = np.random.default_rng(check_size("the seed", seed, minimum=0))
    x = data_vector(deployment.schema, population)
    return Counts(deployment.digest, deployment.mechanism.simulate(x, rng).values.astype(np.int64))


def data_vector(schema: Schema, population: object) -> Vector:
    """How many people of each type: the numbers themselves, or the records counted."""
    if _is_numbers(population):
        return check_data_vector(population, schema.size, "the population")
    return schema.counts(population).astype(np.float64)


def _is_numbers(population: object) -> bool:
    if hasattr(population, "__array__"):
        array = np.asarray(population)
        return array.ndim == 1 and array.dtype.kind in "iuf"
    return (
        isinstance(population, Sequence)
        and not isinstance(population, str)
        and all(isinstance(value, numbers.Real) for value in population)
    )
