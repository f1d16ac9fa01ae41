"""What a test lets go wrong: requests that are answered otherwise, late, or not at all."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field

from tests.discord_peer.world import Payload


@dataclass
class Fault:
    """What happens to the next ``times`` requests of a ``method`` ("" for any) whose path matches
    ``path`` (a regular expression, searched for) instead of the right answer.

    ``gate`` is waited for first (alone it only makes the answer late). ``status`` is answered:
    429 with ``retry_after`` seconds, for all routes with ``everywhere``, because of what others do
    in the same place with ``shared``, and with Discord's ``Via`` header unless ``via`` is off (then
    it is Cloudflare that bans); 5xx with an empty body; others
    with the ``code`` of `refusals`. ``done`` does the request before, so that only its answer is
    lost. ``drop`` closes the connection without a word.
    """

    path: str = ""
    method: str = ""
    status: int = 0
    code: int = 0
    times: int = 1
    retry_after: float = 0.01
    everywhere: bool = False
    shared: bool = False
    via: bool = True
    done: bool = False
    drop: bool = False
    gate: asyncio.Event | None = None
    met: int = field(default=0, init=False)

    def meets(self, method: str, path: str) -> bool:
        """Whether it happens to this request, which it then counts."""
        if self.met >= self.times or (self.method and self.method != method):
            return False
        if not re.search(self.path, path):
            return False
        self.met += 1
        return True


@dataclass(frozen=True)
class Request:
    """A request as it came and was answered; ``at`` is the moment of `time.monotonic`, ``code``
    Discord's own where it was refused."""

    method: str
    path: str
    body: Payload
    status: int
    code: int
    at: float
    message: str = ""
