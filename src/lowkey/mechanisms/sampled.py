"""SampledMechanism: patterns over an ordered attribute and a few others at a time, drawn at random from many."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from lowkey.checks import Matrix, Vector, check_epsilon, check_prior, check_size, check_vector
from lowkey.errors import InvalidInput, TooLarge, format_size
from lowkey.mechanisms.base import RATIO_TOLERANCE
from lowkey.mechanisms.draws import Draws, check_pools, slots_of
from lowkey.mechanisms.generated import GeneratedMechanism
from lowkey.mechanisms.places import Numbers, cells_of, check_places, check_sizes, places_of, subtract
from lowkey.mechanisms.pools import Pool
from lowkey.mechanisms.ranks import MOST_RANKS
from lowkey.mechanisms.sizes import refuse_too_large
from lowkey.mechanisms.strategy_matrices import Patterns, check_bits
from lowkey.mechanisms.two_level import COLUMN_TOLERANCE, high_level

BLOCK_ENTRIES = 2**22
SHAPE = "booleans: patterns, values of the ordered attribute, slots"
DESIGN_PRIOR_LIMIT = 2**24  # cells up to which the prior that the decoder is tuned for is listed

Waves = npt.NDArray[np.complex128]


class SampledMechanism(GeneratedMechanism):
    """A person draws attributes a for the slots without looking at her record; with her value u of the ordered one,

        Q[(a, s, t), x]  =  w_s · s(u, x_a − t) / (draws · cells of the slots),

    s ∈ {1, e^ε} being a pattern over u and the slots and t a shift of these: all shifts are equally likely beforehand.
    Columns sum to 1 if Σ_s w_s · (mean of s over the slots) = 1 for every u.

    patterns: booleans, an axis for the pattern, one for the ordered attribute and one a slot.
    pools: for each slot the attributes that it may stand for, as in `Junta`.
    ordered_prior: the weights of u that the decoder should be tuned for, all else being uniform; None is uniform.

    >>> import numpy as np
    >>> halves = np.array([[[True, False], [True, False]], [[True, False], [False, True]]])
    >>> M = SampledMechanism((2,) * 101, 0, [range(1, 101)], halves, [1 / (1 + math.e)] * 2, epsilon=1.0)
    >>> M.shape == (100 * 2 * 2, 2**101), M.is_ldp(1.0), M.is_ldp(0.9)
    (True, True, False)
    """

    def __init__(
        self,
        sizes: object,
        attribute: int,
        pools: Sequence[Sequence[int]],
        patterns: Patterns,
        weights: object,
        epsilon: float,
        name: str = "sampled",
        ordered_prior: object = None,
    ) -> None:
        self.name = name
        self.epsilon = check_epsilon(epsilon)
        self.high = high_level(self.epsilon)
        self.sizes = check_sizes(sizes)
        self.attribute = _check_attribute(attribute, self.sizes)
        self.patterns = check_bits("the patterns", patterns, 3, SHAPE)
        self.pools = check_pools("the mechanism", pools, self.patterns.ndim - 2)
        _check_slots(self.patterns.shape[1:], self.pools, self.sizes, self.attribute)
        self.weights = _check_weights(weights, len(self.patterns))
        self.draws = Draws(tuple(Pool(pool, slots, True) for pool, slots in slots_of(self.pools).items()))
        self.shape = (self.draws.count * len(self.patterns) * self.slot_cells, math.prod(self.sizes))
        if self.shape[0] > MOST_RANKS:
            advice = "Use fewer slots or fewer patterns."
            raise TooLarge("the number of outputs", format_size(self.shape[0]), "at most 2^62", advice)
        self.ordered_prior = None if ordered_prior is None else check_prior(ordered_prior, self.values)
        if self.ordered_prior is not None and self.shape[1] <= DESIGN_PRIOR_LIMIT:
            self.design_prior = self.over_cells(self.ordered_prior) * (self.values / self.shape[1])
        self._check_columns()

    @property
    def values(self) -> int:
        """Of the ordered attribute."""
        return self.sizes[self.attribute]

    @property
    def slot_sizes(self) -> tuple[int, ...]:
        return self.patterns.shape[2:]

    @property
    def slot_cells(self) -> int:
        return math.prod(self.slot_sizes)

    @property
    def levels(self) -> Matrix:
        """s: (patterns, values, cells of the slots)."""
        flat = self.patterns.reshape(len(self.patterns), self.values, self.slot_cells)
        levels: Matrix = np.where(flat, self.high, 1.0)
        return levels

    def over_cells(self, by_value: Vector) -> Vector:
        """A number for each value of the ordered attribute, repeated for all cells that have it."""
        shape = [self.values if place == self.attribute else 1 for place in range(len(self.sizes))]
        return np.broadcast_to(by_value.reshape(shape), self.sizes).reshape(-1)

    def is_ldp(self, epsilon: float) -> bool:
        """An output with both levels has the ratio e^ε and no other."""
        flat = self.patterns.reshape(len(self.patterns), -1)
        telling = bool((flat.any(axis=1) & ~flat.all(axis=1)).any())
        return not telling or self.high <= math.exp(check_epsilon(epsilon)) * (1 + RATIO_TOLERANCE)

    def report(self, places: object, rng: np.random.Generator) -> Numbers:
        people = check_places(places, self.sizes)
        step = max(1, BLOCK_ENTRIES // self.slot_cells)
        parts = [self._reported(people[start : start + step], rng) for start in range(0, len(people), step)]
        return np.concatenate([np.zeros(0, dtype=np.int64), *parts])

    def decode(self, outputs: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Of outputs with these numbers: the attributes drawn (N, slots), the patterns (N,) and shifts (N, slots)."""
        if len(outputs) and not (outputs.min() >= 0 and outputs.max() < self.shape[0]):
            raise InvalidInput("the outputs", "out of range", f"numbers from 0 to {self.shape[0] - 1}")
        rest, shifts = np.divmod(outputs, self.slot_cells)
        ranks, patterns = np.divmod(rest, len(self.patterns))
        return self.draws.attributes(ranks), patterns, places_of(shifts, self.slot_sizes)

    def to_dense(self) -> Matrix:
        refuse_too_large(self.name, *self.shape)
        return np.concatenate(list(self._dense_blocks()))

    def _dense_blocks(self) -> Iterator[Matrix]:
        """A draw of attributes at a time."""
        scaled = self.levels * (self.weights / (self.draws.count * self.slot_cells))[:, None, None]
        places, shifts = places_of(np.arange(self.shape[1]), self.sizes), np.arange(self.slot_cells)
        for attributes in self.draws.attributes(np.arange(self.draws.count)):
            own = cells_of(places[:, attributes], self.slot_sizes)
            shifted = subtract(own[None, :], shifts[:, None], self.slot_sizes)
            block = scaled[:, places[None, :, self.attribute], shifted]
            yield block.reshape(-1, self.shape[1])

    def _reported(self, people: Numbers, rng: np.random.Generator) -> Numbers:
        ranks = rng.integers(self.draws.count, size=len(people))
        values = people[:, self.attribute]
        patterns = self._drawn_patterns(values, rng)
        own = np.take_along_axis(people, self.draws.attributes(ranks), axis=1)
        drawn = self._drawn_cells(patterns, values, rng)
        shifts = subtract(cells_of(own, self.slot_sizes), drawn, self.slot_sizes)
        return (ranks * len(self.patterns) + patterns) * self.slot_cells + shifts

    def _drawn_patterns(self, values: Numbers, rng: np.random.Generator) -> Numbers:
        """A pattern each, in proportion to w_s and the mean of s(u, ·)."""
        patterns = np.empty(len(values), dtype=np.int64)
        for value in np.unique(values):
            mine = np.flatnonzero(values == value)
            column = self.weights * self._means[:, value]
            patterns[mine] = rng.choice(len(column), size=len(mine), p=column / column.sum())
        return patterns

    def _drawn_cells(self, patterns: Numbers, values: Numbers, rng: np.random.Generator) -> Numbers:
        """A cell of the slots each, in proportion to s(u, ·)."""
        flat = self.patterns.reshape(len(self.patterns), self.values, self.slot_cells)
        steps = np.cumsum(np.where(flat[patterns, values], self.high, 1.0), axis=1)
        thresholds = rng.random(len(patterns)) * steps[:, -1]
        cells: Numbers = np.minimum((steps <= thresholds[:, None]).sum(axis=1), self.slot_cells - 1)
        return cells

    @cached_property
    def _means(self) -> Matrix:
        """The mean of each pattern's levels over the slots (patterns, values)."""
        means: Matrix = self.levels.mean(axis=2)
        return means

    @cached_property
    def waves(self) -> Waves:
        """ŝ(u, k) = Σ_v s(u, v) ω^{−k·v} / cells of the slots: (patterns, values, characters)."""
        shape = (len(self.patterns), self.values, *self.slot_sizes)
        axes = tuple(range(2, len(shape)))
        waves: Waves = np.fft.fftn(self.levels.reshape(shape), axes=axes)
        return waves.reshape(len(self.patterns), self.values, self.slot_cells) / self.slot_cells

    def _check_columns(self) -> None:
        sums = self.weights @ self._means
        value = int(np.argmax(np.abs(sums - 1)))
        if abs(sums[value] - 1) > COLUMN_TOLERANCE:
            arrived = f"ones with which the columns of value {value} sum to {sums[value]:.15g}"
            raise InvalidInput("the weights", arrived, "weights with which every column sums to 1")


def _check_attribute(attribute: object, sizes: tuple[int, ...]) -> int:
    place = check_size("the ordered attribute", attribute, minimum=0)
    if place >= len(sizes):
        raise InvalidInput("the ordered attribute", place, f"one of the {len(sizes)} attributes")
    return place


def _check_weights(weights: object, count: int) -> Vector:
    values = check_vector("the weights", weights, count)
    if values.ndim != 1 or not (values > 0).all():
        raise InvalidInput("the weights", "some that are not positive", f"{count} positive numbers, one a pattern")
    return values.copy()


def _check_slots(shape: Sequence[int], pools: Sequence[Sequence[int]], sizes: Sequence[int], attribute: int) -> None:
    """The patterns' axes are the ordered attribute's values, then those of attributes of each slot's pool."""
    beyond = [a for a in itertools.chain.from_iterable(pools) if a >= len(sizes) or a == attribute]
    if beyond:
        raise InvalidInput("the pools of the mechanism", f"with attribute {beyond[0]}", "other attributes there are")
    wanted = (sizes[attribute], *(sizes[pool[0]] for pool in pools))
    even = all(sizes[a] == sizes[pool[0]] for pool in pools for a in pool)
    if tuple(shape) != wanted or not even:
        expected = f"an axis of {sizes[attribute]} values and, for each slot, one of the size of all of its attributes"
        raise InvalidInput("the patterns", f"of shape {tuple(shape)}", expected)
