"""The strategy in the deployment file: a matrix, or what generates one that is too large to list.

"dense" is the strategy matrix, little-endian float64 values row by row. "group" are base patterns over the domain,
each used with all shifts; "junta" are base patterns over a few slots, each with the pools that the slots draw their
attributes from; "sampled" are weighted patterns over an ordered attribute and such slots. Patterns are packed eight
cells a byte, the first cell in the highest bit, each pattern in whole bytes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from lowkey.checks import Vector
from lowkey.deployment.packing import packed, sha256_of, unpacked
from lowkey.errors import InvalidInput
from lowkey.mechanisms.base import Mechanism
from lowkey.mechanisms.dense import DenseMechanism
from lowkey.mechanisms.group import GroupMechanism
from lowkey.mechanisms.junta import Junta, JuntaMechanism
from lowkey.mechanisms.sampled import SampledMechanism
from lowkey.workloads.base import DENSE_LIMIT, refuse_if_too_large

MEMORY = "The file asks for more memory than any strategy should."
MOST_SLOTS = 62  # of two values each: beyond, a shift has no number

Size = Annotated[int, Field(ge=1)]
Place = Annotated[int, Field(ge=0)]
Probability = Annotated[float, Field(gt=0, le=1)]
Sizes = Annotated[list[Size], Field(min_length=1)]
Pools = Annotated[list[Annotated[list[Place], Field(min_length=1)]], Field(min_length=1)]
Slots = Annotated[list[Place], Field(min_length=1, max_length=MOST_SLOTS)]
Bits = Literal["bits/zlib/base64"]
Numbered = dict[Sequence[int], int]  # pools, each with its number


class Packed(BaseModel):
    """What all kinds have: a name, and bytes that are packed into `data`."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    sha256: str
    data: str


class DenseStrategy(Packed):
    """The strategy matrix, and the weights of the types that its decoder is tuned for (None is even)."""

    outputs: int = Field(ge=1, le=DENSE_LIMIT)
    cells: int = Field(ge=1, le=DENSE_LIMIT)
    design_prior: list[float] | None = None
    encoding: Literal["float64-le/zlib/base64"] = "float64-le/zlib/base64"

    def build(self, epsilon: float) -> DenseMechanism:
        shape = (self.outputs, self.cells)
        refuse_if_too_large("the strategy", *shape, MEMORY)
        expected = f"{self.outputs:,} × {self.cells:,} numbers of 8 bytes"
        raw = unpacked(self.data, 8 * self.outputs * self.cells, self.sha256, expected)
        strategy = np.frombuffer(raw, dtype="<f8").astype(np.float64).reshape(shape)
        return DenseMechanism(strategy, epsilon, self.name, self.design_prior)


class GroupStrategy(Packed):
    """Base patterns over the cells of `sizes`, each with its probability."""

    kind: Literal["group"] = "group"
    sizes: Sizes
    probabilities: list[Probability] = Field(min_length=1)
    encoding: Bits = "bits/zlib/base64"

    def build(self, epsilon: float) -> GroupMechanism:
        shape = len(self.probabilities), _bytes(math.prod(self.sizes))
        refuse_if_too_large("the patterns", *shape, MEMORY)
        raw = unpacked(self.data, math.prod(shape), self.sha256, f"{shape[0]:,} patterns of {shape[1]:,} bytes")
        patterns = np.frombuffer(raw, dtype=np.uint8).reshape(shape)
        return GroupMechanism(self.sizes, patterns, self.probabilities, epsilon, self.name)


class JuntaTable(BaseModel):
    """A pattern's probability, and for each of its slots the number of the pool that it draws from."""

    model_config = ConfigDict(extra="forbid", strict=True)

    slots: Slots
    probability: Probability


class JuntaStrategy(Packed):
    """Base patterns over a few slots; `pools` are lists of attributes, by their place in `sizes`."""

    kind: Literal["junta"] = "junta"
    sizes: Sizes
    pools: Pools
    juntas: list[JuntaTable] = Field(min_length=1)
    encoding: Bits = "bits/zlib/base64"

    def build(self, epsilon: float) -> JuntaMechanism:
        shapes = [_slot_sizes(junta.slots, self.pools, self.sizes) for junta in self.juntas]
        lengths = [_bytes(math.prod(shape)) for shape in shapes]
        refuse_if_too_large("the patterns", 1, sum(lengths), MEMORY)
        raw = unpacked(self.data, sum(lengths), self.sha256, f"{len(lengths):,} patterns of {sum(lengths):,} bytes")
        ends = np.cumsum(lengths)[:-1]
        parts = zip(self.juntas, shapes, np.split(np.frombuffer(raw, dtype=np.uint8), ends), strict=True)
        juntas = [self._junta(junta, shape, bits) for junta, shape, bits in parts]
        return JuntaMechanism(self.sizes, juntas, epsilon, self.name)

    def _junta(self, junta: JuntaTable, shape: tuple[int, ...], bits: npt.NDArray[np.uint8]) -> Junta:
        pattern = np.unpackbits(bits, count=math.prod(shape)).view(np.bool_).reshape(shape)
        return Junta(pattern, [self.pools[slot] for slot in junta.slots], junta.probability)


class SampledStrategy(Packed):
    """Patterns over the values of an ordered attribute and a few slots, each pattern with its weight.

    `slots`: the number of each one's pool; `ordered_prior`: the weights of the values that the decoder is tuned for
    (None is even).
    """

    kind: Literal["sampled"] = "sampled"
    sizes: Sizes
    attribute: Place
    pools: Pools
    slots: Slots
    weights: list[Annotated[float, Field(gt=0)]] = Field(min_length=1)
    ordered_prior: list[float] | None = None
    encoding: Bits = "bits/zlib/base64"

    def build(self, epsilon: float) -> SampledMechanism:
        shape = self._shape()
        count, cells = len(self.weights), math.prod(shape)
        refuse_if_too_large("the patterns", count, cells, MEMORY)
        raw = unpacked(self.data, count * _bytes(cells), self.sha256, f"{count:,} patterns of {_bytes(cells):,} bytes")
        bits = np.frombuffer(raw, dtype=np.uint8).reshape(count, -1)
        patterns = np.unpackbits(bits, axis=1, count=cells).view(np.bool_).reshape(count, *shape)
        pools = [self.pools[slot] for slot in self.slots]
        return SampledMechanism(
            self.sizes, self.attribute, pools, patterns, self.weights, epsilon, self.name, self.ordered_prior
        )

    def _shape(self) -> tuple[int, ...]:
        """Of one pattern."""
        if self.attribute >= len(self.sizes):
            expected = f"one of the {len(self.sizes)} attributes"
            raise InvalidInput("the ordered attribute in the file", self.attribute, expected)
        return self.sizes[self.attribute], *_slot_sizes(self.slots, self.pools, self.sizes)


def _slot_sizes(slots: Sequence[int], pools: Sequence[Sequence[int]], sizes: Sequence[int]) -> tuple[int, ...]:
    """The sizes of the attributes that the slots stand for, by the first in each pool."""
    first = {number: pool[0] for number, pool in enumerate(pools)}
    for slot in slots:
        if first.get(slot, len(sizes)) >= len(sizes):
            expected = f"the number of one of {len(pools)} pools of {len(sizes)} attributes"
            raise InvalidInput("the pool of a slot in the file", slot, expected)
    return tuple(sizes[first[slot]] for slot in slots)


def _kind(strategy: object) -> str | None:
    """A dense strategy names no kind: in the first version of the format there was no other."""
    if isinstance(strategy, Mapping):
        return str(strategy.get("kind", "dense"))
    return getattr(strategy, "kind", "dense")


Strategy = Annotated[
    Annotated[DenseStrategy, Tag("dense")]
    | Annotated[GroupStrategy, Tag("group")]
    | Annotated[JuntaStrategy, Tag("junta")]
    | Annotated[SampledStrategy, Tag("sampled")],
    Discriminator(_kind),
]


def strategy_document(mechanism: Mechanism) -> DenseStrategy | GroupStrategy | JuntaStrategy | SampledStrategy:
    """The strategy as it stands in the file."""
    if isinstance(mechanism, GroupMechanism):
        shares, sizes = mechanism.probabilities.tolist(), list(mechanism.sizes)
        bits = np.packbits(mechanism.patterns, axis=1).tobytes()
        return GroupStrategy(name=mechanism.name, sizes=sizes, probabilities=shares, **_data(bits))
    if isinstance(mechanism, JuntaMechanism):
        return _junta_document(mechanism)
    if isinstance(mechanism, SampledMechanism):
        return _sampled_document(mechanism)
    strategy, prior = mechanism.to_dense(), mechanism.design_prior
    return DenseStrategy(
        name=mechanism.name,
        outputs=strategy.shape[0],
        cells=strategy.shape[1],
        design_prior=_listed(prior),
        **_data(np.ascontiguousarray(strategy, dtype="<f8").tobytes()),
    )


def _junta_document(mechanism: JuntaMechanism) -> JuntaStrategy:
    numbers: Numbered = {}
    tables = [
        JuntaTable(slots=_slots(junta.pools, numbers), probability=float(share))
        for junta, share in zip(mechanism.juntas, mechanism.probabilities, strict=True)
    ]
    bits = b"".join(np.packbits(junta.pattern).tobytes() for junta in mechanism.juntas)
    sizes, pools = list(mechanism.sizes), list(map(list, numbers))
    return JuntaStrategy(name=mechanism.name, sizes=sizes, pools=pools, juntas=tables, **_data(bits))


def _sampled_document(mechanism: SampledMechanism) -> SampledStrategy:
    numbers: Numbered = {}
    slots = _slots(mechanism.pools, numbers)
    return SampledStrategy(
        name=mechanism.name,
        sizes=list(mechanism.sizes),
        attribute=mechanism.attribute,
        pools=list(map(list, numbers)),
        slots=slots,
        weights=mechanism.weights.tolist(),
        ordered_prior=_listed(mechanism.ordered_prior),
        **_data(np.packbits(mechanism.patterns.reshape(len(mechanism.patterns), -1), axis=1).tobytes()),
    )


def _slots(pools: Sequence[Sequence[int]], numbers: Numbered) -> list[int]:
    """The number of each slot's pool; new ones are added to `numbers`."""
    return [numbers.setdefault(pool, len(numbers)) for pool in pools]


def _listed(prior: Vector | None) -> list[float] | None:
    return None if prior is None else prior.tolist()


def _data(raw: bytes) -> dict[str, Any]:
    return {"sha256": sha256_of(raw), "data": packed(raw)}


def _bytes(cells: int) -> int:
    return (cells + 7) // 8
