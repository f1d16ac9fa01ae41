"""The published prices of models, read from litellm's own table without loading litellm."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from halubot.models.model import Listed
from halubot.models.published import read_price_table

_SPECIAL = re.compile(
    r"\d{4}-?\d{2}-?\d{2}|-\d{4}\b|audio|realtime|search|image|preview|latest|ft:|/|transcribe"
)
"""What names of models have in them that are no plain chat model under its usual name."""
_TABLE = "model_prices_and_context_window_backup.json"


def listed_of(name: str) -> Listed:
    """What the table says of a model, by litellm's name for it; nothing where there is no table."""
    return read_price_table(_table(), name, name.partition("/")[0] if "/" in name else "")


def chat_models(provider: str) -> tuple[str, ...]:
    """The chat models of a provider that the table has a price for, by litellm's names, sorted;
    snapshots of one day and models for sound or pictures are left out."""
    found = set()
    for name, entry in _table().items():
        if entry.get("mode") == "chat" and entry.get("litellm_provider") == provider:
            bare = name.removeprefix(f"{provider}/")
            if entry.get("input_cost_per_token") and not _SPECIAL.search(bare):
                found.add(f"{provider}/{bare}")
    return tuple(sorted(found))


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
