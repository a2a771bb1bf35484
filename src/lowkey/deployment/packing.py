"""Bytes in a JSON file: base64 of zlib, with the SHA-256 of what is packed.

The compressed form differs between zlib versions; what counts is the SHA-256 of the bytes themselves.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import zlib

from lowkey.errors import InvalidInput

DAMAGED = "The file was damaged or altered: fetch it again from whoever published it."


def sha256_of(raw: bytes) -> str:
    return hashlib.sha256(raw).hexdigest()


def packed(raw: bytes) -> str:
    """The bytes as text."""
    return base64.b64encode(zlib.compress(raw)).decode("ascii")


def unpacked(data: str, size: int, sha256: str, expected: str) -> bytes:
    """The bytes in the text; refused, and never unpacked further, unless they have this size and SHA-256."""
    try:
        unpacker = zlib.decompressobj()
        raw = unpacker.decompress(base64.b64decode(data, validate=True), size + 1)
    except (binascii.Error, ValueError, zlib.error) as error:
        raise InvalidInput("the strategy in the file", f"unreadable ({error})", "base64 of zlib", DAMAGED) from error
    if len(raw) != size or not unpacker.eof:
        raise InvalidInput("the strategy in the file", "shorter or longer than it says", expected, DAMAGED)
    if sha256_of(raw) != sha256:
        raise InvalidInput("the strategy in the file", "not what its SHA-256 says", sha256, DAMAGED)
    return raw
