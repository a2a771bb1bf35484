"""Deployment files that someone edits: by accident, or as a forger would."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

Document = dict[str, Any]


def edited(path: Path, edit: Callable[[Document], object], *, reseal: bool = False) -> Path:
    """The file after `edit`; with `reseal` with the digest that its definition gives, as a forger would."""
    document: Document = json.loads(path.read_text())
    edit(document)
    if reseal:
        content = {key: value for key, value in document.items() if key != "digest"}
        content["strategy"] = {key: value for key, value in document["strategy"].items() if key != "data"}
        text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
        document["digest"] = hashlib.sha256(text.encode()).hexdigest()
    path.write_text(json.dumps(document))
    return path


def data_of(size: int) -> str:
    return base64.b64encode(zlib.compress(bytes(size))).decode()


def in_strategy(**values: object) -> Callable[[Document], object]:
    return lambda document: document["strategy"].update(values)
