"""From responses to answers."""

from lowkey.estimate.estimate import Estimate, estimate, estimate_responses
from lowkey.estimate.exact import exact_answers
from lowkey.estimate.interaction_estimate import TableEstimate, estimate_tables

__all__ = ["Estimate", "TableEstimate", "estimate", "estimate_responses", "estimate_tables", "exact_answers"]
