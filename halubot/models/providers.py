"""The providers that litellm knows, read from its files without loading it, which takes seconds."""

from __future__ import annotations

import json
import re
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Final

_ENUM: Final = re.compile(r"^class LlmProviders\b.*?(?=^\S)", re.DOTALL | re.MULTILINE)
_MEMBER: Final = re.compile(r"^\s+\w+ = \"([^\"]+)\"", re.MULTILINE)


def is_unknown(provider: str) -> bool:
    """Return whether litellm surely has no such provider: neither of its own nor registered by the
    program. False if its files cannot be read."""
    known = _listed()
    registered = getattr(sys.modules.get("litellm"), "custom_provider_map", None) or ()
    return bool(known) and provider not in known and not registered


def similar(provider: str) -> str | None:
    """Return the known provider whose name is nearest, if any is near."""
    from difflib import get_close_matches

    return next(iter(get_close_matches(provider, _listed(), n=1, cutoff=0.75)), None)


@cache
def _listed() -> frozenset[str]:
    """The names in the enumeration of litellm and in its list of servers like OpenAI's; none if
    either cannot be read, for half a list would refuse what works."""
    spec = find_spec("litellm")
    if spec is None or spec.origin is None:
        return frozenset()
    folder = Path(spec.origin).parent
    try:
        types = (folder / "types" / "utils.py").read_text(encoding="utf-8")
        listed = json.loads((folder / "llms" / "openai_like" / "providers.json").read_bytes())
    except (OSError, ValueError):
        return frozenset()
    enumeration = _ENUM.search(types)
    if enumeration is None or not isinstance(listed, dict):
        return frozenset()
    return frozenset((*_MEMBER.findall(enumeration[0]), *listed))
