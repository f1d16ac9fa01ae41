"""JSON in one spelling: the same content always gives the same text, and the same hash."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from hashlib import sha256

from halubot_cache.errors import UnstorableError


def canonical(value: object) -> str:
    """``value`` as JSON in ASCII: keys sorted, no spaces, tuples as lists, 1.0 as 1.

    Raises `UnstorableError` for what JSON cannot say: other types, keys that are no text,
    infinities, a list within itself.
    """
    try:
        return json.dumps(_settle(value), sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (RecursionError, ValueError) as error:
        raise UnstorableError("it is nested too deeply, or holds a number beyond JSON") from error


def digest(value: object) -> str:
    """The SHA-256 of ``value`` in its one spelling, in hexadecimal."""
    return sha256(canonical(value).encode("ascii")).hexdigest()


def _settle(value: object) -> object:
    """``value`` with one form for each content; fails as `canonical` says."""
    match value:
        case None | bool() | int() | str():
            return value
        case float():
            if not math.isfinite(value):
                raise UnstorableError(f"{value} is no number of JSON")
            return int(value) if value.is_integer() else value
        case list() | tuple():
            return [_settle(item) for item in value]
        case Mapping():
            if strange := [key for key in value if not isinstance(key, str)]:
                raise UnstorableError(f"the key {strange[0]!r} is not text")
            return {key: _settle(item) for key, item in value.items()}
        case _:
            raise UnstorableError(f"{type(value).__name__} is nothing that JSON can say")
