"""How far unbiased answers may be off: standard errors from the responses themselves, and normal intervals.

The population is fixed and only the reports are random. With y the response counts, B the cells' decoder and
V = W B, the variance of query i (the paper's Variance theorem) is Σ_o v_io² (Qx)_o − Σ_u w_iu² x_u, because
V Q = W. Putting y for Qx and x̂ for x makes it an unbiased estimate,

    s_i² = w_iᵀ [B Diag(y) Bᵀ − Diag(x̂)] w_i.
"""

from __future__ import annotations

import numbers

import numpy as np
from scipy.special import ndtri

from lowkey.analysis.decoder import Decoder
from lowkey.analysis.reconstruction import ClosedFormDecoder, StrategyDecoder
from lowkey.checks import Matrix, Vector
from lowkey.errors import InvalidInput, NotAvailable
from lowkey.mechanisms.base import Mechanism, Responses
from lowkey.workloads.base import Workload

SEEN_TOLERANCE = 1e-6  # how far E[x̂] may be from x, relative to a query's coefficients, to count as unbiased


def standard_errors(
    workload: Workload, mechanism: Mechanism, decoder: Decoder, responses: Responses, cells: Vector
) -> Vector:
    """The estimated standard error (p,) of each unbiased answer; `cells` is x̂.

    Unbiased for the variance (before the square root) as x̂ is for x; negative values, which chance may give for
    small samples, count as zero. Where the mechanism does not determine all cells, see `_partly_seen_variances`.
    """
    if isinstance(decoder, ClosedFormDecoder):
        variances = _closed_form_variances(workload, mechanism, cells, responses.users)
    elif isinstance(decoder, StrategyDecoder):
        variances = _strategy_variances(workload, mechanism.to_dense(), decoder.cells, responses, cells)
    else:
        raise NotAvailable("standard errors", f"asked of {decoder!r}", "a strategy's or a closed-form decoder")
    return np.sqrt(np.maximum(variances, 0.0))


def normal_interval(answers: Vector, errors: Vector, confidence: float) -> tuple[Vector, Vector]:
    """answer ± z·error, z the normal quantile of two-sided `confidence`."""
    reach = float(ndtri((1 + confidence) / 2)) * errors
    return answers - reach, answers + reach


def check_confidence(confidence: object) -> float:
    """A probability strictly between 0 and 1."""
    if isinstance(confidence, bool) or not isinstance(confidence, numbers.Real) or not 0 < float(confidence) < 1:
        advice = "It is the share of intervals that hold the true answer: 0.95 is usual."
        raise InvalidInput("confidence", confidence, "a number between 0 and 1, both excluded", advice)
    return float(confidence)


def _closed_form_variances(workload: Workload, mechanism: Mechanism, cells: Vector, users: int) -> Vector:
    """Block by block of queries: the mechanism knows each one's variance."""
    blocks = [mechanism.closed_form_query_variance(rows, cells, users) for _, rows in workload.blocks()]
    return np.concatenate(blocks)


def _strategy_variances(
    workload: Workload, strategy: Matrix, decoder: Matrix, responses: Responses, cells: Vector
) -> Vector:
    spread = (decoder * responses.all_values(decoder.shape[1])) @ decoder.T
    seen = decoder @ strategy  # E[x̂] = seen @ x
    if np.abs(seen - np.eye(len(seen))).max() > SEEN_TOLERANCE:
        return _partly_seen_variances(workload, spread, seen, responses.users, cells)
    return workload.variances(spread - np.diag(cells))


def _partly_seen_variances(workload: Workload, spread: Matrix, seen: Matrix, users: int, cells: Vector) -> Vector:
    """The variances where x̂ is unbiased only for combinations of cells in the row space of Q.

    Σ_u w_iu² x_u is then known only if the squared coefficients lie in that space too (as for every query of
    zeros and ones). For the others its lower bound (w_iᵀx)²/N makes the error err on the wide side.
    """
    variances = np.empty(workload.shape[0])
    for start, rows in workload.blocks():
        squares = rows**2
        second = np.einsum("kn,kn->k", rows @ spread, rows)
        unseen = np.abs(squares @ seen - squares).max(axis=1) > SEEN_TOLERANCE * np.maximum(squares.max(axis=1), 1e-300)
        wide = (second - (rows @ cells) ** 2 / users) * (users / max(users - 1, 1))
        variances[start : start + len(rows)] = np.where(unseen, wide, second - squares @ cells)
    return variances
