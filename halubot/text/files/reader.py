"""The reading of documents in a process of its own, with limits.

The libraries that read HTML, PDF and DOCX can be made to take any time and any memory by a file of
some kilobytes, and they are no place to defend. So they run in another process, which is killed
when it takes too much, and replaced. It stays for the next document: starting it takes 0.1 s.
"""

from __future__ import annotations

import atexit
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any, Final

from halubot.child_process import PIPES, command
from halubot.concurrency import seconds_left
from halubot.errors import DocumentLimitError, MissingExtraError, UnreadableError
from halubot.text.files import Content, Format, Limits
from halubot.text.files.worker import read_message, write_message

AT_ONCE: Final = 2
"""Documents that are read at the same time: one that is slow does not hold up a whole service."""

_PATIENCE: Final = 5
"""Seconds of the clock for each of the processor, on a machine that is busy."""

_LOADING: Final = 20
"""Seconds of the clock, besides, in which the process starts and loads what reads the format."""

# How a process ends by the alarms that it set; Windows has neither.
_IDLE: Final = -getattr(signal, "SIGALRM", 1 << 16)
_OUT_OF_TIME: Final = -getattr(signal, "SIGPROF", 1 << 16)

_KEPT: Final = ("PATH", "SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "LANG", "LC_ALL")
"""Variables that it is started with; keys of model providers are in the others."""


class DocumentReader:
    """Reads documents within ``limits``, from any thread. Its processes end with `close`, with the
    program, or when they have had nothing to do for a while."""

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._idle: list[subprocess.Popen[bytes]] = []
        self._lock = threading.Lock()
        self._turns = threading.BoundedSemaphore(AT_ONCE)
        self._owner = os.getpid()

    def read(
        self, data: bytes, format: Format, name: str | os.PathLike[str], **more: str
    ) -> Content:
        """Return the content of a document; ``name`` is what errors call it, ``more`` is what is
        looked for in it.

        Raises UnreadableError if it is broken, DocumentLimitError if it takes too much, and
        MissingExtraError if its reader is not installed.
        """
        limits = self.limits
        request = {
            "format": format,
            "size": len(data),
            "seconds": limits.seconds_for(format, len(data)),
            "pages": limits.pages,
            "characters": limits.characters,
            **more,
        }
        with self._turns:
            reply = self._ask(request, data, name)
        why = str(reply.get("why", ""))
        match reply.get("error"):
            case None:
                headings = frozenset(map(str, reply["headings"]))
                return Content(str(reply["text"]), str(reply["title"]), headings)
            case "extra":
                raise MissingExtraError(f"{os.fspath(name)}, a {format.upper()} file,", why)
            case "memory":
                raise DocumentLimitError(name, f"reading it takes more than {self._memory}")
            case "limit":
                raise DocumentLimitError(name, why)
            case _:
                raise UnreadableError(name, why)

    @property
    def _memory(self) -> str:
        return f"{self.limits.memory >> 20} MiB of memory"

    def close(self) -> None:
        """End the processes that have nothing to do."""
        with self._lock:
            idle, self._idle = self._idle, []
        for process in idle:
            _end(process)

    def _ask(
        self, request: dict[str, Any], data: bytes, name: str | os.PathLike[str]
    ) -> dict[str, Any]:
        seconds = request["seconds"]
        too_slow = DocumentLimitError(name, f"reading it takes more than {seconds:.3g} s")
        too_late = DocumentLimitError(name, "the deadline passed before it was read")
        while True:
            patience, left = _LOADING + seconds * _PATIENCE, seconds_left()
            if not left:
                raise too_late
            late, patience = left < patience, min(left, patience)
            process = self._process()
            try:
                reply = _exchange(process, request, data, self.limits, patience)
            except TimeoutError as error:
                _end(process)
                raise (too_late if late else too_slow) from error
            except (OSError, EOFError, ValueError) as error:
                ended = _end(process)
                if ended == _IDLE:
                    continue  # it ended for want of work at the moment it was given some
                if ended == _OUT_OF_TIME:
                    raise too_slow from error
                if ended and ended > 0:
                    why = "the process that reads documents does not start: see halubot doctor"
                    raise UnreadableError(name, why) from error
                # A library in C that gets no memory crashes rather than say so.
                what = f"reading it takes more than {self._memory}, or crashes"
                raise DocumentLimitError(name, what) from error
            except BaseException:  # ctrl+C: what it may still answer is for nobody
                _end(process)
                raise
            if reply.get("last"):
                _end(process)
            else:
                with self._lock:
                    self._idle.append(process)
            return reply

    def _process(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._owner != os.getpid():  # after a fork, the parent's pipes are not ours
                self._owner, self._idle = os.getpid(), []
            while self._idle:
                process = self._idle.pop()
                if process.poll() is None:
                    return process
                _end(process)
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        words = command("halubot.text.files.worker", self.limits.memory)
        return subprocess.Popen(words, env=kept, **PIPES)  # noqa: S603 - this very interpreter


def _exchange(
    process: subprocess.Popen[bytes],
    request: dict[str, Any],
    data: bytes,
    limits: Limits,
    patience: float,
) -> dict[str, Any]:
    """Send a document and return the answer. Raises TimeoutError if none comes in time."""
    assert process.stdin is not None  # noqa: S101 - for type checkers: it was asked for
    assert process.stdout is not None  # noqa: S101
    # Not by `select`, which on Windows waits for sockets only.
    late = threading.Timer(patience, process.kill)
    late.daemon = True
    late.start()
    try:
        write_message(process.stdin, request, data)
        return read_message(process.stdout, 8 * limits.characters + (1 << 16))
    except (OSError, EOFError) as error:
        raise (TimeoutError if late.finished.is_set() else EOFError) from error
    finally:
        late.cancel()


def _end(process: subprocess.Popen[bytes]) -> int | None:
    """End a process and return how it ended; one that has ended by itself keeps its own status."""
    with suppress(OSError):
        if process.stdin is not None:
            process.stdin.close()
    try:
        # At the end of its input it ends by itself, unless it is at work.
        status: int | None = process.wait(0.05)
    except subprocess.TimeoutExpired:
        process.kill()
        status = process.wait()
    if process.stdout is not None:
        process.stdout.close()
    return status


_reader = DocumentReader()
atexit.register(_reader.close)


def read_document(
    data: bytes, format: Format, name: str | os.PathLike[str], **more: str
) -> Content:
    """Return the content of a document, as `DocumentReader.read` does, by the reader
    that all of this program shares."""
    return _reader.read(data, format, name, **more)


def is_memory_limited() -> bool:
    """Return True if this platform enforces the limit of memory. Windows has none that Python can
    set, and macOS ignores it."""
    return sys.platform.startswith(("linux", "freebsd"))
