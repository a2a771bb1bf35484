"""simulate: the law of the counts, for populations of any size and form."""

from typing import Any

import numpy as np
import pandas as pd
import pytest

from lowkey import workloads
from lowkey.deployment import Deployment, deploy
from lowkey.errors import EncodingError, InvalidInput
from lowkey.mechanisms import create
from lowkey.schema import Categorical, Ordered, Schema
from lowkey.simulate import simulate

SCHEMA = Schema([Categorical("plan", ["free", "pro"]), Ordered("age", edges=[0, 18, 65])])


@pytest.fixture(scope="module")
def deployment() -> Deployment:
    return deploy(SCHEMA, workloads.histogram(4), create("randomized_response", 4, 1.0))


def test_counts_are_bound_to_the_deployment_and_hold_everyone(deployment: Deployment) -> None:
    counts = simulate(deployment, [5, 0, 2, 3])
    assert counts.digest == deployment.digest
    assert counts.users == 10


def test_the_same_seed_gives_the_same_counts(deployment: Deployment) -> None:
    population = [500, 0, 200, 300]
    assert simulate(deployment, population, seed=4) == simulate(deployment, population, seed=4)
    assert simulate(deployment, population, seed=4) != simulate(deployment, population, seed=5)


def test_counts_have_the_mean_and_variance_of_the_strategy(deployment: Deployment) -> None:
    """E y = Qx and Var y_o = Σ_u x_u Q_ou (1 − Q_ou), over 600 collections (z-scores below 4)."""
    x, repeats = np.array([700.0, 0, 200, 100]), 600
    strategy = deployment.mechanism.to_dense()
    drawn = np.array([simulate(deployment, x, seed).values for seed in range(repeats)])
    variance = (strategy * (1 - strategy)) @ x
    z = (drawn.mean(axis=0) - strategy @ x) / np.sqrt(variance / repeats)
    assert np.abs(z).max() < 4
    np.testing.assert_allclose(drawn.var(axis=0), variance, rtol=4 * np.sqrt(2 / repeats))


def test_a_billion_people_take_no_longer_than_a_few(deployment: Deployment) -> None:
    x = np.array([4, 3, 2, 1]) * 10**8
    counts = simulate(deployment, x)
    assert counts.users == 10**9
    np.testing.assert_allclose(counts.values, deployment.mechanism.to_dense() @ x, atol=5 * np.sqrt(10**9 / 4))


def test_a_population_may_be_counts_records_or_a_dataframe(deployment: Deployment) -> None:
    records = [{"plan": "free", "age": 10}] * 3 + [{"plan": "pro", "age": 40}] * 2
    expected = simulate(deployment, [3, 0, 0, 2])
    assert simulate(deployment, records) == expected
    assert simulate(deployment, pd.DataFrame(records)) == expected
    assert simulate(deployment, {"plan": ["free"] * 3 + ["pro"] * 2, "age": [10] * 3 + [40] * 2}) == expected
    assert simulate(deployment, pd.Series([3, 0, 0, 2])) == expected
    assert simulate(deployment, np.array([3.0, 0, 0, 2])) == expected


def test_wrong_populations_are_refused(deployment: Deployment) -> None:
    with pytest.raises(InvalidInput, match=r"population is an array of shape \(3,\)"):
        simulate(deployment, [1, 2, 3])
    with pytest.raises(InvalidInput, match="negative"):
        simulate(deployment, [1, 2, 3, -4])
    with pytest.raises(InvalidInput, match="whole number of people"):
        simulate(deployment, [0.5, 0.5, 0, 0])
    with pytest.raises(EncodingError, match="'plan' in row 0"):
        simulate(deployment, [{"plan": "gold", "age": 3}])


@pytest.mark.parametrize("seed", [-1, 1.5, None, "x"])
def test_wrong_seeds_are_refused(deployment: Deployment, seed: int) -> None:
    with pytest.raises(InvalidInput, match="seed"):
        simulate(deployment, [1, 1, 1, 1], seed)


def test_what_is_no_deployment_is_refused() -> None:
    deployment: Any = "survey.lowkey"
    with pytest.raises(InvalidInput, match=r"expected a Deployment\. Use deploy or load"):
        simulate(deployment, [1, 2])
