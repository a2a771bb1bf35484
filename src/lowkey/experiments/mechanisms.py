"""What the figures compare and how it is drawn: the paper's competitors, Algorithm 2, lowkey, and what is proved."""

from __future__ import annotations

from types import MappingProxyType

from lowkey.report.panels import Look

LOWER_BOUND = "lower_bound"
ALGORITHM_2 = "algorithm_2"
LOWKEY = "lowkey"
OPTIMIZED = (ALGORITHM_2, LOWKEY)
COMPETITORS = (
    "randomized_response",
    "hadamard",
    "hierarchical",
    "fourier",
    "matrix_mechanism_l1",
    "matrix_mechanism_l2",
)
EVERYTHING = (LOWER_BOUND, *COMPETITORS, *OPTIMIZED)

LOOKS = MappingProxyType(  # in the order of legends; what comes first is drawn on top
    {
        LOWKEY: Look("lowkey", "estimate", "o", width=2.2, size=5.0),
        ALGORITHM_2: Look("the paper’s Algorithm 2", "truth", "s", width=1.6, size=5.8),
        LOWER_BOUND: Look("proved lower bound", "ink", "_", size=6.0, dashed=True),
        "randomized_response": Look("randomized response", "muted", "x"),
        "hadamard": Look("Hadamard", "green", "^"),
        "hierarchical": Look("hierarchical", "purple", "D", size=3.6),
        "fourier": Look("Fourier", "gold", "v"),
        "matrix_mechanism_l1": Look("matrix mechanism L1", "cyan", "P"),
        "matrix_mechanism_l2": Look("matrix mechanism L2 (ε, δ)", "rose", "o", hollow=True),
    }
)
WORKLOAD_NAMES = MappingProxyType(
    {
        "histogram": "Histogram",
        "prefix": "Prefix",
        "all_range": "All Range",
        "all_marginals": "All Marginals",
        "3way_marginals": "3-Way Marginals",
        "parity": "Parity",
    }
)
