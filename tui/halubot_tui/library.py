"""The library that talks to models: it is loaded beside the app, since that takes seconds."""

from __future__ import annotations

import asyncio


def is_loaded() -> bool:
    """Whether a call can begin at once."""
    from halubot.models import litellm_door

    return litellm_door.is_loaded()


async def load() -> None:
    """Loads it on a thread that the app does not wait for when it ends."""
    from halubot.models import litellm_door

    await asyncio.shield(asyncio.wrap_future(litellm_door.begin_loading()))
