"""The strategy in the deployment file: a matrix, or what generates one that is too large to list.

"dense" is the strategy matrix, little-endian float64 values row by row. "group" are base patterns over the domain,
each used with all shifts; "junta" are base patterns over a few slots, each with the pools that the slots draw their
attributes from. Patterns are packed eight cells a byte, the first cell in the highest bit, each pattern in whole bytes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt
from pydantic import BaseModel, ConfigDict, Discriminator, Field, Tag

from lowkey.deployment.packing import packed, sha256_of, unpacked
from lowkey.errors import InvalidInput
from lowkey.mechanisms.base import Mechanism
from lowkey.mechanisms.dense import DenseMechanism
from lowkey.mechanisms.group import GroupMechanism
from lowkey.mechanisms.junta import Junta, JuntaMechanism
from lowkey.workloads.base import DENSE_LIMIT, refuse_if_too_large

MEMORY = "The file asks for more memory than any strategy should."
MOST_SLOTS = 62  # of two values each: beyond, a shift has no number

Size = Annotated[int, Field(ge=1)]
Place = Annotated[int, Field(ge=0)]
Probability = Annotated[float, Field(gt=0, le=1)]
Bits = Literal["bits/zlib/base64"]


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
    sizes: list[Size] = Field(min_length=1)
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

    slots: list[Place] = Field(min_length=1, max_length=MOST_SLOTS)
    probability: Probability


class JuntaStrategy(Packed):
    """Base patterns over a few slots; `pools` are lists of attributes, by their place in `sizes`."""

    kind: Literal["junta"] = "junta"
    sizes: list[Size] = Field(min_length=1)
    pools: list[Annotated[list[Place], Field(min_length=1)]] = Field(min_length=1)
    juntas: list[JuntaTable] = Field(min_length=1)
    encoding: Bits = "bits/zlib/base64"

    def build(self, epsilon: float) -> JuntaMechanism:
        shapes = [self._shape(junta) for junta in self.juntas]
        lengths = [_bytes(math.prod(shape)) for shape in shapes]
        refuse_if_too_large("the patterns", 1, sum(lengths), MEMORY)
        raw = unpacked(self.data, sum(lengths), self.sha256, f"{len(lengths):,} patterns of {sum(lengths):,} bytes")
        ends = np.cumsum(lengths)[:-1]
        parts = zip(self.juntas, shapes, np.split(np.frombuffer(raw, dtype=np.uint8), ends), strict=True)
        juntas = [self._junta(junta, shape, bits) for junta, shape, bits in parts]
        return JuntaMechanism(self.sizes, juntas, epsilon, self.name)

    def _shape(self, junta: JuntaTable) -> tuple[int, ...]:
        """The sizes of the attributes that the slots stand for, by the first in each pool."""
        first = {number: pool[0] for number, pool in enumerate(self.pools)}
        for slot in junta.slots:
            if first.get(slot, len(self.sizes)) >= len(self.sizes):
                expected = f"the number of one of {len(self.pools)} pools of {len(self.sizes)} attributes"
                raise InvalidInput("the pool of a slot in the file", slot, expected)
        return tuple(self.sizes[first[slot]] for slot in junta.slots)

    def _junta(self, junta: JuntaTable, shape: tuple[int, ...], bits: npt.NDArray[np.uint8]) -> Junta:
        pattern = np.unpackbits(bits, count=math.prod(shape)).view(np.bool_).reshape(shape)
        return Junta(pattern, [self.pools[slot] for slot in junta.slots], junta.probability)


def _kind(strategy: object) -> str | None:
    """A dense strategy names no kind: in the first version of the format there was no other."""
    if isinstance(strategy, Mapping):
        return str(strategy.get("kind", "dense"))
    return getattr(strategy, "kind", "dense")


Strategy = Annotated[
    Annotated[DenseStrategy, Tag("dense")]
    | Annotated[GroupStrategy, Tag("group")]
    | Annotated[JuntaStrategy, Tag("junta")],
    Discriminator(_kind),
]


def strategy_document(mechanism: Mechanism) -> DenseStrategy | GroupStrategy | JuntaStrategy:
    """The strategy as it stands in the file."""
    if isinstance(mechanism, GroupMechanism):
        shares, sizes = mechanism.probabilities.tolist(), list(mechanism.sizes)
        bits = np.packbits(mechanism.patterns, axis=1).tobytes()
        return GroupStrategy(name=mechanism.name, sizes=sizes, probabilities=shares, **_data(bits))
    if isinstance(mechanism, JuntaMechanism):
        return _junta_document(mechanism)
    strategy, prior = mechanism.to_dense(), mechanism.design_prior
    return DenseStrategy(
        name=mechanism.name,
        outputs=strategy.shape[0],
        cells=strategy.shape[1],
        design_prior=None if prior is None else prior.tolist(),
        **_data(np.ascontiguousarray(strategy, dtype="<f8").tobytes()),
    )


def _junta_document(mechanism: JuntaMechanism) -> JuntaStrategy:
    numbers: dict[Sequence[int], int] = {}
    tables = [
        JuntaTable(slots=[numbers.setdefault(pool, len(numbers)) for pool in junta.pools], probability=float(share))
        for junta, share in zip(mechanism.juntas, mechanism.probabilities, strict=True)
    ]
    bits = b"".join(np.packbits(junta.pattern).tobytes() for junta in mechanism.juntas)
    sizes, pools = list(mechanism.sizes), [list(pool) for pool in numbers]
    return JuntaStrategy(name=mechanism.name, sizes=sizes, pools=pools, juntas=tables, **_data(bits))


def _data(raw: bytes) -> dict[str, Any]:
    return {"sha256": sha256_of(raw), "data": packed(raw)}


def _bytes(cells: int) -> int:
    return (cells + 7) // 8
