"""The deployment file: its structure, its versions and its digest.

Everything but the strategy's bytes is plain JSON. The digest covers the SHA-256 of these bytes and not their compressed
form, which differs between zlib versions. A file says the first version of the format that can hold its strategy, so
that older readers read what they can: 1 for strategy matrices, 2 for base patterns.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from lowkey.deployment.packing import DAMAGED
from lowkey.deployment.strategies import DenseStrategy, Strategy
from lowkey.errors import InvalidInput
from lowkey.files import check_format

FORMAT: Final = "lowkey-deployment"
MATRIX, PATTERNS = 1, 2  # versions
WHAT = "the deployment file"


class DeploymentDocument(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid", strict=True)

    format: Literal["lowkey-deployment"] = FORMAT
    version: Literal[1, 2]
    digest: str = ""
    epsilon: float
    attributes: dict[str, object] = Field(alias="schema")
    workload: dict[str, object]
    strategy: Strategy


def version_for(strategy: Strategy) -> int:
    """The version of the format that came with strategies of this kind."""
    return MATRIX if isinstance(strategy, DenseStrategy) else PATTERNS


def digest_of(document: DeploymentDocument) -> str:
    """SHA-256 of the canonical JSON form: sorted keys, no spaces, UTF-8, without the digest and the packed data."""
    content = as_values(document)
    del content["digest"], content["strategy"]["data"]
    try:
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
        return hashlib.sha256(text.encode()).hexdigest()
    except ValueError as error:  # infinite numbers, half a character
        raise InvalidInput(
            f"the content of {WHAT}", f"unfit for a digest ({error})", "numbers and text", DAMAGED
        ) from error


def as_values(document: DeploymentDocument) -> dict[str, Any]:
    """What stands in the file: a prior that is even is left out."""
    content = document.model_dump(by_alias=True)
    for prior in ("design_prior", "ordered_prior"):
        if content["strategy"].get(prior, ...) is None:
            del content["strategy"][prior]
    return content


def parse(document: object) -> DeploymentDocument:
    """The checked structure of a file's content, whose digest is the one that it states."""
    check_format(document, WHAT, FORMAT, MATRIX, PATTERNS)
    try:
        parsed = DeploymentDocument.model_validate(document)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        place = ".".join(str(step) for step in first["loc"] if step not in KINDS) or "its content"
        raise InvalidInput(f"{place!r} of {WHAT}", _arrived(first), first["msg"].lower(), DAMAGED) from error
    if digest_of(parsed) != parsed.digest:
        raise InvalidInput(f"the digest of {WHAT}", parsed.digest, f"{digest_of(parsed)} for its content", DAMAGED)
    if parsed.version != version_for(parsed.strategy):
        expected = f"{version_for(parsed.strategy)} for such a strategy"
        raise InvalidInput(f"the format version of {WHAT}", parsed.version, expected, DAMAGED)
    return parsed


KINDS = ("dense", "group", "junta", "sampled")  # what pydantic adds to the place of an error


def _arrived(error: Mapping[str, object]) -> object:
    return "not in the file" if error["type"] == "missing" else repr(error["input"])
