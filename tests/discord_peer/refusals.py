"""How Discord refuses a request: a status, a code of its own, and words."""

from __future__ import annotations

from typing import Final

from tests.discord_peer.world import Payload

CODES: Final[dict[int, tuple[int, str]]] = {
    0: (404, "404: Not Found"),
    10003: (404, "Unknown Channel"),
    10004: (404, "Unknown Guild"),
    10007: (404, "Unknown Member"),
    10008: (404, "Unknown Message"),
    10015: (404, "Unknown Webhook"),
    10062: (404, "Unknown interaction"),
    20016: (429, "This action cannot be performed due to slowmode rate limit"),
    40001: (401, "401: Unauthorized"),
    40060: (400, "Interaction has already been acknowledged."),
    50001: (403, "Missing Access"),
    50005: (403, "Cannot edit a message authored by another user"),
    50006: (400, "Cannot send an empty message"),
    50013: (403, "Missing Permissions"),
    50027: (401, "Invalid Webhook Token"),
    50035: (400, "Invalid Form Body"),
    160002: (400, "Cannot reply without permission to read message history"),
    200000: (400, "Message was blocked by automatic moderation"),
}


class Refusal(Exception):  # noqa: N818
    """A request that Discord would refuse: ``code`` is its own, ``why`` tells what was wrong."""

    def __init__(self, code: int, why: str = "", *, status: int = 0) -> None:
        known, message = CODES[code]
        self.code = code
        self.status = status or known
        self.body: Payload = {"message": f"{message} {why}".rstrip(), "code": code}
        super().__init__(f"{self.status} {code}: {message} {why}".rstrip())


def demand(holds: bool, why: str) -> None:
    """Refuses a body for which something does not hold."""
    if not holds:
        raise Refusal(50035, why)
