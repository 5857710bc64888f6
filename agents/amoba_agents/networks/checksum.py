"""Checksums of network files: a file with a changed bit may play differently without an error.

The checksum of an ONNX file is in its metadata: the SHA-256 of the file with zeros in place of the checksum. Files of
other programs have none.
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
    """The ONNX model with a checksum added."""
    entry = ENTRY + ZEROS
    whole = model + bytes([14 << 3 | 2, len(entry)]) + entry
    return whole[: -len(ZEROS)] + hashlib.sha256(whole).hexdigest().encode()


def check(model: bytes) -> None:
    """Raise ValueError if an ONNX model has a checksum that differs from its content."""
    if found := FOUND.search(model):
        start, end = found.span(1)
        if hashlib.sha256(model[:start] + ZEROS + model[end:]).hexdigest().encode() != found[1]:
            raise ValueError(f"it was changed after the export ({KEY!r} in its metadata): download or export it again")


def check_zip(file: Path) -> None:
    """Raise ValueError if a part of a .zip or .pt is damaged: PyTorch itself does not compare checksums."""
    try:
        with zipfile.ZipFile(file) as parts:
            damaged = parts.testzip()
    except (OSError, zipfile.BadZipFile, zlib.error, NotImplementedError) as error:
        raise ValueError(f"it is damaged ({error})") from None
    if damaged is not None:
        raise ValueError(f"it is damaged: {damaged} does not fit its checksum")
