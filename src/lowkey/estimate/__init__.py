"""From responses to answers."""

from lowkey.estimate.consistent_tables import ConsistentTables, consistent_tables
from lowkey.estimate.estimate import Estimate, estimate, estimate_responses
from lowkey.estimate.exact import exact_answers
from lowkey.estimate.interaction_estimate import TableEstimate, estimate_tables
from lowkey.estimate.ordered_tables import estimate_ordered

__all__ = [
    "ConsistentTables",
    "Estimate",
    "TableEstimate",
    "consistent_tables",
    "estimate",
    "estimate_ordered",
    "estimate_responses",
    "estimate_tables",
    "exact_answers",
]
