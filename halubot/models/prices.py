"""The published prices of models, read from litellm's own table without loading litellm."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from halubot.models.model import Listed
from halubot.models.published import listed

_TABLE = "model_prices_and_context_window_backup.json"


def listed_of(name: str) -> Listed:
    """What the table says of a model, by litellm's name for it; nothing where there is no table."""
    return listed(_table(), name, name.partition("/")[0] if "/" in name else "")


@cache
def _table() -> Mapping[str, Mapping[str, Any]]:
    spec = find_spec("litellm")
    if spec is None or spec.origin is None:
        return {}
    try:
        table: dict[str, dict[str, Any]] = json.loads(
            Path(spec.origin).with_name(_TABLE).read_text(encoding="utf-8")
        )
    except (OSError, ValueError):
        return {}
    return table
