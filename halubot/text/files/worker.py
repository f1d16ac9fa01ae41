"""The process that reads documents: one after another, from standard input to standard output.

What is read here may be made to harm. So this process has no keys in its environment, opens no
connection, starts nothing, writes no file, and has limits of memory and time that the system
enforces. It ignores ctrl+C, which the process that started it answers by killing it. Messages are
JSON behind its length, and nothing richer: whatever takes over this process must not run code in
the other one.
"""

from __future__ import annotations

import gc
import json
import signal
import sys
from importlib import import_module
from typing import IO, Any, Final

from halubot.child_process import LENGTH, memory, read_exactly, take_streams
from halubot.errors import DocumentLimitError, UnreadableError

IDLE_SECONDS: Final = 30
"""How long it waits for a document before it ends."""

LARGEST_REQUEST: Final = 1 << 16

_FULL: Final = 96 << 20
"""Memory after which it is replaced: the next document shall have its share, and so shall the check
that goes on beside this process."""

_LONGEST: Final = 1_000
"""Characters of a title or a heading."""

_REFUSED: Final = frozenset(
    {"socket.connect", "socket.bind", "socket.getaddrinfo", "subprocess.Popen", "os.system"}
    | {"os.exec", "os.posix_spawn", "os.fork", "os.remove", "os.rename", "os.mkdir"}
)


def write_message(stream: IO[bytes], message: dict[str, Any], body: bytes = b"") -> None:
    # A PDF may hold lone surrogates, which plain UTF-8 refuses.
    data = json.dumps(message, ensure_ascii=False).encode("utf-8", "surrogatepass")
    stream.write(LENGTH.pack(len(data)) + data)
    stream.write(body)
    stream.flush()


def read_message(stream: IO[bytes], most: int) -> dict[str, Any]:
    """Read a message of at most ``most`` bytes. Raises EOFError if the other side is gone, and
    ValueError for anything that is no message."""
    (length,) = LENGTH.unpack(read_exactly(stream, LENGTH.size))
    if length > most:
        raise ValueError(f"a message of {length} bytes")
    found = json.loads(read_exactly(stream, length).decode("utf-8", "surrogatepass"))
    if not isinstance(found, dict):
        raise ValueError("a message that is no object")
    return found


def main(most: int) -> None:
    """Read documents until standard input ends, in at most so many bytes of memory."""
    requests, replies = take_streams()
    _limit_memory(most)
    sys.addaudithook(_refuse)
    # Documents become trees of many objects that live as long as each other: looking for garbage
    # among them less often saves a tenth of the time.
    gc.set_threshold(50_000)
    last = False
    while not last:
        _alarm(IDLE_SECONDS)
        try:
            request = read_message(requests, LARGEST_REQUEST)
        except EOFError:
            return
        _alarm(0)
        reply = _reply(request, requests)
        last = reply["last"] = reply.get("error") == "memory" or memory() > _FULL
        try:
            write_message(replies, reply)
        except MemoryError:
            write_message(replies, {"error": "memory", "last": True})
            return


def _reply(request: dict[str, Any], requests: IO[bytes]) -> dict[str, Any]:
    """Read one document, and return its content or what is wrong with it."""
    format, most = request["format"], request["characters"]
    try:
        data = read_exactly(requests, request["size"])
        # Loading takes seconds where nothing is compiled yet, and they are not the document's.
        module = import_module(f"halubot.text.files.{'webpage' if format == 'html' else format}")
        _count_seconds(request["seconds"])
        found = module.read(data, request)
        if len(found.text) > most:
            raise DocumentLimitError("it", f"it has more than {most:,} characters of text")
        headings = [heading for heading in found.headings if len(heading) <= _LONGEST]
        return {"text": found.text, "title": found.title[:_LONGEST], "headings": headings}
    except DocumentLimitError as error:
        return {"error": "limit", "why": error.what}
    except UnreadableError as error:
        return {"error": "unreadable", "why": error.why}
    except ImportError:
        return {"error": "extra", "why": format}
    except MemoryError:
        return {"error": "memory"}
    except Exception as error:  # noqa: BLE001 - the libraries let errors of many kinds through
        return {"error": "unreadable", "why": f"it is broken ({type(error).__name__})"}
    finally:
        _count_seconds(0)


def _refuse(event: str, args: tuple[object, ...]) -> None:
    """Refuse what no reader of documents needs: an audit hook."""
    if event in _REFUSED or (event == "open" and args[1] not in (None, "r", "rb", "r+b")):
        raise PermissionError(f"refused while reading a document: {event}")


def _limit_memory(most: int) -> None:
    """Let no more than ``most`` bytes be allocated, if the platform can."""
    try:
        import resource
    except ImportError:  # Windows
        return
    for name, value in (("RLIMIT_AS", most), ("RLIMIT_CORE", 0), ("RLIMIT_FSIZE", 0)):
        kind = getattr(resource, name)
        hard = resource.getrlimit(kind)[1]
        if hard == resource.RLIM_INFINITY or value <= hard:
            resource.setrlimit(kind, (value, value))


def _count_seconds(seconds: float) -> None:
    """End this process after so many seconds of the processor, in any code; 0 takes it back."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _alarm(seconds: int) -> None:
    """End this process after so many seconds; 0 takes it back."""
    if hasattr(signal, "alarm"):
        signal.alarm(seconds)
