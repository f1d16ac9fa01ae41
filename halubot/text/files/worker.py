"""The process that reads documents: one after another, from standard input to standard output.

What is read here may be made to harm. So this process has no keys in its environment, opens no
connection, starts nothing, writes no file, and has limits of memory and time that the system
enforces. It ignores ctrl+C, which the process that started it answers by killing it.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import json
import signal
import sys
from typing import IO, Any, Final

from halubot.child_process import memory, read_exactly, take_streams
from halubot.errors import DocumentLimitError, MissingExtraError, UnreadableError
from halubot.text.files.protocol import Content, Format, read_message, write_message

IDLE_SECONDS: Final = 30
"""How long it waits for a document before it ends."""

LARGEST_REQUEST: Final = 1 << 16

_FULL: Final = 96 << 20
"""Memory after which it is replaced: the next document shall have its share, and so shall the check
that goes on beside this process."""

_LONGEST: Final = 1_000
"""Characters of a title or a heading."""

_LIBRARIES: Final[dict[Format, tuple[str, ...]]] = {
    "pdf": ("halubot.text.files.pdf", "pypdf"),
    "docx": ("halubot.text.files.docx", "mammoth", "selectolax.lexbor"),
    "html": ("halubot.text.files.webpage", "selectolax.lexbor"),
    "chats": ("halubot.text.files.chats",),
}

_REFUSED: Final = frozenset(
    {"socket.connect", "socket.bind", "socket.getaddrinfo", "subprocess.Popen", "os.system"}
    | {"os.exec", "os.posix_spawn", "os.fork", "os.remove", "os.rename", "os.mkdir"}
)


def main(most: int) -> None:
    """Read documents until standard input ends, in at most so many bytes of memory."""
    requests, replies = take_streams()
    _limit_memory(most)
    sys.addaudithook(_refuse)
    # Documents become trees of many objects that live as long as each other: looking for garbage
    # among them less often saves a tenth of the time.
    gc.set_threshold(50_000)
    while True:
        _alarm(IDLE_SECONDS)
        try:
            request = read_message(requests, LARGEST_REQUEST)
        except EOFError:
            return
        _alarm(0)
        if not _serve(request, requests, replies):
            return


def _serve(request: dict[str, Any], requests: IO[bytes], replies: IO[bytes]) -> bool:
    """Answer one request; False if this process should be replaced."""
    reply: dict[str, Any]
    full = False
    try:
        data = read_exactly(requests, request["size"])
        _load(request["format"])
        _count_seconds(request["seconds"])
        found = _extract(data, request)
        if len(found.text) > request["characters"]:
            most = f"{request['characters']:,}"
            raise DocumentLimitError("it", f"it has more than {most} characters of text")
        headings = [heading for heading in found.headings if len(heading) <= _LONGEST]
        reply = {"text": found.text, "title": found.title[:_LONGEST], "headings": headings}
    except DocumentLimitError as error:
        reply = {"error": "limit", "why": error.what}
    except UnreadableError as error:
        reply = {"error": "unreadable", "why": error.why}
    except MissingExtraError as error:
        reply = {"error": "extra", "why": error.extra}
    except MemoryError:
        reply, full = {"error": "memory", "why": ""}, True
    except Exception as error:  # noqa: BLE001 - the libraries let errors of many kinds through
        reply = {"error": "unreadable", "why": f"it is broken ({type(error).__name__})"}
    _count_seconds(0)
    data = b""
    reply["last"] = full = full or memory() > _FULL
    try:
        write_message(replies, reply)
    except MemoryError:
        write_message(replies, {"error": "memory", "why": "", "last": True})
        return False
    return not full


def _load(format: Format) -> None:
    """Load what reads this format. It takes seconds where nothing is compiled yet, and they are not
    the document's."""
    for name in _LIBRARIES[format]:
        with contextlib.suppress(ImportError):  # who needs it says which extra is missing
            importlib.import_module(name)


def _extract(data: bytes, request: dict[str, Any]) -> Content:
    """Return the text and the title of a document."""
    name = "it"
    match request["format"]:
        case "pdf":
            from halubot.text.files import pdf

            return pdf.extract(data, name, most_pages=request["pages"])
        case "docx":
            from halubot.text.files import docx

            return docx.extract(data, name)
        case "chats":
            from halubot.text.files.chats import find_answers

            found = find_answers(data, request["question"], request["message"])
            return Content(json.dumps(found), "")
        case _:
            from halubot.text.files import webpage
            from halubot.text.files.encodings import decode

            return webpage.extract(decode(data, name, declared=webpage.charset(data)))


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
