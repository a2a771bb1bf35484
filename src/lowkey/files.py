"""JSON files that are written whole or not at all, and read with errors that name the file."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path

from lowkey.errors import InvalidInput

FilePath = str | os.PathLike[str]


def write_json(path: FilePath, document: object) -> None:
    """Write `document` atomically: readers see the old file or the new one, also after a crash."""
    target = Path(path)
    text = json.dumps(document, ensure_ascii=False, allow_nan=False) + "\n"
    try:
        _replace(target, text)
    except OSError as error:
        raise InvalidInput("the file to write", f"{str(target)!r} ({error.strerror})", "a writable place") from error


def _replace(target: Path, text: str) -> None:
    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.", suffix=".part")
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(0o666 & ~_umask())
        Path(name).replace(target)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _umask() -> int:
    """What the process takes away from new files' permissions (mkstemp leaves only the owner's)."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def read_json(path: FilePath, what: str) -> object:
    """The document in a JSON file; `what` names it in errors."""
    try:
        return json.loads(Path(path).read_text(encoding="utf-8"), parse_constant=_refuse_constant)
    except OSError as error:
        raise InvalidInput(what, f"{str(path)!r} ({error.strerror})", "a file that can be read") from error
    except (ValueError, RecursionError) as error:
        arrived = f"{str(path)!r}, which is not JSON ({error})"
        raise InvalidInput(what, arrived, "a whole JSON file", "Was it cut off or edited?") from error


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON number")


def check_format(document: object, what: str, name: str, *versions: int) -> dict[str, object]:
    """The document, if it says that it is of this format and one of these versions."""
    if not isinstance(document, dict) or document.get("format") != name:
        arrived = document.get("format") if isinstance(document, dict) else document
        raise InvalidInput(f"the format of {what}", repr(arrived), f'"{name}"', f"Is this file {what} at all?")
    if type(document.get("version")) is not int or document["version"] not in versions:
        expected, advice = " or ".join(map(str, versions)), "A newer lowkey may read it."
        raise InvalidInput(f"the format version of {what}", document.get("version"), expected, advice)
    return document
