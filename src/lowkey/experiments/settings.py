"""Settings: the grid of an experiment, and how each of its rows is computed."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from lowkey.checks import check_choice, check_epsilon, check_size
from lowkey.errors import InvalidInput
from lowkey.experiments.mechanisms import EVERYTHING
from lowkey.experiments.paper_workloads import PAPER_WORKLOADS

DEVICES = ("auto", "cpu", "cuda")
FULL_SECONDS, QUICK_SECONDS = 600.0, 2.0  # for each optimization


@dataclass(frozen=True)
class Settings:
    """`multiples` are the numbers of outputs m/n that Algorithm 2 starts from, with `trials` seeds each."""

    workloads: tuple[str, ...] = PAPER_WORKLOADS
    epsilons: tuple[float, ...] = (1.0,)
    sizes: tuple[int, ...] = (512,)
    mechanisms: tuple[str, ...] = EVERYTHING
    multiples: tuple[int, ...] = (4,)
    trials: int = 1
    time_limit: float = FULL_SECONDS
    device: str = "auto"

    def __post_init__(self) -> None:
        for field in fields(self):
            if getattr(self, field.name) == ():
                raise InvalidInput(field.name, "an empty list", "at least one entry")
        for epsilon in self.epsilons:
            check_epsilon(epsilon)
        for what in ("sizes", "multiples"):
            for value in getattr(self, what):
                check_size(what, value)
        if not self.time_limit > 0:
            raise InvalidInput("the time limit", self.time_limit, "a positive number of seconds, or inf")
        check_choice("device", self.device, DEVICES)

    def changed(self, **options: Any) -> Settings:
        """These settings with the options that are not None instead; an experiment's grid bounds what is possible.

        Words must be among those here, and where there is one size or one ε there can be only one.
        """
        given = {name: value for name, value in options.items() if value is not None}
        for name in ("workloads", "mechanisms"):
            for word in given.get(name, ()):
                check_choice(f"one of the {name}", word, getattr(self, name))
        for name, meaning in (("sizes", "one size: this figure has a single n"), ("epsilons", "one ε")):
            if len(getattr(self, name)) == 1 and len(given.get(name, ())) > 1:
                raise InvalidInput(name, ", ".join(map(str, given[name])), meaning)
        return replace(self, **given)
