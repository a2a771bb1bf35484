"""estimate: the path from counts to a table, and what it refuses."""

import importlib.util
import math
from typing import Any

import numpy as np
import pandas as pd
import pytest

from lowkey import workloads
from lowkey.analysis import analyze
from lowkey.counts import Counts
from lowkey.deployment import Deployment, deploy
from lowkey.errors import InvalidInput
from lowkey.estimate import Estimate, estimate
from lowkey.mechanisms import create
from lowkey.schema import Categorical, Ordered, Schema
from lowkey.simulate import simulate

SCHEMA = Schema([Categorical("plan", ["free", "pro"]), Ordered("age", edges=[0, 18, 65, 120])])
WORKLOAD = workloads.stack(
    [workloads.prefix(3).on(SCHEMA, "age"), workloads.histogram(2).on(SCHEMA, "plan"), workloads.histogram(6)],
    weights=[2, 1, 0.5],
)
PEOPLE = np.array([3000, 500, 0, 100, 1000, 400])


@pytest.fixture(scope="module")
def deployment() -> Deployment:
    return deploy(SCHEMA, WORKLOAD, create("hadamard", 6, 1.0))


@pytest.fixture(scope="module")
def counts(deployment: Deployment) -> Counts:
    return simulate(deployment, PEOPLE, seed=1)


def test_unbiased_answers_have_the_mean_and_variance_of_the_analysis(deployment: Deployment) -> None:
    """500 collections: each answer's mean is the truth, and the mean squared error is the analysis' (z below 4)."""
    repeats, truth = 500, WORKLOAD.matvec(PEOPLE)
    found = [estimate(deployment, simulate(deployment, PEOPLE, seed)) for seed in range(repeats)]
    errors = np.array([one.answers - truth for one in found])
    squared = np.sum(errors**2, axis=1)
    total = analyze(WORKLOAD, deployment.mechanism).total_variance(PEOPLE)
    assert abs(squared.mean() - total) < 4 * squared.std() / math.sqrt(repeats)
    deviation = errors.std(axis=0) / math.sqrt(repeats)
    assert (np.abs(errors.mean(axis=0)) <= 4 * deviation + 1e-9).all()
    reported = np.mean([one.standard_errors**2 for one in found], axis=0)
    np.testing.assert_allclose(errors.var(axis=0), reported, rtol=5 * math.sqrt(2 / repeats), atol=1e-4)


def test_wnnls_is_consistent_and_closer_to_the_truth(deployment: Deployment) -> None:
    few = PEOPLE // 10
    truth = WORKLOAD.matvec(few)
    plain = np.zeros(3)
    for seed in range(60):
        counts = simulate(deployment, few, seed)
        raw = estimate(deployment, counts)
        free = estimate(deployment, counts, method="wnnls")
        fixed = estimate(deployment, counts, method="wnnls", total=500)
        for one in (free, fixed):
            assert (one.cells >= 0).all()
            np.testing.assert_allclose(one.answers, WORKLOAD.matvec(one.cells))
        assert fixed.cells.sum() == pytest.approx(500, rel=1e-14)
        plain += [np.sum((one.answers - truth) ** 2) for one in (raw, free, fixed)]
    assert plain[1] < 0.95 * plain[0]
    assert plain[2] < 0.95 * plain[0]


def test_wnnls_comes_without_intervals(deployment: Deployment, counts: Counts) -> None:
    found = estimate(deployment, counts, method="wnnls")
    assert np.isnan([found.low, found.high, found.standard_errors]).all()
    assert float(str(found.provenance["distance from the optimum"])) <= 1e-6


def test_an_estimate_says_where_it_comes_from(deployment: Deployment, counts: Counts) -> None:
    found = estimate(deployment, counts, confidence=0.8)
    assert found.users == 5000
    assert found.method == "unbiased"
    assert found.confidence == 0.8
    assert found.provenance["digest"] == deployment.digest
    assert found.provenance["method"] == "unbiased"
    assert isinstance(found.provenance["lowkey"], str)
    np.testing.assert_allclose(found.answers, WORKLOAD.matvec(found.cells))
    assert (found.low <= found.answers).all()
    assert (found.answers <= found.high).all()


def test_everyone_is_counted_exactly(deployment: Deployment, counts: Counts) -> None:
    """The third prefix holds all: weight 2 × 5,000 people, without error."""
    found = estimate(deployment, counts)
    assert found.answers[2] == pytest.approx(10_000)
    assert found.standard_errors[2] == pytest.approx(0, abs=1e-3)


# -- tables -----------------------------------------------------------------------------------


def test_rows_name_family_and_query_and_take_the_weights_out(deployment: Deployment, counts: Counts) -> None:
    found = estimate(deployment, counts)
    rows = list(found.rows())
    assert len(rows) == 11
    assert [row[:2] for row in rows[:5]] == [
        ("prefix on age", "age < 18"),
        ("prefix on age", "age < 65"),
        ("prefix on age", "everyone"),
        ("histogram on plan", "plan = free"),
        ("histogram on plan", "plan = pro"),
    ]
    assert rows[5][:2] == ("histogram", "plan = free and age in [0, 18)")
    assert rows[2][2] == pytest.approx(5000)
    assert rows[5][2] == pytest.approx(found.cells[0])
    assert rows[0][3] == pytest.approx(found.low[0] / 2)
    assert rows[5][4] == pytest.approx(found.high[5] / 0.5)


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_frames_hold_the_same_as_the_rows(deployment: Deployment, counts: Counts, backend: Any) -> None:
    found = estimate(deployment, counts)
    frame = found.to_frame(backend)
    assert type(frame).__module__.split(".")[0] == backend
    table = frame if backend == "pandas" else frame.to_pandas()
    assert list(table.columns) == ["family", "query", "answer", "low", "high", "standard_error"]
    pd.testing.assert_frame_equal(
        table.iloc[:, :5].astype({"family": object, "query": object}),
        pd.DataFrame(list(found.rows()), columns=["family", "query", "answer", "low", "high"]).astype(
            {"family": object, "query": object}
        ),
    )
    z = (table["high"] - table["answer"]) / 1.959963984540054
    np.testing.assert_allclose(table["standard_error"], z, rtol=1e-6, atol=1e-9)


def test_without_a_name_the_first_installed_library_serves(
    deployment: Deployment, counts: Counts, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = estimate(deployment, counts)
    assert isinstance(found.to_frame(), pd.DataFrame)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None)
    with pytest.raises(InvalidInput, match=r"not installed; expected pandas or polars or pyarrow.*rows\(\)"):
        found.to_frame()
    with pytest.raises(InvalidInput, match=r"not installed; expected polars. Try pip install polars"):
        found.to_frame("polars")


def test_an_unknown_backend_is_refused(deployment: Deployment, counts: Counts) -> None:
    with pytest.raises(InvalidInput, match="backend is 'excel'; expected one of pandas, polars, pyarrow"):
        estimate(deployment, counts).to_frame("excel")  # type: ignore[arg-type]


# -- refusals -----------------------------------------------------------------------------------


def test_counts_of_another_deployment_are_refused(deployment: Deployment) -> None:
    other = deploy(SCHEMA, WORKLOAD, create("hadamard", 6, 1.1))
    with pytest.raises(InvalidInput, match=rf"{other.digest}.*expected {deployment.digest}.*very deployment"):
        estimate(deployment, simulate(other, PEOPLE))
    with pytest.raises(InvalidInput, match=r"\(1 outputs\)"):
        estimate(deployment, Counts(deployment.digest, [3]))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"method": "likelihood"}, "method is 'likelihood'; expected one of unbiased, wnnls"),
        ({"confidence": 95}, "confidence is 95; expected a number between 0 and 1.*0.95 is usual"),
        ({"confidence": 1.0}, "confidence is 1.0"),
        ({"confidence": "high"}, "confidence is 'high'"),
        ({"total": 100}, "total is 100; expected None with method 'unbiased'"),
        ({"total": -1, "method": "wnnls"}, "total is -1; expected a positive number"),
        ({"total": True, "method": "wnnls"}, "total is True"),
        ({"total": math.inf, "method": "wnnls"}, "total is inf"),
    ],
)
def test_bad_arguments_are_refused(
    deployment: Deployment, counts: Counts, arguments: dict[str, Any], message: str
) -> None:
    with pytest.raises(InvalidInput, match=message):
        estimate(deployment, counts, **arguments)


def test_an_empty_collection_is_refused(deployment: Deployment) -> None:
    with pytest.raises(InvalidInput, match="collection is without reports; expected at least one"):
        estimate(deployment, Counts.empty(deployment))


@pytest.mark.parametrize(("first", "second"), [("x", "y"), (None, None)])
def test_things_that_are_no_deployment_or_counts_are_refused(deployment: Deployment, first: Any, second: Any) -> None:
    with pytest.raises(InvalidInput, match="expected a Deployment"):
        estimate(first, second)
    with pytest.raises(InvalidInput, match="expected a Counts"):
        estimate(deployment, second)


def test_every_range_of_256_cells_gets_an_answer_and_an_error() -> None:
    schema, ranges = Schema([Ordered("value", edges=list(range(257)))]), workloads.all_range(256)
    deployment = deploy(schema, ranges, create("hierarchical", 256, 2.0))
    found: Estimate = estimate(deployment, simulate(deployment, np.full(256, 10**6)))
    assert found.answers.shape == (32_896,)
    z = (found.answers - ranges.matvec(np.full(256, 10**6))) / np.maximum(found.standard_errors, 1.0)
    assert np.abs(z).max() < 6
