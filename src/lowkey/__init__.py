"""lowkey: learn statistics from people without ever holding their answers."""

from lowkey import mechanisms, workloads
from lowkey.analysis import Analysis, LowerBound, analyze, compare, lower_bound
from lowkey.errors import LowkeyError
from lowkey.optimize import Solution, optimize
from lowkey.schema import Categorical, Ordered, Schema
from lowkey.survey import Survey, load_survey

__version__ = "0.1.0"

__all__ = [
    "Analysis",
    "Categorical",
    "LowerBound",
    "LowkeyError",
    "Ordered",
    "Schema",
    "Solution",
    "Survey",
    "analyze",
    "compare",
    "load_survey",
    "lower_bound",
    "mechanisms",
    "optimize",
    "workloads",
]
