"""What a store has of a request."""

from __future__ import annotations

from halubot_cache import Request, Store


def take(store: Store, request: Request, most: int = 9999) -> list[dict[str, object]]:
    """The completions at 0, 1, 2, ... up to the first that is missing, at most ``most``."""
    found: list[dict[str, object]] = []
    while len(found) < most and (one := store.get(request, len(found))) is not None:
        found.append(one)
    return found
