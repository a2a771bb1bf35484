"""How long an optimization may run, and what it tells while it runs."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from lowkey.errors import InvalidInput


@dataclass(frozen=True)
class Progress:
    """A moment of a run: the best variance per user so far (of the objective), after so many iterations.

    bound: what is proved already to be out of reach; 0 where nothing is.
    """

    iteration: int
    value: float
    seconds: float
    stage: str
    bound: float = 0.0

    @property
    def gap(self) -> float:
        """How far the value may be above the best possible, as a share: value / bound − 1."""
        return self.value / self.bound - 1 if self.bound > 0 else math.inf


ProgressCallback = Callable[[Progress], None]


@dataclass
class Budget:
    """A deadline shared by all stages of one optimization; collects the history and passes progress on."""

    time_limit: float | None = None
    callback: ProgressCallback | None = None
    started: float = field(default_factory=time.perf_counter)
    history: list[Progress] = field(default_factory=list)
    bound: float = 0.0

    @property
    def seconds(self) -> float:
        return time.perf_counter() - self.started

    @property
    def is_spent(self) -> bool:
        return self.time_limit is not None and self.seconds >= self.time_limit

    def has(self, seconds: float) -> bool:
        """Whether so many seconds are left."""
        return self.time_limit is None or self.seconds + seconds < self.time_limit

    def part(self, share: float) -> Budget:
        """The same budget with a share of its time, from the start on."""
        limit = None if self.time_limit is None else share * self.time_limit
        return Budget(limit, self.callback, self.started, self.history, self.bound)

    def part_of_the_rest(self, share: float) -> Budget:
        """The same budget with a share of the time that is left."""
        if self.time_limit is None:
            return self
        limit = self.seconds + share * max(self.time_limit - self.seconds, 0.0)
        return Budget(limit, self.callback, self.started, self.history, self.bound)

    def report(self, iteration: int, value: float, stage: str) -> None:
        """Record a moment and tell whoever listens."""
        progress = Progress(iteration, value, self.seconds, stage, self.bound)
        self.history.append(progress)
        if self.callback is not None:
            self.callback(progress)


def check_time_limit(time_limit: object) -> float | None:
    """Seconds, positive; None is no limit."""
    if time_limit is None:
        return None
    if isinstance(time_limit, bool) or not isinstance(time_limit, int | float) or not time_limit > 0:
        raise InvalidInput("time_limit", time_limit, "a positive number of seconds", "None sets no limit.")
    return float(time_limit)
