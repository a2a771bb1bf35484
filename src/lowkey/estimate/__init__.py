"""From responses to answers."""

from lowkey.estimate.estimate import Estimate, estimate, estimate_responses
from lowkey.estimate.interaction_estimate import TableEstimate, estimate_tables
from lowkey.estimate.ordered_tables import estimate_ordered

__all__ = ["Estimate", "TableEstimate", "estimate", "estimate_ordered", "estimate_responses", "estimate_tables"]
