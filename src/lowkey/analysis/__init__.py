"""analysis: how accurate a mechanism is on a workload, and how accurate any could be."""

from lowkey.analysis.bounds import LowerBound, lower_bound
from lowkey.analysis.compare import Competitor, compare
from lowkey.analysis.variance import Analysis, analyze

__all__ = ["Analysis", "Competitor", "LowerBound", "analyze", "compare", "lower_bound"]
