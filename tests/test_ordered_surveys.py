"""The whole way beside an ordered attribute: design, deployment, reports, counts, answers with intervals."""

from __future__ import annotations

import itertools
from functools import cache
from pathlib import Path

import numpy as np
import pytest

import lowkey as lk
from lowkey.deployment import Deployment
from lowkey.errors import QueryNotAnswerable, TooLarge
from lowkey.estimate import exact_answers
from lowkey.mechanisms import DenseMechanism, SampledMechanism
from lowkey.simulate import simulate_places
from lowkey.workloads import Workload
from sampled_cases import random_sampled

PAIRS = lk.workloads.k_way_marginals
SMALL = lk.Schema(
    [
        lk.Categorical("c", ["x", "y"]),
        lk.Ordered("age", edges=[0, 18, 40, 65]),
        *(lk.Categorical(name, ["no", "yes"]) for name in "ab"),
    ]
)
ASKED = lk.workloads.stack(
    [
        lk.workloads.product([lk.workloads.prefix(3), PAIRS([2, 2, 2], 2)]).on(SMALL, "age", "a", "b", "c"),
        PAIRS([2, 2], 1).on(SMALL, "c", "b"),
    ],
    [1, 2],
)


def survey_of(questions: int) -> tuple[lk.Schema, Workload]:
    names = [f"q{i}" for i in range(questions)]
    schema = lk.Schema([lk.Ordered("age", edges=range(0, 90, 10)), *(lk.Categorical(n, ["no", "yes"]) for n in names)])
    asked = lk.workloads.product([lk.workloads.prefix(8), PAIRS([2] * questions, 2)]).on(schema, "age", *names)
    return schema, lk.workloads.stack([asked, PAIRS(schema.sizes, 1).on(schema, *schema.names)])


@cache
def designed(questions: int) -> Deployment:
    schema, workload = survey_of(questions)
    return lk.deploy(schema, workload, lk.optimize(workload, 2.0, target_gap=0.05, deployable=True).mechanism)


def small(prior: object = None) -> Deployment:
    pools = [(0, 2, 3), (0, 2, 3)]
    return lk.deploy(SMALL, ASKED, random_sampled(SMALL.sizes, 1, pools, 1.0, 0, prior))  # type: ignore[arg-type]


@pytest.mark.parametrize("questions", [9, 20])
def test_the_whole_way(questions: int, tmp_path: Path) -> None:
    deployment, rng = designed(questions), np.random.default_rng(0)
    assert isinstance(deployment.mechanism, SampledMechanism)
    deployment.save(tmp_path / "survey.lowkey")
    assert (tmp_path / "survey.lowkey").stat().st_size < 100_000
    read = lk.load(tmp_path / "survey.lowkey")
    read.verify()
    assert read == deployment

    places = np.column_stack([rng.binomial(7, 0.3, 20_000), rng.random((20_000, questions)) < 0.2]).astype(np.int64)
    parts = [simulate_places(read, part, seed) for seed, part in enumerate(np.array_split(places, 2))]
    parts[0].save(tmp_path / "counts.json")
    counts = lk.Counts.load(tmp_path / "counts.json") + parts[1]
    assert counts.users == len(places)

    made, truth = lk.estimate(read, counts), exact_answers(read.workload, places)
    for family in lk.analyze(read.workload, read.mechanism).families:
        own = slice(family.family.start, family.family.stop)
        wrong = (made.answers - truth)[own] / len(places)
        assert np.sqrt(np.mean(wrong**2)) < 1.3 * family.error(len(places))
    assert np.mean((made.low <= truth) & (truth <= made.high)) == pytest.approx(0.95, abs=0.06)
    frame = made.to_frame("pandas")
    assert [row[1] for row in made.rows()] == frame["query"].tolist()
    assert frame["query"][0] == "age < 10 and q0 = no and q1 = no"


@pytest.mark.parametrize("prior", [None, [0.5, 0.3, 0.2]], ids=["even", "prior"])
def test_the_listed_mechanism_answers_the_same_from_the_same_counts(prior: object) -> None:
    drawn = small(prior)
    own = drawn.mechanism
    listed = lk.deploy(SMALL, ASKED, DenseMechanism(own.to_dense(), 1.0, design_prior=own.design_prior))
    counts = lk.simulate(drawn, np.arange(24) * 1000, seed=1)
    one, other = lk.estimate(drawn, counts), lk.estimate(listed, lk.Counts(listed.digest, counts.values))
    np.testing.assert_allclose(one.answers, other.answers, rtol=1e-8)
    np.testing.assert_allclose(one.standard_errors, other.standard_errors, rtol=0.02)  # two estimates of the same
    np.testing.assert_allclose(one.cells, other.cells, atol=1e-5)
    consistent = lk.estimate(listed, lk.Counts(listed.digest, counts.values), "wnnls")
    np.testing.assert_allclose(lk.estimate(drawn, counts, "wnnls").answers, consistent.answers, rtol=1e-4)


def test_people_may_be_records_or_numbers_of_each_type() -> None:
    deployment, x = small(), np.arange(24)
    types = list(itertools.product("xy", [5, 20, 50], ["no", "yes"], ["no", "yes"]))
    records = [one for one, count in zip(types, x, strict=True) for _ in range(count)]
    assert lk.simulate(deployment, records, seed=2) == lk.simulate(deployment, x, seed=2)


def test_consistent_answers_over_many_cells_are_refused() -> None:
    deployment = designed(20)
    counts = simulate_places(deployment, np.zeros((100, 21), dtype=np.int64))
    with pytest.raises(TooLarge, match=r"estimate of the cells is .* expected at most 4,096. Use method \"unbiased\""):
        lk.estimate(deployment, counts, "wnnls")


def test_what_the_reports_do_not_tell_is_refused_before_anyone_is_asked() -> None:
    with pytest.raises(QueryNotAnswerable, match="together"):
        lk.deploy(SMALL, ASKED, random_sampled(SMALL.sizes, 1, [(0, 2, 3)]))


def test_an_earlier_design_is_kept_where_it_does_better() -> None:
    _, workload = survey_of(9)
    earlier = designed(9).mechanism
    later = lk.optimize(workload, 2.0, start=earlier, iterations=1)
    assert later.value <= lk.analyze(workload, earlier).worst_case
    assert isinstance(lk.optimize(workload, 1.0, start=earlier, target_gap=0.2).mechanism, SampledMechanism)


def test_plan_and_compare_design_in_the_same_way() -> None:
    _, workload = survey_of(9)
    planned = lk.plan(workload, error=0.02, users=20_000, time_limit=3)
    assert isinstance(planned.solution.mechanism, SampledMechanism)
