"""Kinds of channels, by Discord's numbers:
https://docs.discord.com/developers/resources/channel#channel-object-channel-types."""

from __future__ import annotations

from typing import Final

TEXT: Final = 0
DM: Final = 1
VOICE: Final = 2
GROUP: Final = 3
ANNOUNCEMENT: Final = 5
ANNOUNCEMENT_THREAD: Final = 10
PUBLIC_THREAD: Final = 11
PRIVATE_THREAD: Final = 12
FORUM: Final = 15

THREADS: Final = frozenset({ANNOUNCEMENT_THREAD, PUBLIC_THREAD, PRIVATE_THREAD})
