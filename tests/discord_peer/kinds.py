"""Kinds of channels, by Discord's numbers:
https://docs.discord.com/developers/resources/channel#channel-object-channel-types."""

from __future__ import annotations

from typing import Final

TEXT: Final = 0
DM: Final = 1
GROUP: Final = 3
PUBLIC_THREAD: Final = 11
PRIVATE_THREAD: Final = 12

THREADS: Final = frozenset({PUBLIC_THREAD, PRIVATE_THREAD})
