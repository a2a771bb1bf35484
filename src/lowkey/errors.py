"""Errors that say what arrived, what was expected and what to try."""

from __future__ import annotations

import math


class LowkeyError(Exception):
    """Base of every error that lowkey raises on purpose.

    The message reads "<what> is <arrived>; expected <expected>. <advice>".
    """


class InvalidInput(LowkeyError, ValueError):
    """A value that cannot be used: `what` names it, the rest says why and what to try.

    >>> raise InvalidInput("epsilon", -1, "a positive number", "Typical values lie between 0.5 and 4.")
    Traceback (most recent call last):
    lowkey.errors.InvalidInput: epsilon is -1; expected a positive number. Typical values lie between 0.5 and 4.
    """

    def __init__(self, what: str, arrived: object, expected: str, advice: str = "") -> None:
        self.what = what
        self.arrived = arrived
        self.expected = expected
        self.advice = advice
        super().__init__(f"{what} is {_shorten(arrived)}; expected {expected}.{' ' + advice if advice else ''}")


class EncodingError(InvalidInput):
    """A record that does not fit the schema: the message names attribute, row and value."""


class QueryNotAnswerable(InvalidInput):
    """The mechanism's outputs do not determine a query of the workload (W is not in the row space of Q)."""


class NotPrivate(InvalidInput):
    """A strategy that breaks the ε it claims."""


class TooLarge(InvalidInput):
    """An operation that would need more memory than is sensible; the message says which size and what to use."""


class NotAvailable(InvalidInput):
    """A mechanism or a method that does not exist for this domain, ε or workload."""


class NotConverged(LowkeyError, ArithmeticError):
    """A computation that did not reach the accuracy that its result promises."""


class MissingDependency(LowkeyError, ImportError):
    """An optional library is needed: the message says which extra installs it."""

    def __init__(self, library: str, purpose: str, extra: str) -> None:
        self.library = library
        super().__init__(f"{purpose} needs {library}, which is not installed. Try: pip install 'lowkey[{extra}]'")


def format_size(count: int) -> str:
    """A count for readers; 2^1000 as a power of ten rather than 300 digits."""
    return f"{count:,}" if count < 10**12 else f"about 10^{count.bit_length() * math.log10(2):.0f}"


def _shorten(value: object, limit: int = 120) -> str:
    text = value if isinstance(value, str) and not value.isidentifier() else repr(value)
    text = " ".join(str(text).split())
    return text if len(text) <= limit else text[: limit - 1] + "…"
