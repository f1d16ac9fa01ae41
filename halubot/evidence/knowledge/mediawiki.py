"""Asking the API of a MediaWiki with the manners that Wikimedia asks for: one request at a time,
a User-Agent with contact, maxlag, Retry-After, and answers that are kept.

https://www.mediawiki.org/wiki/API:Etiquette and
https://foundation.wikimedia.org/wiki/Policy:Wikimedia_Foundation_User-Agent_Policy
"""

from __future__ import annotations

import asyncio
import json
import re
import threading
import time
from collections.abc import Callable, Mapping
from concurrent.futures import CancelledError
from concurrent.futures import TimeoutError as FutureTimeoutError
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from halubot.errors import KnowledgeError, SettingError
from halubot.evidence.kept import KeptAnswers
from halubot.offline import is_refused, on_this_machine

if TYPE_CHECKING:
    import httpx


ATTEMPTS: Final = 3
"""Requests that are made for one answer, at most."""

LONGEST_WAIT: Final = 30.0
"""Seconds: a server that asks for a longer pause is left alone."""

RESPITE: Final = 30.0
"""Seconds for which a server that failed is not asked again."""

LONGEST_ASKED: Final = 3600.0
"""Seconds: what a server asks for beyond counts as this."""

CLOSING: Final = 1.0
"""Seconds for connections to be closed in."""

_ALWAYS: Final = {"action": "query", "format": "json", "formatversion": "2", "maxlag": "5"}

# What MediaWiki says where it is busy, and may not be a moment later.
_BUSY: Final = ("maxlag", "ratelimited", "readonly", "internal_api_error", "cirrussearch-")

_TURN: Final = threading.Lock()
"""Whose turn it is to send a request: one at a time for all wikis, as Wikimedia asks."""


@dataclass
class _RequestError(Exception):
    """A request that brought nothing. ``passing``: another attempt may bring something, after
    ``wait`` seconds if the server said so. ``whole``: it would go the same way with any
    request."""

    why: str
    remedy: str = "try again later"
    passing: bool = False
    wait: float | None = None
    whole: bool = True


class MediaWiki:
    """The API at ``address``. Its methods block, and may be called from any thread.

    ``agent`` is the User-Agent, ``folder`` in which answers are kept for the time ``kept``. A
    server has ``timeout`` seconds for an answer; ``pause`` seconds lie between the first attempt
    and the second, twice as many before the third, if the server does not say. Answers are kept by
    a hash of what was asked; a disk that fails only costs answers.
    """

    def __init__(
        self,
        address: str,
        agent: str,
        *,
        folder: Path,
        kept: timedelta,
        timeout: float,
        pause: float,
    ) -> None:
        self.address = address
        self._agent = agent
        self._kept = KeptAnswers(folder, "wikipedia", kept)
        self._timeout = timeout
        self._pause = pause
        self._opening = threading.Lock()
        self._client: httpx.AsyncClient | None = None
        self._closed = False
        self._failure: tuple[str, float] | None = None

    def query(self, stop: threading.Event, **parameters: str) -> Mapping[str, Any]:
        """Return the part "query" of the answer to an ``action=query``: kept, or asked for now. No
        request is begun once ``stop`` is set. Raises KnowledgeError if there is no answer,
        SettingError if the network is refused."""
        found = self._find_kept(parameters)
        if found is None:
            with _TURN:
                found = self._find_kept(parameters)  # another may have asked the same meanwhile
                if found is None:
                    found = self._ask(stop, parameters)
                    self._kept.put(self.address, parameters, found)
        return found

    def close(self) -> None:
        """Closes connections and the store of answers; a second time does nothing."""
        from halubot.models.loop import own_loop

        with self._opening:
            self._closed = True
            if self._client is not None:
                closing = asyncio.run_coroutine_threadsafe(self._client.aclose(), own_loop())
                with suppress(FutureTimeoutError, TimeoutError):
                    closing.result(CLOSING)
        self._kept.close()

    def _find_kept(self, parameters: Mapping[str, str]) -> dict[str, Any] | None:
        """A kept answer that is not too old."""
        if self._closed:
            raise KnowledgeError(f"{self._host} was closed")
        found = self._kept.get(self.address, parameters)
        if (trouble := self._kept.trouble) is not None:
            raise KnowledgeError(f"what Wikipedia answered cannot be kept: {trouble}")
        return found

    def _ask(self, stop: threading.Event, parameters: Mapping[str, str]) -> dict[str, Any]:
        """The answer to a new request, after as many attempts as it takes and may take."""
        # A message makes up to 20 queries, and each would wait for the server that failed.
        if self._failure is not None:
            why, until = self._failure
            if time.monotonic() < until:
                raise KnowledgeError(why)
        for failed in range(ATTEMPTS):
            if stop.is_set() or self._closed:
                raise KnowledgeError(f"the search of {self._host} was stopped")
            try:
                return self._answer(parameters)
            except _RequestError as trouble:
                wait = self._pause * 2**failed if trouble.wait is None else trouble.wait
                if failed + 1 == ATTEMPTS or not trouble.passing or wait > LONGEST_WAIT:
                    raise self._refusal(trouble) from trouble
                stop.wait(wait)
        raise AssertionError("unreachable")

    def _refusal(self, trouble: _RequestError) -> KnowledgeError:
        """The error for people; it holds for the next requests too if it would meet them."""
        remedy = trouble.remedy
        if trouble.wait is not None and trouble.wait > LONGEST_WAIT:
            remedy = f"try again in {_words(trouble.wait)}"
        why = f"{self._host} {trouble.why}: {remedy}"
        if trouble.whole:
            self._failure = why, time.monotonic() + max(trouble.wait or 0, RESPITE)
        return KnowledgeError(why)

    def _answer(self, parameters: Mapping[str, str]) -> dict[str, Any]:
        """The answer to one request; raises _RequestError."""
        data, headers = self._receive(parameters)
        wait = _wait(headers.get("retry-after"))
        try:
            body = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise _RequestError("answered with something that is not JSON", passing=True) from error
        match body:
            case {"error": {"code": str(code), **more}}:
                info = " ".join(str(more.get("info", "")).split())[:200]
                busy = code.startswith(_BUSY)
                why = "is busy" if busy else f"refused the search ({code}: {info})"
                remedy = "try again later" if busy else "word it in another way"
                raise _RequestError(why, remedy, passing=busy, wait=wait, whole=busy)
            case {"query": dict(found)}:
                return found
            case {"batchcomplete": _}:
                return {}
        raise _RequestError("answered with something that is no answer of MediaWiki")

    def _receive(self, parameters: Mapping[str, str]) -> tuple[bytes, Mapping[str, str]]:
        """Body and headers of one successful request; raises _RequestError."""
        import httpx

        from halubot.models.loop import own_loop
        from halubot.network import MovedError, TooLargeError, UnfitError

        if is_refused() and not on_this_machine(self._host):
            raise SettingError(
                f"{self._host} cannot be asked with --offline: name a base or a ZIM file instead"
            )
        # On a loop, the time holds for all of it: a server that sends a byte now and then would
        # keep a socket's own limit from ever being reached.
        work = asyncio.run_coroutine_threadsafe(self._get(parameters), own_loop())
        try:
            return work.result(self._timeout)
        except (TimeoutError, FutureTimeoutError, httpx.TimeoutException) as error:
            why = f"did not answer within {self._timeout:g} seconds"
            raise _RequestError(why, passing=True) from error
        except MovedError as error:
            why = f"has moved to {_words_of(error.to)}, and no redirect is followed"
            raise _RequestError(why, "look at the network connection") from error
        except (TooLargeError, UnfitError) as error:
            raise _RequestError(f"sent what is not read ({error})") from error
        except httpx.HTTPError as error:
            why = f"cannot be reached ({_words_of(error)})"
            raise _RequestError(why, "look at the network connection", passing=True) from error
        except (RuntimeError, CancelledError) as error:  # of a client that was closed meanwhile
            raise _RequestError("was closed") from error
        finally:
            work.cancel()

    async def _get(self, parameters: Mapping[str, str]) -> tuple[bytes, Mapping[str, str]]:
        response = await self._connect().get(
            self.address, params={**_ALWAYS, **parameters}, timeout=self._timeout
        )
        _require_success(response.status_code, response.headers)
        return response.content, response.headers

    def _connect(self) -> httpx.AsyncClient:
        import httpx

        from halubot.network import bind_limits

        with self._opening:
            if self._client is None:
                try:
                    self._client = bind_limits(
                        httpx.AsyncClient(headers={"User-Agent": self._agent})
                    )
                except (ValueError, OSError, ImportError, httpx.InvalidURL) as error:
                    why = f"cannot be asked ({_words_of(error)})"
                    remedy = "look at the proxy and certificate variables of the environment"
                    raise _RequestError(why, remedy) from error
            return self._client

    @property
    def _host(self) -> str:
        return urlsplit(self.address).hostname or self.address


def _require_success(status: int, headers: Mapping[str, str]) -> None:
    wait = _wait(headers.get("retry-after"))
    if status == 200:
        return
    if status == 429:
        raise _RequestError("takes no more requests for now", passing=True, wait=wait)
    if status >= 500:
        raise _RequestError(f"is out of order (status {status})", passing=True, wait=wait)
    if status in (401, 403):
        remedy = "say in HALUBOT_WIKIPEDIA_CONTACT how you can be reached, as Wikimedia asks"
        raise _RequestError(f"refuses to answer (status {status})", remedy)
    raise _RequestError(
        f"answered with status {status}", "look at the language, and at the network"
    )


def _wait(
    asked: str | None, now: Callable[[], datetime] = lambda: datetime.now(UTC)
) -> float | None:
    """The seconds that a Retry-After header asks for: a number, or a date; None for no header and
    for anything else."""
    if not asked:
        return None
    if asked.strip().isascii() and asked.strip().isdigit():
        return min(float(asked), LONGEST_ASKED)
    try:
        until = parsedate_to_datetime(asked)
        return min(max(0.0, (until - now()).total_seconds()), LONGEST_ASKED)
    except (ValueError, TypeError, OverflowError):
        return None


def _words(seconds: float) -> str:
    """A time in plain words, rounded up."""
    minutes = -(-seconds // 60)
    return f"{minutes:.0f} minute{'' if minutes == 1 else 's'}"


def _words_of(error: Exception | str) -> str:
    """An error of the network on one line."""
    words = re.sub(r"^\[Errno -?\d+\]\s*", "", str(error))
    return " ".join(words.split())[:200] or type(error).__name__
