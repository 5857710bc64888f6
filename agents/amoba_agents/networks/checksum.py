"""Checksums of files of networks: one with a changed bit can play differently without a word.

That of an ONNX file is in its metadata: the SHA-256 of the file in which the digits of the checksum itself are zeros.
Files that other programs wrote have none.
"""

from __future__ import annotations

import hashlib
import re
import zipfile
import zlib
from pathlib import Path

KEY = "sha256"
ZEROS = b"0" * 64
# An entry of metadata_props (field 14 of a ModelProto) is a message of two texts, key and value.
ENTRY = b"\n\x06" + KEY.encode() + b"\x12\x40"
FOUND = re.compile(re.escape(ENTRY) + b"([0-9a-f]{64})")


def sealed(model: bytes) -> bytes:
    """An ONNX model without a checksum, with one added."""
    entry = ENTRY + ZEROS
    whole = model + bytes([14 << 3 | 2, len(entry)]) + entry
    return whole[: -len(ZEROS)] + hashlib.sha256(whole).hexdigest().encode()


def check(model: bytes) -> None:
    """Raise ValueError if an ONNX model has a checksum, and it is another."""
    if found := FOUND.search(model):
        start, end = found.span(1)
        if hashlib.sha256(model[:start] + ZEROS + model[end:]).hexdigest().encode() != found[1]:
            raise ValueError(f"it was changed after it was written ({KEY!r} in its metadata): get or export it again")


def check_zip(file: Path) -> None:
    """Raise ValueError if a part of a .zip or .pt is damaged: PyTorch compares no checksums when it reads."""
    try:
        with zipfile.ZipFile(file) as parts:
            damaged = parts.testzip()
    except (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
        raise ValueError(f"it is damaged ({error})") from None
    if damaged is not None:
        raise ValueError(f"it is damaged: {damaged} is not what was written there")
