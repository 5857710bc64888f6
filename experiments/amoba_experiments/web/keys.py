"""Hashes of secrets: of the keys of seats, and of who has them."""

import hashlib
import secrets


def digest(key: str) -> str:
    """The hash of a key, which is stored in its place."""
    return hashlib.sha256(key.encode()).hexdigest()


def person_id(screen: str, name: str) -> str:
    """The id of a person: the same for the same name on the same screen."""
    return digest(f"{screen or secrets.token_hex()} {' '.join(name.split())}")[:10]
