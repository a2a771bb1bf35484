"""Results in shares of the people: weights taken out, errors and coverage against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from report_cases import FAMILIES, PEOPLE, results, workload

import lowkey as lk
from lowkey.report import repeat
from lowkey.report.known import open_queries
from lowkey.report.people_needed import needs
from lowkey.report.tables import accuracy_table, answers_table, competitors_table, design_table


def test_families_keep_their_order_and_names() -> None:
    assert tuple(one.name for one in results().families) == FAMILIES


def test_answers_are_shares_without_weights() -> None:
    known = results()
    plans = known.families[0]
    assert plans.truth is not None
    np.testing.assert_allclose(plans.truth, [21 / 171, 57 / 171, 93 / 171])
    np.testing.assert_allclose(plans.answers, known.estimate.answers[:3] / 2 / 171_000)
    rows = [row for row in known.estimate.rows() if row[0] == "Questions"]
    np.testing.assert_allclose(known.families[5].answers, [row[2] / 171_000 for row in rows])
    np.testing.assert_allclose(known.families[5].high, [row[4] / 171_000 for row in rows])


def test_errors_are_root_mean_squares_over_the_family() -> None:
    plans = results().families[0]
    assert plans.truth is not None
    assert plans.consistent is not None
    differences = plans.answers - plans.truth
    assert plans.error == pytest.approx(np.sqrt((differences**2).sum() / 3))
    assert plans.consistent_error == pytest.approx(np.sqrt(((plans.consistent - plans.truth) ** 2).sum() / 3))
    blind = results(has_truth=False).families[0]
    assert np.isnan(blind.error)
    assert np.isnan(blind.consistent_error)


def test_queries_that_count_everyone_alike_are_known() -> None:
    flags = open_queries(workload())
    dense = workload().to_dense()
    np.testing.assert_array_equal(flags, dense.max(axis=1) != dense.min(axis=1))
    assert flags.tolist().count(False) == 3  # everyone among prefixes and ranges, and the sum


def test_repeats_cover_as_often_as_promised() -> None:
    """95% of 60 runs each for 30 open queries; five standard deviations of the mean over 60 independent runs."""
    repeats = results().repeats
    assert repeats is not None
    coverage = repeats.coverage[open_queries(workload())]
    assert np.isnan(repeats.coverage).sum() == 3
    assert abs(coverage.mean() - 0.95) < 5 * np.sqrt(0.95 * 0.05 / 60)


def test_repeats_err_as_much_as_the_exact_variance_says() -> None:
    known = results()
    assert known.repeats is not None
    weights = np.concatenate([np.full(f.stop - f.start, f.weight) for f in workload().families])
    total = ((known.repeats.error * weights * 171_000) ** 2).sum()
    assert total == pytest.approx(known.design.total_variance(PEOPLE), rel=0.2)


def test_a_single_repeat_is_the_estimate_itself() -> None:
    known = results()
    once = repeat(known.deployment, PEOPLE, runs=1, seed=5)
    differences = known.estimate.answers - workload().matvec(PEOPLE)
    weights = np.concatenate([np.full(f.stop - f.start, f.weight) for f in workload().families])
    np.testing.assert_allclose(once.error, np.abs(differences) / weights / 171_000)
    held = np.concatenate([one.holds for one in known.families])[open_queries(workload())]
    np.testing.assert_array_equal(once.coverage[open_queries(workload())], held)


def test_competitors_are_ranked_and_the_weaker_promise_is_marked() -> None:
    known = results()
    ranked = needs(known)
    assert [need.people for need in ranked] == sorted(need.people for need in ranked)
    assert [need.name for need in ranked if need.is_own] == ["hadamard (this survey)"]
    assert [need.name for need in ranked if need.is_weaker] == ["gaussian"]
    best = known.best_competitor
    assert best is not None
    assert best.name in ("randomized_response", "fourier")
    table = competitors_table(known)
    assert table.note == "Not for this domain or these queries: block design."
    assert table.rows[min(table.strong)][2] == "1.0×"


def test_the_best_competitor_keeps_the_same_promise() -> None:
    known = results()
    gaussian = lk.compare(known.deployment.workload, 2.0, ["gaussian"])
    from dataclasses import replace

    assert replace(known, competitors=gaussian).best_competitor is None


def test_tables_hold_the_numbers_as_text() -> None:
    known = results()
    assert design_table(known).rows[0][:3] == ("Plans <all>", "3", "2")
    assert [column.heading for column in accuracy_table(known).columns][-1] == "in 60 repeats"
    sums = answers_table(known.families[4]).rows[1]
    assert sums == ("sum", "100.0%", "100.0%", "known", "100.0%")
    pairs = answers_table(known.families[3], most=4)
    assert len(pairs.rows) == 4
    assert pairs.note == "The first 4 of 21 queries."
    blind = answers_table(results(has_truth=False).families[0])
    assert [column.heading for column in blind.columns] == ["query", "estimate", "interval"]


def test_a_table_keeps_brackets_on_the_terminal() -> None:
    from rich.console import Console

    console = Console(width=120, file=None, record=True, force_terminal=False)
    with console.capture() as captured:
        console.print(answers_table(results().families[2]).to_rich())
    assert "age in [18, 65)" in captured.get()
