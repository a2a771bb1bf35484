"""How many outputs a mechanism has, and what that allows."""

from __future__ import annotations

from lowkey.errors import TooLarge, format_size
from lowkey.workloads.base import DENSE_LIMIT

EXPLICIT_LIMIT = 4096  # outputs up to which a mechanism with a closed form is listed output by output all the same


def refuse_too_large(name: str, outputs: int, n: int) -> None:
    """Raise before a strategy matrix is built that would not fit in memory."""
    if outputs * n > DENSE_LIMIT:
        raise TooLarge(
            f"the strategy matrix of {name}",
            f"{format_size(outputs)} outputs × {n:,} cells",
            f"at most {DENSE_LIMIT:,} entries",
            "Merge cells, or take a mechanism that needs no matrix: rappor, optimized_unary_encoding, "
            "optimized_local_hashing or subset_selection with explicit=False.",
        )
