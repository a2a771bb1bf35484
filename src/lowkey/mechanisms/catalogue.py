"""The catalogue: every mechanism by name, one line each."""

from __future__ import annotations

import difflib
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from types import MappingProxyType

from lowkey.checks import check_epsilon, check_size
from lowkey.errors import InvalidInput
from lowkey.mechanisms.additive_noise import gaussian, matrix_mechanism_l1, matrix_mechanism_l2
from lowkey.mechanisms.base import Mechanism
from lowkey.mechanisms.block_design import block_design, symmetric_designs
from lowkey.mechanisms.fourier import fourier
from lowkey.mechanisms.hadamard import hadamard
from lowkey.mechanisms.hierarchical import haar, hierarchical
from lowkey.mechanisms.local_hashing import optimized_local_hashing
from lowkey.mechanisms.projective_geometry import projective_geometry
from lowkey.mechanisms.randomized_response import randomized_response
from lowkey.mechanisms.square_wave import square_wave
from lowkey.mechanisms.subset_selection import subset_selection
from lowkey.mechanisms.unary_encoding import optimized_unary_encoding, rappor


@dataclass(frozen=True)
class Entry:
    """How to construct a mechanism for n cells at ε, and the domain sizes that it exists for."""

    constructor: Callable[..., Mechanism]
    exists: Callable[[int], object] = lambda n: True

    @property
    def options(self) -> list[str]:
        return list(inspect.signature(self.constructor).parameters)[2:]


CATALOGUE = MappingProxyType(
    {
        "randomized_response": Entry(randomized_response),
        "hadamard": Entry(hadamard),
        "hierarchical": Entry(hierarchical),
        "haar": Entry(haar),
        "fourier": Entry(fourier),
        "rappor": Entry(rappor),
        "optimized_unary_encoding": Entry(optimized_unary_encoding),
        "optimized_local_hashing": Entry(optimized_local_hashing),
        "subset_selection": Entry(subset_selection),
        "block_design": Entry(block_design, symmetric_designs),
        "projective_geometry": Entry(projective_geometry),
        "square_wave": Entry(square_wave),
        "matrix_mechanism_l1": Entry(matrix_mechanism_l1),
        "matrix_mechanism_l2": Entry(matrix_mechanism_l2),
        "gaussian": Entry(gaussian),
    }
)


def create(name: str, n: int, epsilon: float, **options: object) -> Mechanism:
    """The named mechanism for a domain of n cells at privacy ε; options are its constructor's.

    >>> create("hierarchical", 100, 1.0, branching=5).shape
    (168, 100)
    """
    entry = _look_up(name)
    unknown = [option for option in options if option not in entry.options]
    if unknown:
        known = f"one of {', '.join(entry.options)}" if entry.options else "none: it has no options"
        raise InvalidInput(f"an option of {name}", unknown[0], known)
    return entry.constructor(check_size("n", n), check_epsilon(epsilon), **options)


def names() -> tuple[str, ...]:
    """Every mechanism that `create` knows."""
    return tuple(CATALOGUE)


def available(n: int, epsilon: float) -> tuple[str, ...]:
    """The mechanisms that exist for a domain of n cells; a large one may still be refused for its size."""
    size = check_size("n", n)
    check_epsilon(epsilon)
    return tuple(name for name, entry in CATALOGUE.items() if entry.exists(size))


def _look_up(name: str) -> Entry:
    if isinstance(name, str) and name in CATALOGUE:
        return CATALOGUE[name]
    close = difflib.get_close_matches(str(name), CATALOGUE, n=1, cutoff=0.4)
    advice = f"Did you mean {close[0]}?" if close else ""
    raise InvalidInput("the mechanism's name", name, "one of " + ", ".join(CATALOGUE), advice)
