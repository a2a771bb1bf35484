"""Unbiased answers: W x̂, with x̂ what the best decoder makes of the responses (the paper's V y).

Marginals and parities from a shift-invariant mechanism are answered table by table, without x̂; so are their products
with queries on an ordered attribute from one that draws attributes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from lowkey.analysis.decoder import Decoder
from lowkey.analysis.invariant_decoder import InvariantDecoder, shared_tables
from lowkey.analysis.sampled_decoder import SampledDecoder
from lowkey.checks import Vector
from lowkey.errors import NotAvailable
from lowkey.estimate.interaction_estimate import TableEstimate, estimate_tables
from lowkey.estimate.intervals import standard_errors
from lowkey.estimate.ordered_tables import estimate_ordered
from lowkey.mechanisms.base import Mechanism, Responses
from lowkey.workloads.base import Workload
from lowkey.workloads.interactions import Table

LISTED_CELLS = 2**12  # up to so many are estimated beside the answers, where these do not need them


@dataclass(frozen=True)
class Answers:
    """Answers, their standard errors, and the cells behind them: None where the answers came without."""

    answers: Vector
    errors: Vector
    cells: Vector | None


def unbiased_answers(workload: Workload, mechanism: Mechanism, decoder: Decoder, responses: Responses) -> Answers:
    """The unbiased answers that the responses give."""
    if isinstance(decoder, InvariantDecoder):
        return _without_cells(table_answers(workload, decoder, responses)[1], workload, decoder, responses)
    if isinstance(decoder, SampledDecoder):
        return _without_cells(estimate_ordered(decoder.mechanism, responses, workload), workload, decoder, responses)
    cells = unbiased_cells(decoder, responses)
    return Answers(workload.matvec(cells), standard_errors(workload, mechanism, decoder, responses, cells), cells)


def unbiased_cells(decoder: Decoder, responses: Responses) -> Vector:
    """x̂ (n,): W x̂ is unbiased for every query of the workload.

    x̂ itself is unbiased where the responses determine every cell; cells may come out negative.
    """
    return decoder.estimate_cells(responses)


def table_answers(
    workload: Workload, decoder: InvariantDecoder, responses: Responses
) -> tuple[tuple[Table, ...], TableEstimate]:
    """The workload's tables, and what the responses say of them."""
    tables = shared_tables(workload, decoder.mechanism)
    if tables is None:
        raise NotAvailable("the answers", f"asked for {workload.name}", "marginals and parities")
    return tables, estimate_tables(decoder.mechanism, responses, tables)


def _without_cells(found: TableEstimate, workload: Workload, decoder: Decoder, responses: Responses) -> Answers:
    """With cells beside them only where these are few."""
    cells = unbiased_cells(decoder, responses) if workload.shape[1] <= LISTED_CELLS else None
    return Answers(found.answers, np.sqrt(np.maximum(found.variances, 0.0)), cells)
