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
    10013: (404, "Unknown User"),
    10014: (400, "Unknown Emoji"),
    10015: (404, "Unknown Webhook"),
    10062: (404, "Unknown interaction"),
    10063: (404, "Unknown application command"),
    20016: (429, "This action cannot be performed due to slowmode rate limit"),
    30010: (400, "Maximum number of reactions reached (20)"),
    30032: (400, "Maximum number of application commands reached (100)"),
    40001: (401, "401: Unauthorized"),
    40005: (413, "Request entity too large"),
    40060: (400, "Interaction has already been acknowledged."),
    40094: (400, "This interaction has reached the maximum number of follow-up messages"),
    50001: (403, "Missing Access"),
    50005: (403, "Cannot edit a message authored by another user"),
    50006: (400, "Cannot send an empty message"),
    50007: (403, "Cannot send messages to this user"),
    50008: (400, "Cannot send messages in a non-text channel"),
    50013: (403, "Missing Permissions"),
    50027: (401, "Invalid Webhook Token"),
    50035: (400, "Invalid Form Body"),
    50083: (400, "Thread is archived"),
    50109: (400, "The request body contains invalid JSON."),
    160002: (400, "Cannot reply without permission to read message history"),
    160004: (400, "A thread has already been created for this message"),
    200000: (400, "Message was blocked by automatic moderation"),
}


class Refusal(Exception):  # noqa: N818
    """A request that Discord would refuse: ``code`` is its own, ``errors`` tells what was wrong
    with which field of the body, ``retry_after`` in how many seconds it may be tried again."""

    def __init__(
        self,
        code: int,
        errors: Payload | None = None,
        *,
        status: int = 0,
        retry_after: float | None = None,
    ) -> None:
        known, self.message = CODES[code]
        self.code = code
        self.status = status or known
        self.errors = errors
        self.retry_after = retry_after
        super().__init__(f"{self.status} {code}: {self.message} {errors or ''}".rstrip())

    def body(self) -> Payload:
        """What Discord answers."""
        made: Payload = {"message": self.message, "code": self.code}
        if self.errors:
            made["errors"] = self.errors
        if self.retry_after is not None:
            made["retry_after"] = self.retry_after
        return made


class Form:
    """A body under examination: each fault is written down at its place, and `done` refuses the
    body if there was one."""

    def __init__(self) -> None:
        self.errors: Payload = {}

    def fault(self, place: tuple[str | int, ...], code: str, message: str) -> None:
        """One fault at a place of the body."""
        node = self.errors
        for key in place:
            node = node.setdefault(str(key), {})
        node.setdefault("_errors", []).append({"code": code, "message": message})

    def text(self, value: object, place: tuple[str | int, ...], most: int, least: int = 0) -> int:
        """Examines a text, counted in UTF-16 code units; its length."""
        if value is None and not least:
            return 0
        if not isinstance(value, str):
            self.fault(place, "BASE_TYPE_REQUIRED", "This field is required")
            return 0
        size = len(value.encode("utf-16-le", "surrogatepass")) // 2
        if size > most:
            wrong = f"Must be {most} or fewer in length."
            self.fault(place, "BASE_TYPE_MAX_LENGTH", wrong)
        if size < least:
            self.fault(
                place, "BASE_TYPE_BAD_LENGTH", f"Must be between {least} and {most} in length."
            )
        return size

    def count(self, value: object, place: tuple[str | int, ...], most: int, least: int = 0) -> None:
        """Examines the length of a list."""
        if not isinstance(value, list) or not least <= len(value) <= most:
            wrong = f"Must be between {least} and {most} in length."
            self.fault(place, "BASE_TYPE_BAD_LENGTH", wrong)

    def done(self) -> None:
        """Raises the refusal, if there was a fault."""
        if self.errors:
            raise Refusal(50035, self.errors)
