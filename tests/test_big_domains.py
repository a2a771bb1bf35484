"""The whole way over domains that nobody lists: design, deployment, reports, counts, answers with intervals."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import lowkey as lk
from big_domains import CENSUS, HUNDRED, hundred, marginals
from lowkey.errors import InvalidInput, NotAvailable, TooLarge
from lowkey.estimate import exact_answers
from lowkey.mechanisms.places import Numbers
from lowkey.report import Results, page
from lowkey.simulate import simulate, simulate_places


def some_people(schema: lk.Schema, count: int, seed: int = 0) -> Numbers:
    """Mostly of the first values; neighbouring attributes agree more often than not."""
    rng = np.random.default_rng(seed)
    places = np.stack([np.minimum(rng.geometric(0.4, size=count) - 1, size - 1) for size in schema.sizes], axis=1)
    copied = rng.random(count) < 0.5
    places[copied, 1] = places[copied, 0] % schema.sizes[1]
    return places


def check_whole_way(deployment: lk.Deployment, places: Numbers, folder: Path) -> None:
    deployment.save(folder / "survey.lowkey")
    read = lk.load(folder / "survey.lowkey")
    read.verify()
    assert read == deployment

    parts = [simulate_places(read, part, seed) for seed, part in enumerate(np.array_split(places, 2))]
    parts[0].save(folder / "counts.json")
    counts = lk.Counts.load(folder / "counts.json") + parts[1]
    assert counts.users == len(places)

    made, truth = lk.estimate(read, counts), exact_answers(read.workload, places)
    designed = lk.analyze(read.workload, read.mechanism).families[0].error(len(places))
    wrong = (made.answers - truth) / len(places)
    assert np.sqrt(np.mean(wrong**2)) == pytest.approx(designed, rel=0.15)
    held = np.mean((made.low <= truth) & (truth <= made.high))
    assert held == pytest.approx(0.95, abs=0.06)  # the errors of many queries go together
    frame = made.to_frame("pandas")
    assert len(frame) == read.workload.shape[0]
    assert list(islice(frame["query"], 5)) == [read.workload.describe(i, tuple(read.schema)) for i in range(5)]
    assert frame["query"].iloc[-1] == read.workload.describe(len(frame) - 1, tuple(read.schema))
    with pytest.raises(TooLarge, match=r"estimate of the cells is about .* Use answers, rows\(\) or to_frame"):
        made.cells  # noqa: B018


def test_all_three_way_marginals_of_a_hundred_questions(tmp_path: Path) -> None:
    deployment = hundred(3)
    assert deployment.workload.shape == (1_293_600, 2**100)
    assert deployment.outputs > 2**32
    check_whole_way(deployment, some_people(HUNDRED, 20_000), tmp_path)
    assert (tmp_path / "survey.lowkey").stat().st_size < 50_000


@pytest.mark.slow
def test_all_two_way_marginals_of_a_census(tmp_path: Path) -> None:
    workload = marginals(CENSUS, 2)
    deployment = lk.deploy(CENSUS, workload, lk.optimize(workload, 1.0, time_limit=20).mechanism)
    check_whole_way(deployment, some_people(CENSUS, 100_000), tmp_path)


def test_people_may_be_records_columns_or_a_frame() -> None:
    deployment, places = hundred(2), some_people(HUNDRED, 50)
    expected = simulate_places(deployment, places, seed=4)
    words = np.where(places == 1, "yes", "no")
    columns = {name: column.tolist() for name, column in zip(HUNDRED.names, words.T, strict=True)}
    records = [dict(zip(HUNDRED.names, row, strict=True)) for row in words.tolist()]
    for population in (columns, records, pd.DataFrame(columns)):
        assert simulate(deployment, population, seed=4) == expected
    assert simulate(deployment, records, seed=5) != expected


def test_unbiased_over_repeated_collections() -> None:
    """Mean errors over 200 collections are within 4 standard errors of 0."""
    workload = lk.workloads.k_way_marginals([2, 2], 2).on(HUNDRED, "q0", "q1")
    deployment, places = lk.deploy(HUNDRED, workload, hundred(2).mechanism), some_people(HUNDRED, 500)
    truth = exact_answers(workload, places)
    made = [lk.estimate(deployment, simulate_places(deployment, places, seed)) for seed in range(200)]
    errors = np.array([one.answers - truth for one in made])
    variances = np.array([one.standard_errors**2 for one in made])
    assert np.abs(errors.mean(axis=0) / (errors.std(axis=0) / np.sqrt(200))).max() < 4
    np.testing.assert_allclose(variances.mean(axis=0), errors.var(axis=0), rtol=0.5)


def test_a_population_of_numbers_is_refused_in_words() -> None:
    with pytest.raises(InvalidInput, match=r"population is numbers for about 10\^30 types; expected records"):
        simulate(hundred(2), [1, 2, 3])


def test_places_need_base_patterns() -> None:
    schema = lk.Schema([lk.Categorical("a", [0, 1])])
    coin = lk.deploy(schema, lk.workloads.histogram(2), lk.mechanisms.create("randomized_response", 2, 1.0))
    with pytest.raises(NotAvailable, match="simulation from places is asked of randomized_response"):
        simulate_places(coin, [[0]])


def test_catalogue_mechanisms_say_that_the_domain_is_too_large() -> None:
    competitors = lk.compare(hundred(2).workload, 1.0)
    assert all("domain to compare mechanisms on is about 10^30 cells" in one.reason for one in competitors)


@pytest.mark.parametrize("options", [{"max_outputs": 1000}, {"prior": [0.5, 0.5]}, {"method": "projected-gradient"}])
def test_what_needs_the_whole_domain_says_so(options: dict[str, object]) -> None:
    objective = "average" if "prior" in options else "worst"
    with pytest.raises(TooLarge, match=r"about 10\^30 cells; expected at most 16,384. Leave out max_outputs"):
        lk.optimize(hundred(2).workload, 1.0, objective, **options)  # type: ignore[arg-type]


def test_a_page_tells_of_a_hundred_questions() -> None:
    deployment = hundred(2)
    made = lk.estimate(deployment, simulate_places(deployment, some_people(HUNDRED, 2000)))
    design = lk.analyze(deployment.workload, deployment.mechanism)
    bound = lk.lower_bound(deployment.workload, 1.0)
    html = page(Results("A hundred", deployment, design, bound, lk.compare(deployment.workload, 1.0), made))
    assert "19,800 queries over about 10^30 combinations" in html
    assert len(html) < 500_000
