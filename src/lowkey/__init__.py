"""lowkey: learn statistics from people without ever holding their answers."""

from lowkey import mechanisms, workloads
from lowkey.analysis import Analysis, LowerBound, analyze, compare, lower_bound
from lowkey.errors import LowkeyError
from lowkey.optimize import Solution, optimize

__version__ = "0.1.0"

__all__ = [
    "Analysis",
    "LowerBound",
    "LowkeyError",
    "Solution",
    "analyze",
    "compare",
    "lower_bound",
    "mechanisms",
    "optimize",
    "workloads",
]
