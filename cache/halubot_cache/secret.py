"""Names under which keys and passwords travel, and their removal: the store never sees one."""

from __future__ import annotations

import re
from collections.abc import Mapping

_ENDINGS = (
    "apikey",
    "authorization",
    "accesskey",
    "accesskeyid",
    "accesstoken",
    "adtoken",
    "bearertoken",
    "cookie",
    "credentials",
    "password",
    "privatekey",
    "refreshtoken",
    "secret",
    "sessiontoken",
    "subscriptionkey",
)
# Headers carry keys under names that nobody can foresee.
_HEADERS = "headers"


def is_secret(name: str) -> bool:
    """Whether a value of this name is a key: ``api_key``, ``X-Api-Key``, ``clientSecret``."""
    return re.sub(r"[^a-z0-9]", "", name.lower()).endswith(_ENDINGS)


def without_secrets(value: object, *, answer: bool = False) -> object:
    """``value`` without what is named like a key and without headers, at every depth.

    In an ``answer`` of a model only texts can be keys: log-probabilities may be listed under
    any word, "password" too.
    """
    match value:
        case Mapping():
            return {
                name: without_secrets(item, answer=answer)
                for name, item in value.items()
                if not _drop(str(name), item, answer)
            }
        case list() | tuple():
            return [without_secrets(item, answer=answer) for item in value]
        case _:
            return value


def _drop(name: str, value: object, answer: bool) -> bool:
    if is_secret(name):
        return isinstance(value, str) or not answer
    return name.lower().endswith(_HEADERS) and isinstance(value, Mapping | list | tuple)
