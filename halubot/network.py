"""HTTP with limits: no redirect, no answer without an end, whatever a server sends.

`bind_limits` puts the limits around a client of httpx: around those of
`halubot.models.openai_server`, those that litellm makes (`halubot.models.litellm_guards`) and the
one that asks Wikipedia (`halubot.evidence.json_api`).
They hold between the connection and everything that reads an answer, so that proxies and
certificates work as before:

    a redirect                        is an error (`MovedError`): keys and text go to one address
    more than `LARGEST_ANSWER` bytes  is an error (`TooLargeError`), counted after unpacking
    more than `LARGEST_ERROR` bytes   of the body of an error are not read
    JSON of too many parts            is an error (`UnfitError`): parsed, it takes far more memory
    more than `LARGE` bytes           are read of one answer at a time: parsed, it takes many times
                                      its size, and a check has dozens of calls under way

No limit of time is set here: whoever waits for an answer stops waiting, which closes the
connection.
"""

from __future__ import annotations

import asyncio
import re
import ssl
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from contextvars import ContextVar
from functools import cache, partial
from typing import Any, Final, TypeVar
from weakref import WeakKeyDictionary

import httpx

LARGEST_ANSWER: Final = 8 << 20
"""Bytes of an answer, unpacked. 20 samples of 500 tokens with their log-probabilities have 4 MB."""

WIDE: Final = 3
"""How many times a byte that is not ASCII counts: litellm writes a parsed answer as JSON again, in
ASCII, in which 4 bytes of UTF-8 become 12."""

LARGE: Final = 256 << 10
"""Bytes of an answer after which the rest waits until no other answer of this size is under way."""

LARGEST_ERROR: Final = 8 << 10
"""Bytes of the body of an error, unpacked. Of longer ones only the beginning is ever shown."""

MOST_PARTS: Final = 200_000
"""Objects and lists in one answer. The log-probabilities of 10,000 tokens have 120,000."""

MOST_CHOICES: Final = 2_000
"""Objects and lists on the first three levels of one answer, if its choices are: litellm makes
20 kB of each."""

DEEPEST: Final = 64
"""Levels of nesting in one answer."""

MOST_LINES: Final = 100_000
"""Lines of one answer that is streamed."""

LONGEST_EVENT: Final = 64
"""Lines of one event of a stream: readers copy the event anew for each of its lines."""

# Possessive, so that a text that ends within a string costs no more than one that does not.
_STRING = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+(?:"|\\?\Z)', re.S)
_BRACKET = re.compile(rb"[\[\]{}]")
_ASCII = bytes(range(128))
_STREAMED = re.compile(rb'"stream"\s*:\s*true')

Client = TypeVar("Client", httpx.AsyncClient, httpx.Client)


class MovedError(httpx.TransportError):
    """The server sent a redirect: from the address ``asked`` to another, ``to`` as it wrote it."""

    def __init__(self, asked: str, to: str) -> None:
        self.asked = asked
        self.to = to
        super().__init__("the address moved")


class TooLargeError(httpx.TransportError):
    """The answer is longer than any that is read."""

    def __init__(self) -> None:
        super().__init__(f"the answer is longer than {LARGEST_ANSWER >> 20} MB")


class UnfitError(httpx.TransportError):
    """The answer is packed or built in a way that would cost its reader too much."""


class _Turn:
    """The turn of one call to have a large answer in memory."""

    def __init__(self) -> None:
        self._lock: asyncio.Lock | None = None
        self._answer: httpx.Response | None = None

    def keep(self, answer: httpx.Response) -> httpx.Response:
        """Return the answer that was read; its body is dropped when the turn ends."""
        if self._lock is not None:
            self._answer = answer
        return answer

    async def take(self) -> None:
        """Wait for the turn, unless this call has it."""
        if self._lock is None:
            lock = _locks.setdefault(asyncio.get_running_loop(), asyncio.Lock())
            await lock.acquire()
            self._lock = lock

    def end(self) -> None:
        """Let another call have it."""
        if self._lock is not None:
            self._lock.release()
            self._lock = None
        if self._answer is not None:
            # It lives on in a circle of objects until Python happens to look for one, and a few
            # such bodies fill the memory.
            inside: Any = self._answer
            inside._content, inside.stream = b"", httpx.ByteStream(b"")
            self._answer = None


_locks: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()
_turn: Final[ContextVar[_Turn | None]] = ContextVar("_turn", default=None)


@asynccontextmanager
async def keeping_turn() -> AsyncIterator[None]:
    """Count an answer that comes inside as under way until the end: whoever parses it is not done
    with it when it has been read."""
    turn = _Turn()
    token = _turn.set(turn)
    try:
        yield
    finally:
        _turn.reset(token)
        turn.end()


def bind_limits(client: Client) -> Client:
    """Return the client with limits around all its connections, those through proxies too; one
    that has them already as it is."""
    # httpx has no public way to wrap what a client connects with. Should these attributes ever go,
    # this raises: a client without limits is never handed on. The transports themselves stay, for
    # litellm knows its own by their class and closes what they hold.
    inside: Any = client
    for transport in filter(None, [inside._transport, *inside._mounts.values()]):
        name, receive = (
            ("handle_async_request", _receive)
            if isinstance(client, httpx.AsyncClient)
            else ("handle_request", _receive_here)
        )
        send: Any = getattr(transport, name)
        if not isinstance(send, partial):
            setattr(transport, name, partial(receive, send))
    client.follow_redirects = False
    return client


@cache
def tls_context(*, trust_env: bool = True) -> ssl.SSLContext:
    """Return what certificates are checked by; with ``trust_env`` by those that the environment
    names. To make it takes longer than most calls, so all clients share it."""
    return httpx.create_ssl_context(trust_env=trust_env)


def require_fit(body: bytes) -> None:
    """Raise UnfitError for JSON of too many parts or levels; for what is no JSON the same."""
    depth = parts = choices = 0
    for found in _BRACKET.finditer(_STRING.sub(b"", body)):
        if found[0] in b"]}":
            depth -= 1
            continue
        depth += 1
        parts += 1
        choices += depth <= 3
        if depth > DEEPEST or parts > MOST_PARTS or choices > MOST_CHOICES:
            raise UnfitError("the answer has too many parts")


async def _receive(
    send: Callable[[httpx.Request], Awaitable[httpx.Response]], request: httpx.Request
) -> httpx.Response:
    request.headers["Accept-Encoding"] = "gzip"
    response = await send(request)
    streamed = False
    pieces: list[bytes] = []
    kept = _turn.get()
    turn = kept or _Turn()
    try:
        reading = _Reading(request, response)
        streamed = reading.is_streamed
        if streamed:
            return reading.make_response(stream=_Stream(reading, response))
        size = 0
        async for piece in _pieces(reading, response):
            pieces.append(piece)
            size += len(piece)
            if size > LARGE:
                await turn.take()
        answer = reading.whole(b"".join(pieces))
        return answer if kept is None else kept.keep(answer)
    except httpx.TransportError as error:
        # An error lives longer than its call. Its traceback would hold what was unpacked.
        pieces.clear()
        raise error.with_traceback(None) from None
    finally:
        if kept is None:
            turn.end()
        if not streamed:
            await response.aclose()


def _receive_here(
    send: Callable[[httpx.Request], httpx.Response], request: httpx.Request
) -> httpx.Response:
    """Receive an answer on the caller's thread, and always the whole of it."""
    request.headers["Accept-Encoding"] = "gzip"
    response = send(request)
    pieces: list[bytes] = []
    try:
        reading = _Reading(request, response)
        stream: Any = response.stream
        for raw in stream:
            pieces.append(reading.unpack(raw))
            if reading.full:
                break
        return reading.whole(b"".join(pieces))
    except httpx.TransportError as error:
        pieces.clear()
        raise error.with_traceback(None) from None
    finally:
        response.close()


class _Stream(httpx.AsyncByteStream):
    def __init__(self, reading: _Reading, response: httpx.Response) -> None:
        self._reading = reading
        self._response = response

    async def __aiter__(self) -> AsyncIterator[bytes]:
        async for piece in _pieces(self._reading, self._response):
            self._reading.count_lines(piece)
            yield piece

    async def aclose(self) -> None:
        await self._response.aclose()


async def _pieces(reading: _Reading, response: httpx.Response) -> AsyncIterator[bytes]:
    stream: Any = response.stream
    async for raw in stream:
        yield reading.unpack(raw)
        if reading.full:
            return


class _Reading:
    """The part of an answer that was read. ``full`` says that no more of it is.

    Raises MovedError for a redirect, UnfitError for a packing that was not asked for.
    """

    def __init__(self, request: httpx.Request, response: httpx.Response) -> None:
        self._request = request
        self._response = response
        if 300 <= response.status_code < 400:
            raise MovedError(str(request.url), response.headers.get("location", ""))
        self._failed = response.status_code >= 400
        self._left = self._raw_left = LARGEST_ERROR if self._failed else LARGEST_ANSWER
        self._gzip = make_unpacker(response.headers.get("content-encoding", ""))
        self._kind = response.headers.get("content-type", "")
        self._lines = self._lines_of_event = 0
        self._ends_line = True
        self.full = False

    @property
    def is_streamed(self) -> bool:
        """Return True if the answer is read while it comes."""
        asked = (
            _STREAMED.search(self._request.content) or "stream" in self._request.url.path.lower()
        )
        return not self._failed and ("event-stream" in self._kind or bool(asked))

    def unpack(self, raw: bytes) -> bytes:
        """Return a piece of the body unpacked, cut if no more is read. Raises TooLargeError, and
        DecodingError for what cannot be unpacked."""
        self._raw_left -= len(raw)  # counted too: gzip may go on for ever and hold nothing
        try:
            # One byte more than fits is enough to know that there is more.
            piece = raw if self._gzip is None else self._gzip.decompress(raw, self._left + 1)
        except zlib.error as error:
            raise httpx.DecodingError(f"the answer cannot be unpacked ({error})") from error
        if len(piece) > self._left or self._raw_left < 0:
            if not self._failed:
                del piece  # which the traceback would hold
                raise TooLargeError
            self.full = True
        piece = piece[: self._left]
        self._left -= len(piece)
        if not self._failed:
            self._left -= (WIDE - 1) * len(piece.translate(None, _ASCII))
            if self._left < 0:
                del piece
                raise TooLargeError
        return piece

    def count_lines(self, piece: bytes) -> None:
        """Raise UnfitError for a stream of too many lines, or with too many in one event."""
        most = MOST_LINES if "ndjson" in self._kind else LONGEST_EVENT  # Ollama has no blank lines
        for line in piece.splitlines(keepends=True):
            begins, self._ends_line = self._ends_line, line.endswith((b"\n", b"\r"))
            self._lines += begins
            self._lines_of_event += begins
            if begins and not line.strip():
                self._lines_of_event = 0
            if self._lines > MOST_LINES or self._lines_of_event > most:
                raise UnfitError("the stream has too many lines")

    def whole(self, body: bytes) -> httpx.Response:
        """Return the answer with this body. Raises UnfitError for one that is not fit to parse."""
        if not self._failed:
            require_fit(body)
        return self.make_response(content=body)

    def make_response(self, **body: Any) -> httpx.Response:
        """Return the answer with this body, which is not packed any more."""
        headers = self._response.headers.copy()
        for name in ("content-encoding", "content-length", "transfer-encoding"):
            headers.pop(name, None)
        return httpx.Response(
            self._response.status_code,
            headers=headers,
            request=self._request,
            extensions=self._response.extensions,
            **body,
        )


def make_unpacker(encoding: str) -> Any:
    """Return the object of zlib that unpacks a body with this Content-Encoding; None for one that
    is not packed. Raises UnfitError for any packing but gzip."""
    match encoding.strip().lower():
        case "" | "identity":
            return None
        case "gzip" | "x-gzip":
            return zlib.decompressobj(16 + zlib.MAX_WBITS)
    raise UnfitError(f"the answer is packed in a way that was not asked for ({encoding[:40]!r})")
