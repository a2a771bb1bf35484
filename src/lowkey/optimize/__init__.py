"""optimize: from a workload and ε to the most accurate mechanism found."""

from lowkey.optimize.budget import Progress
from lowkey.optimize.optimize import METHODS, optimize
from lowkey.optimize.projected_gradient import Status
from lowkey.optimize.sizing import default_outputs
from lowkey.optimize.solution import Solution

__all__ = ["METHODS", "Progress", "Solution", "Status", "default_outputs", "optimize"]
