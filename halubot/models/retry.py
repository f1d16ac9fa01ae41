"""When a call that failed is made again."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass

from halubot.models.errors import ModelError, RateLimitedError, RefusedParameterError
from halubot.models.model import Parameter


@dataclass(frozen=True, slots=True)
class Retry:
    """When a call that failed is made again.

    ``attempts`` in all, at least 1; the waits between them double from ``first`` to ``longest``
    seconds, each shortened by up to a half by ``jitter`` (a number in [0, 1)). What the server
    asks for (retry-after) is waited for in full, and not at all where it is over ``longest``.
    """

    attempts: int = 3
    first: float = 0.5
    longest: float = 60.0
    jitter: Callable[[], float] = random.random

    def wait(self, failed: int, error: ModelError) -> float | None:
        """Seconds before the next attempt after ``failed`` of them, None to give up."""
        if not error.transient or failed >= self.attempts:
            return None
        usual = min(self.longest, self.first * 2.0 ** (failed - 1)) * (1 - self.jitter() / 2)
        asked = error.retry_after if isinstance(error, RateLimitedError) else None
        if asked is None:
            return usual
        return None if asked > self.longest else asked + self.jitter() * self.first


class Attempts:
    """The attempts at one call by now."""

    def __init__(self) -> None:
        self._failed = 0
        self._left_out: set[Parameter] = set()

    def wait(self, retry: Retry, error: ModelError) -> float:
        """Seconds before the next attempt, after one that failed with this error. None at all
        where the next one leaves out what the server turned down. Raises the error where there
        is no next attempt."""
        if isinstance(error, RefusedParameterError) and error.parameter not in self._left_out:
            self._left_out.add(error.parameter)
            return 0.0
        self._failed += 1
        wait = retry.wait(self._failed, error)
        if wait is None:
            raise error
        return wait
