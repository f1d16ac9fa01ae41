"""What a test lets go wrong: requests that are answered otherwise, or not at all."""

from __future__ import annotations

import re
from dataclasses import dataclass, field


@dataclass
class Fault:
    """What happens to the next ``times`` requests of a ``method`` ("" for any) whose path matches
    ``path`` (a regular expression, searched for) instead of the right answer.

    ``status`` is answered, with the ``code`` of `refusals` if given: 429 with ``retry_after``
    seconds, 5xx with a body that is no JSON. ``done`` does the request before, so that only its
    answer is lost. ``drop`` closes the connection without a word.
    """

    path: str = ""
    method: str = ""
    status: int = 0
    code: int = 0
    times: int = 1
    retry_after: float = 0.01
    done: bool = False
    drop: bool = False
    met: int = field(default=0, init=False)

    def meets(self, method: str, path: str) -> bool:
        """Whether it happens to this request, which it then counts."""
        meets = self.met < self.times and self.method in ("", method)
        meets = meets and re.search(self.path, path) is not None
        self.met += meets
        return meets


@dataclass(frozen=True)
class Request:
    """A request as it came and was answered; ``code`` is Discord's own if it was refused."""

    method: str
    path: str
    status: int
    code: int
    message: str = ""
