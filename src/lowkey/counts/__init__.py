"""What collection hands to estimation: how many people sent each output."""

from lowkey.counts.counts import Counts

__all__ = ["Counts"]
