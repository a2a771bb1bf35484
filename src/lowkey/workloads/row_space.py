"""Which queries a mechanism leaves undetermined."""

from __future__ import annotations

import numpy as np

from lowkey.checks import Matrix
from lowkey.errors import QueryNotAnswerable
from lowkey.workloads.base import Workload

ROW_SPACE_TOLERANCE = 1e-6  # largest part of a query, relative to its own norm, that may be undetermined


def refuse_unanswerable(workload: Workload, unseen: Matrix) -> None:
    """Raise for the first query with a part in the span of `unseen`, an orthonormal basis (n×r) of what no output
    of the mechanism tells anything about.

    Each query is held against its own norm: one of small weight counts as much as any other.
    """
    if unseen.shape[1] == 0:
        return
    for start, block in workload.blocks():
        norms = np.linalg.norm(block, axis=1)
        share = np.linalg.norm(block @ unseen, axis=1) / np.where(norms > 0, norms, 1.0)
        if share.max() > ROW_SPACE_TOLERANCE:
            query = start + int(np.argmax(share > ROW_SPACE_TOLERANCE))
            raise QueryNotAnswerable(
                "the workload",
                f"not answerable with this mechanism: nothing in its outputs determines query {query} "
                f"({workload.label(query)})",
                "queries in the row space of the strategy (W = W Q⁺ Q)",
                "Choose a mechanism that covers the query, or optimize one for this workload.",
            )
