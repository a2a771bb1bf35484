"""Marginals and parities from the reports: unbiased answers and variances, in exact expectation."""

from __future__ import annotations

import itertools
import math
import time

import numpy as np
import pytest

from invariant_cases import information_matrix, queries, random_group, random_juntas, tables, threshold
from lowkey.errors import InvalidInput, QueryNotAnswerable
from lowkey.estimate.interaction_estimate import estimate_tables
from lowkey.mechanisms import create
from lowkey.mechanisms.base import Responses
from lowkey.mechanisms.group import GroupMechanism
from lowkey.mechanisms.invariant import InvariantMechanism
from lowkey.mechanisms.junta import JuntaMechanism
from lowkey.workloads.interactions import Table

MIXED = (2, 3, 2, 3, 2)
ASKED = {
    "juntas": tables(MIXED, (0, 2), (3, 1), (4,), (), (2, 1), parities=((0, 4), (), (2,), (0, 2, 4))),
    "group": tables((2, 3, 4), (0, 2), (2, 1), (), (1,), (0, 1, 2), parities=((0,), ())),
    "binary": tables((2,) * 4, (1, 3), (2, 0, 1), parities=((0, 1, 2, 3), (1,))),
    "single values": tables((2, 1, 3), (0, 1), (1,), (2, 1, 0)),
}
MECHANISMS: dict[str, InvariantMechanism] = {
    "juntas": random_juntas(1),
    "group": random_group(1, (2, 3, 4)),
    "binary": random_group(2, (2,) * 4, epsilon=0.3),
    "single values": random_group(3, (2, 1, 3)),
}


@pytest.mark.parametrize("case", ASKED)
def test_expected_responses_give_the_answers_and_their_variances(case: str) -> None:
    """Σ_o V_o² (Qx)_o − Σ_u w_u² x_u with V = W X⁺ Qᵀ D⁻¹ from the matrix."""
    mechanism, asked = MECHANISMS[case], ASKED[case]
    strategy, workload = mechanism.to_dense(), queries(mechanism.sizes, asked)
    x = np.random.default_rng(0).integers(1, 100, strategy.shape[1]).astype(float)
    found = estimate_tables(mechanism, Responses(strategy @ x, int(x.sum())), asked)
    even = np.full(len(x), 1 / len(x))
    decoder = (
        workload @ np.linalg.pinv(information_matrix(strategy, even)) @ (strategy / strategy.mean(axis=1)[:, None]).T
    )
    np.testing.assert_allclose(decoder @ strategy, workload, atol=1e-9)
    np.testing.assert_allclose(found.answers, workload @ x, rtol=1e-9, atol=1e-8)
    expected = decoder**2 @ (strategy @ x) - workload**2 @ x
    np.testing.assert_allclose(found.variances, expected, rtol=1e-8, atol=1e-7 * expected.max())


@pytest.mark.parametrize("case", ["juntas", "group"])
def test_estimates_from_named_outputs_are_those_from_all(case: str) -> None:
    mechanism = MECHANISMS[case]
    drawn = mechanism.simulate(np.full(mechanism.domain_size, 40), np.random.default_rng(0))
    outputs, counts = drawn.tally()
    found = [
        estimate_tables(mechanism, responses, ASKED[case])
        for responses in (
            Responses(counts, drawn.users, outputs),
            Responses(drawn.all_values(mechanism.shape[0]), drawn.users),
        )
    ]
    np.testing.assert_allclose(found[0].answers, found[1].answers, rtol=1e-9, atol=1e-8)
    np.testing.assert_allclose(found[0].variances, found[1].variances, rtol=1e-9)


def test_reports_are_added_up_in_parts_too(monkeypatch: pytest.MonkeyPatch) -> None:
    mechanism, asked = MECHANISMS["juntas"], ASKED["juntas"]
    responses = mechanism.simulate(np.full(72, 30), np.random.default_rng(1))
    whole = estimate_tables(mechanism, responses, asked)
    monkeypatch.setattr("lowkey.analysis.junta_moments.AT_A_TIME", 50)
    parts = estimate_tables(mechanism, responses, asked)
    np.testing.assert_allclose(parts.answers, whole.answers, rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(parts.variances, whole.variances, rtol=1e-9)


@pytest.mark.parametrize(
    ("mechanism", "table"),
    [
        (random_juntas(0), Table((0, 1, 2, 3), 1.0, 0)),
        (random_juntas(0), Table((0, 1, 3), 1.0, 0)),
        (JuntaMechanism((2, 2), [threshold(1, (0,), 1)], 1.0), Table((1,), 1.0, 0, is_parity=True)),
        (GroupMechanism((2, 2), [[True, True, False, False]], [1.0], 1.0), Table((0, 1), 1.0, 0)),
    ],
)
def test_tables_that_the_reports_do_not_determine_are_refused(mechanism: InvariantMechanism, table: Table) -> None:
    with pytest.raises(QueryNotAnswerable, match="its outputs do not determine what depends on attribute"):
        estimate_tables(
            mechanism, mechanism.simulate(np.ones(mechanism.domain_size), np.random.default_rng(0)), [table]
        )


def test_other_mechanisms_are_refused() -> None:
    with pytest.raises(InvalidInput, match="expected a GroupMechanism or a JuntaMechanism"):
        estimate_tables(create("rappor", 4, 1.0), Responses(np.zeros(4), 0), [])  # type: ignore[arg-type]


def test_a_hundred_attributes_take_seconds() -> None:
    """Estimated standard errors agree with the known variance, and errors with them."""
    sizes, rng = (2,) * 100, np.random.default_rng(0)
    mechanism = JuntaMechanism(sizes, [threshold(s, range(100), s // 2, 0.5) for s in (4, 5)], 1.0)
    people = (rng.random((50_000, 100)) < 0.3).astype(np.int64)
    outputs = mechanism.report(people, rng)
    seen, counts = np.unique(outputs, return_counts=True)
    pairs = list(itertools.combinations(range(100), 2))
    asked = [Table(pair, 1.0, 4 * number) for number, pair in enumerate(pairs)]
    begun = time.monotonic()
    found = estimate_tables(mechanism, Responses(counts.astype(float), len(people), seen), asked)
    assert time.monotonic() - begun < 30
    both = (people.T.astype(float) @ people)[tuple(np.array(pairs).T)]
    scores = (found.answers[3::4] - both) / np.sqrt(found.variances[3::4])
    assert math.sqrt(np.mean(scores**2)) == pytest.approx(1, abs=0.05)
