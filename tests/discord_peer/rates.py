"""Discord's rate limits, in real time: so many requests of a route and a channel in so long."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, field


@dataclass
class Rates:
    """``calls`` of a kind on one channel, interaction or server may come in ``seconds``; the next
    gets 429 and counts in ``exceeded``. Without ``calls`` all may come at any rate."""

    calls: int = 0
    seconds: float = 5.0
    exceeded: int = 0
    _began: dict[str, tuple[float, int]] = field(default_factory=dict)

    def take(self, method: str, path: str) -> tuple[dict[str, str], float]:
        """The headers of the answer, and the seconds to wait (0: it may be done)."""
        if not self.calls or path.endswith("/callback"):
            return {}, 0.0
        found = re.match(
            r"/api/v10/(channels|guilds|webhooks|interactions)/(\d+)(/[\w-]{20,})?", path
        )
        place = found[0] if found else ""
        bucket = f"{method} {re.sub(r'[0-9]+|/reactions/.*', '', path[len(place) :])}"
        now = time.monotonic()
        start, used = self._began.get(bucket + place, (now, 0))
        if now - start >= self.seconds:
            start, used = now, 0
        left = start + self.seconds - now
        allowed = used < self.calls
        self._began[bucket + place] = start, used + allowed
        self.exceeded += not allowed
        headers = {
            "X-RateLimit-Limit": str(self.calls),
            "X-RateLimit-Remaining": str(max(0, self.calls - used - allowed)),
            "X-RateLimit-Reset": f"{time.time() + left:.3f}",
            "X-RateLimit-Reset-After": f"{left:.3f}",
            "X-RateLimit-Bucket": f"{abs(hash(bucket)):x}",
        }
        return headers, 0.0 if allowed else left
