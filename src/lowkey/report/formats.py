"""Numbers and bins as people read them."""

from __future__ import annotations

import math

from lowkey.attributes import Attribute, Ordered

MINUS = "−"


def people(value: float) -> str:
    """A number of people: "12,345"; large ones in words: "4.2 million".

    >>> people(98938.6), people(12_345_678)
    ('98,939', '12.3 million')
    """
    if not math.isfinite(value):
        return "∞" if value > 0 else "–"
    for size, word in ((1e12, "trillion"), (1e9, "billion"), (1e6, "million")):
        if abs(value) >= 10 * size or (size > 1e6 and abs(value) >= size):
            return f"{value / size:,.3g} {word}".replace("-", MINUS)
    return f"{round(value):,}".replace("-", MINUS)


def short_people(value: float) -> str:
    """The same on an axis: "100k", "2M".

    >>> short_people(500), short_people(200_000), short_people(1e7)
    ('500', '200k', '10M')
    """
    for size, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k")):
        if abs(value) >= size:
            return f"{value / size:g}{letter}"
    return f"{value:g}"


def share(value: float, digits: int = 1) -> str:
    """A share of the people: "12.3%".

    >>> share(0.1234), share(-0.002), share(-0.0001), share(1, digits=0)
    ('12.3%', '−0.2%', '0.0%', '100%')
    """
    if not math.isfinite(value):
        return "–"
    text = f"{100 * value:.{digits}f}%"
    return (text.removeprefix("-") if float(text[:-1]) == 0 else text).replace("-", MINUS)


def points(value: float) -> str:
    """An error as a share of the people, in percentage points: "±1.7 pts".

    >>> points(0.0171), points(0.00042)
    ('±1.7 pts', '±0.042 pts')
    """
    if not math.isfinite(value):
        return "–"
    percent = 100 * value
    return f"±{percent:.2g} pts" if percent < 1 else f"±{percent:,.1f} pts"


def factor(value: float) -> str:
    """How many times as much: "4.9×".

    >>> factor(4.871), factor(131.2)
    ('4.9×', '131×')
    """
    return f"{value:.1f}×" if value < 100 else f"{value:,.0f}×"


def words(name: str) -> str:
    """A catalogue name for readers: "randomized response".

    >>> words("matrix_mechanism_l1")
    'matrix mechanism L1'
    """
    return name.replace("_", " ").replace(" l1", " L1").replace(" l2", " L2")


def value_words(attribute: Attribute, place: int) -> str:
    """One value of an attribute on an axis: a label, or "16–25", "under 1,500", "65 and over".

    >>> value_words(Ordered("age", [16, 25, 65, math.inf]), 2)
    '65 and over'
    """
    if not isinstance(attribute, Ordered):
        return str(attribute.labels[place])
    low, high = attribute.reach(place)
    if math.isinf(low) and math.isinf(high):
        return "all"
    if math.isinf(low):
        return f"under {edge(high)}"
    return f"{edge(low)} and over" if math.isinf(high) else f"{edge(low)}–{edge(high)}"


def short_words(attribute: Attribute, place: int) -> str:
    """The same where there is little room: "< 1,500", "65+".

    >>> short_words(Ordered("age", [16, 25, 65, math.inf]), 2)
    '65+'
    """
    if not isinstance(attribute, Ordered):
        return str(attribute.labels[place])
    low, high = attribute.reach(place)
    if math.isinf(low) != math.isinf(high):
        return f"< {edge(high)}" if math.isinf(low) else f"{edge(low)}+"
    return value_words(attribute, place)


def edge(value: float) -> str:
    """An edge of a bin: "1,500", "2.5".

    >>> edge(1500.0), edge(2.5)
    ('1,500', '2.5')
    """
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    return f"{value:,.0f}".replace("-", MINUS) if value.is_integer() else f"{value:,.6g}".replace("-", MINUS)
