"""The deployment file: its structure, its digest, and the strategy's bytes in it.

Everything but the strategy is plain JSON. The strategy is the base64 form of the zlib-compressed little-endian
float64 values, row by row; the digest covers their SHA-256 and not the compressed form, which differs between
zlib versions.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import zlib
from collections.abc import Mapping
from typing import Any, Final, Literal

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lowkey.checks import Matrix
from lowkey.errors import InvalidInput
from lowkey.files import check_format
from lowkey.mechanisms.base import Mechanism
from lowkey.workloads.base import DENSE_LIMIT, refuse_if_too_large

FORMAT: Final = "lowkey-deployment"
VERSION: Final = 1
WHAT = "the deployment file"
DAMAGED = "The file was damaged or altered: fetch it again from whoever published it."


class StrategyDocument(BaseModel):
    """The strategy matrix, its name, and the weights of the types that its decoder is tuned for (None is even)."""

    model_config = ConfigDict(extra="forbid", strict=True)

    name: str
    outputs: int = Field(ge=1, le=DENSE_LIMIT)
    cells: int = Field(ge=1, le=DENSE_LIMIT)
    design_prior: list[float] | None = None
    encoding: Literal["float64-le/zlib/base64"] = "float64-le/zlib/base64"
    sha256: str
    data: str


class DeploymentDocument(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid", strict=True)

    format: Literal["lowkey-deployment"] = FORMAT
    version: Literal[1] = VERSION
    digest: str = ""
    epsilon: float
    attributes: dict[str, object] = Field(alias="schema")
    workload: dict[str, object]
    strategy: StrategyDocument


def strategy_document(mechanism: Mechanism) -> StrategyDocument:
    """The strategy as it stands in the file."""
    strategy, prior = mechanism.to_dense(), mechanism.design_prior
    raw = np.ascontiguousarray(strategy, dtype="<f8").tobytes()
    return StrategyDocument(
        name=mechanism.name,
        outputs=strategy.shape[0],
        cells=strategy.shape[1],
        design_prior=None if prior is None else prior.tolist(),
        sha256=hashlib.sha256(raw).hexdigest(),
        data=base64.b64encode(zlib.compress(raw)).decode("ascii"),
    )


def read_strategy(document: StrategyDocument) -> Matrix:
    """The matrix in the document; refused unless it has the size and the SHA-256 that the document says."""
    shape = (document.outputs, document.cells)
    refuse_if_too_large("the strategy", *shape, "The file asks for more memory than any strategy should.")
    size = 8 * document.outputs * document.cells
    try:
        unpacker = zlib.decompressobj()
        raw = unpacker.decompress(base64.b64decode(document.data, validate=True), size + 1)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise InvalidInput("the strategy in the file", f"unreadable ({error})", "base64 of zlib", DAMAGED) from error
    if len(raw) != size or not unpacker.eof:
        expected = f"{document.outputs:,} × {document.cells:,} numbers of 8 bytes"
        raise InvalidInput("the strategy in the file", "shorter or longer than it says", expected, DAMAGED)
    if hashlib.sha256(raw).hexdigest() != document.sha256:
        raise InvalidInput("the strategy in the file", "not what its SHA-256 says", document.sha256, DAMAGED)
    return np.frombuffer(raw, dtype="<f8").astype(np.float64).reshape(shape)


def digest_of(document: DeploymentDocument) -> str:
    """SHA-256 of the canonical JSON form: sorted keys, no spaces, UTF-8, without the digest and the packed data."""
    content = as_values(document)
    del content["digest"], content["strategy"]["data"]
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def as_values(document: DeploymentDocument) -> dict[str, Any]:
    """What stands in the file: a prior that is even is left out."""
    content = document.model_dump(by_alias=True)
    if content["strategy"]["design_prior"] is None:
        del content["strategy"]["design_prior"]
    return content


def parse(document: object) -> DeploymentDocument:
    """The checked structure of a file's content, whose digest is the one that it states."""
    check_format(document, WHAT, FORMAT, VERSION)
    try:
        parsed = DeploymentDocument.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(map(str, first["loc"])) or "its content"
        raise InvalidInput(f"{place!r} of {WHAT}", _arrived(first), first["msg"].lower(), DAMAGED) from error
    if digest_of(parsed) != parsed.digest:
        raise InvalidInput(f"the digest of {WHAT}", parsed.digest, f"{digest_of(parsed)} for its content", DAMAGED)
    return parsed


def _arrived(error: Mapping[str, object]) -> object:
    return "not in the file" if error["type"] == "missing" else repr(error["input"])
