"""Numbers in the command's tables."""

from __future__ import annotations

import math

from lowkey.report.formats import people


def percent(share: float) -> str:
    """An error as a share of the people.

    >>> percent(0.0123456), percent(0.2), percent(52.3)
    ('±1.23%', '±20%', '±5,230%')
    """
    if not math.isfinite(share):
        return "∞"
    value = 100 * share
    return f"±{value:,.0f}%" if value >= 1000 else f"±{value:.3g}%"


def variance(value: float) -> str:
    """A variance with at least four digits.

    >>> variance(4047.06), variance(3.68218)
    ('4,047', '3.682')
    """
    return f"{value:,.0f}" if value >= 1000 else f"{value:.4g}"


def enough(users: float) -> str:
    """A number of people that is enough.

    >>> enough(92.07), enough(75.00000000000001)
    ('93', '75')
    """
    return people(math.ceil(users * (1 - 1e-12))) if math.isfinite(users) else "∞"
