"""From responses to answers."""

from lowkey.estimate.estimate import Estimate, estimate, estimate_responses

__all__ = ["Estimate", "estimate", "estimate_responses"]
