"""Unbiased answers: W x̂, with x̂ what the best decoder makes of the responses (the paper's V y)."""

from __future__ import annotations

from lowkey.analysis.decoder import Decoder
from lowkey.checks import Vector
from lowkey.mechanisms.base import Responses


def unbiased_cells(decoder: Decoder, responses: Responses) -> Vector:
    """x̂ (n,): W x̂ is unbiased for every query of the workload.

    x̂ itself is unbiased where the responses determine every cell; cells may come out negative.
    """
    return decoder.estimate_cells(responses)
