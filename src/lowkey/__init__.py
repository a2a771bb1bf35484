"""lowkey: learn statistics from people without ever holding their answers."""

from lowkey import mechanisms, workloads
from lowkey.analysis import Analysis, LowerBound, analyze, compare, lower_bound
from lowkey.counts import Counts
from lowkey.deployment import Deployment, deploy, load
from lowkey.errors import LowkeyError
from lowkey.estimate import Estimate, estimate
from lowkey.optimize import Solution, optimize
from lowkey.optimize.planning import Plan, plan
from lowkey.optimize.reweight import reweight
from lowkey.schema import Categorical, Ordered, Schema
from lowkey.simulate import simulate
from lowkey.survey import Survey, load_survey

__version__ = "0.1.0"

__all__ = [
    "Analysis",
    "Categorical",
    "Counts",
    "Deployment",
    "Estimate",
    "LowerBound",
    "LowkeyError",
    "Ordered",
    "Plan",
    "Schema",
    "Solution",
    "Survey",
    "analyze",
    "compare",
    "deploy",
    "estimate",
    "load",
    "load_survey",
    "lower_bound",
    "mechanisms",
    "optimize",
    "plan",
    "reweight",
    "simulate",
    "workloads",
]
