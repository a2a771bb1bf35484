"""Shift-invariant mechanisms on marginals and parities: the matrix's figures without the matrix, at any size."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import lowkey as lk
from invariant_cases import TableWorkload, random_group, random_juntas, tables, threshold
from lowkey.analysis.invariant_decoder import InvariantDecoder
from lowkey.analysis.reconstruction import StrategyDecoder, best_decoder
from lowkey.errors import InvalidInput, NotAvailable, QueryNotAnswerable, TooLarge
from lowkey.estimate import estimate_responses
from lowkey.mechanisms import DenseMechanism, JuntaMechanism
from lowkey.mechanisms.base import Responses
from lowkey.mechanisms.invariant import InvariantMechanism

JUNTAS = random_juntas(4)
CASES = [
    (TableWorkload(JUNTAS.sizes, tables(JUNTAS.sizes, (0, 2), (3, 1), (4,), parities=((0, 4),))), JUNTAS),
    (TableWorkload((2, 3, 4), tables((2, 3, 4), (0, 2), (2, 1), (0, 1, 2))), random_group(1, (2, 3, 4))),
    (TableWorkload((2,) * 4, tables((2,) * 4, (0, 2), parities=((1, 2, 3),))), random_group(2, (2,) * 4)),
]
HUNDRED = JuntaMechanism((2,) * 100, [threshold(4, range(100), 2)], 1.0)
PAIRS = TableWorkload((2,) * 100, tables((2,) * 100, *itertools.combinations(range(100), 2)))


def as_matrix(mechanism: InvariantMechanism) -> DenseMechanism:
    return DenseMechanism(mechanism.to_dense(), mechanism.epsilon)


@pytest.mark.parametrize(("workload", "mechanism"), CASES)
def test_figures_are_those_of_the_matrix(workload: TableWorkload, mechanism: InvariantMechanism) -> None:
    fast, slow = lk.analyze(workload, mechanism), lk.analyze(workload, as_matrix(mechanism))
    assert isinstance(fast.decoder, InvariantDecoder)
    x = np.arange(mechanism.domain_size)
    np.testing.assert_allclose(fast.per_type, slow.per_type, rtol=1e-8)
    np.testing.assert_allclose(fast.prior, slow.prior)
    for figure in ("worst_case", "average"):
        assert getattr(fast, figure) == pytest.approx(getattr(slow, figure), rel=1e-8)
    assert fast.total_variance(x) == pytest.approx(slow.total_variance(x), rel=1e-8)
    assert fast.sample_complexity(0.01, x) == pytest.approx(slow.sample_complexity(0.01, x), rel=1e-8)
    assert fast.families[0].worst_case == pytest.approx(slow.families[0].worst_case, rel=1e-8)
    np.testing.assert_allclose(fast.families[0].per_type, slow.families[0].per_type, rtol=1e-8)


@pytest.mark.parametrize(("workload", "mechanism"), CASES)
def test_estimated_cells_give_the_answers(workload: TableWorkload, mechanism: InvariantMechanism) -> None:
    """The cells themselves are the least that have these answers: what is hidden is 0, as with the matrix."""
    strategy, x = mechanism.to_dense(), np.random.default_rng(0).integers(0, 50, mechanism.domain_size)
    expected = Responses(strategy @ x, int(x.sum()))
    cells = best_decoder(workload, mechanism).estimate_cells(expected)
    np.testing.assert_allclose(workload.matvec(cells), workload.matvec(x), atol=1e-8)
    slow = best_decoder(workload, as_matrix(mechanism)).estimate_cells(expected)
    np.testing.assert_allclose(cells, slow, atol=1e-7)


@pytest.mark.parametrize(("workload", "mechanism"), CASES)
def test_standard_errors_are_those_of_the_matrix(workload: TableWorkload, mechanism: InvariantMechanism) -> None:
    drawn = mechanism.simulate(np.full(mechanism.domain_size, 500), np.random.default_rng(0))
    listed = Responses(drawn.all_values(mechanism.shape[0]), drawn.users)
    fast = estimate_responses(workload, mechanism, drawn)
    slow = estimate_responses(workload, as_matrix(mechanism), listed)
    np.testing.assert_allclose(fast.answers, slow.answers, rtol=1e-6, atol=1e-6)
    seen = [query for table in workload.tables() if not table.is_parity for query in [table.start]]
    np.testing.assert_allclose(fast.standard_errors[seen], slow.standard_errors[seen], rtol=0.05)  # both unbiased


def test_a_hundred_attributes_have_figures_and_no_list_of_types() -> None:
    analysis = lk.analyze(PAIRS, HUNDRED)
    assert analysis.worst_case == analysis.average == HUNDRED.variance(PAIRS.interactions)
    assert analysis.sample_complexity(0.01) == pytest.approx(analysis.worst_case / (4 * 4950 * 0.01))
    assert analysis.families[0].worst_case == analysis.worst_case
    with pytest.raises(TooLarge, match=r"the variance by type is about 10\^30 numbers.*use worst_case or average"):
        _ = analysis.per_type
    with pytest.raises(TooLarge, match=r"the estimate of the cells is 1,267,.*Use lowkey.estimate.estimate_tables"):
        analysis.decoder.estimate_cells(Responses(np.ones(1), 1, np.zeros(1, dtype=np.int64)))


def test_other_workloads_take_the_matrix() -> None:
    mechanism = random_group(1, (2, 3))
    for workload in (lk.workloads.prefix(6), TableWorkload((3, 2), tables((3, 2), (0,)))):
        assert isinstance(best_decoder(workload, mechanism), StrategyDecoder)


def test_so_does_a_prior_that_is_not_even() -> None:
    workload, mechanism = CASES[1]
    prior = np.arange(1.0, 25.0)
    assert isinstance(best_decoder(workload, mechanism, np.ones(24)), InvariantDecoder)
    slow = lk.analyze(workload, as_matrix(mechanism), prior)
    assert lk.analyze(workload, mechanism, prior).average == pytest.approx(slow.average, rel=1e-9)


def test_a_matrix_that_does_not_fit_is_refused() -> None:
    schema = lk.Schema([lk.Categorical(f"q{place}", ["no", "yes"]) for place in range(100)])
    with pytest.raises(TooLarge, match="the strategy matrix of junta"):
        lk.analyze(lk.workloads.prefix(2).on(schema, "q0"), HUNDRED)


def test_coarser_attributes_are_read_as_the_mechanisms_own() -> None:
    """A histogram of all cells, whatever attributes these are made of; in a stack each family has its figure."""
    mechanism = random_group(1, (2, 3))
    stacked = lk.workloads.stack([lk.workloads.histogram(6), lk.workloads.all_marginals([2, 3])], weights=[2, 1])
    slow, fast = lk.analyze(stacked, as_matrix(mechanism)), lk.analyze(stacked, mechanism)
    assert fast.worst_case == pytest.approx(slow.worst_case, rel=1e-9)
    for own, other in zip(fast.families, slow.families, strict=True):
        assert own.worst_case == pytest.approx(other.worst_case, rel=1e-9)


def test_a_family_that_is_not_invariant_has_no_figure() -> None:
    with pytest.raises(NotAvailable, match="the variance of this decoder is asked for prefix"):
        InvariantDecoder(random_group(1, (2, 3))).variance(lk.workloads.prefix(6))


def test_what_is_not_determined_is_refused() -> None:
    five = TableWorkload((2,) * 100, tables((2,) * 100, (0, 1, 2, 3, 4)))
    with pytest.raises(QueryNotAnswerable, match="do not determine what depends on attributes 0, 1"):
        lk.analyze(five, HUNDRED)


@pytest.mark.parametrize("prior", [[1.0, 1.0], np.zeros(24), "x"])
def test_what_a_decoder_is_tuned_for_is_checked(prior: object) -> None:
    workload, mechanism = CASES[0]
    with pytest.raises(InvalidInput):
        best_decoder(workload, mechanism, prior)
