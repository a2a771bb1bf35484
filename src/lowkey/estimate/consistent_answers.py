"""Consistent answers: by cells where these can be listed, else by tables that agree."""

from __future__ import annotations

import numpy as np

from lowkey.analysis.decoder import Decoder
from lowkey.analysis.invariant_decoder import InvariantDecoder
from lowkey.estimate.consistent import consistent_cells
from lowkey.estimate.consistent_tables import consistent_tables
from lowkey.estimate.unbiased import LISTED_CELLS, Answers, table_answers, unbiased_cells
from lowkey.mechanisms.base import Responses
from lowkey.workloads.base import Workload


def consistent_answers(
    workload: Workload, decoder: Decoder, responses: Responses, total: float | None
) -> tuple[Answers, float]:
    """The consistent answers, without errors, and how far from the best ones they can be."""
    unknown = np.full(workload.shape[0], np.nan)
    if isinstance(decoder, InvariantDecoder) and workload.shape[1] > LISTED_CELLS:
        tables, found = table_answers(workload, decoder, responses)
        people = float(responses.users) if total is None else total
        agreed = consistent_tables(decoder.mechanism.sizes, tables, found.answers, people)
        return Answers(agreed.answers, unknown, None), agreed.distance
    nearest = consistent_cells(workload, unbiased_cells(decoder, responses), total)
    return Answers(workload.matvec(nearest.cells), unknown, nearest.cells), nearest.distance
