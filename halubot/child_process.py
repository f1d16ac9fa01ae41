"""A process of this interpreter that works for this one, and the messages between the two: pickle
behind its length.

Both run the same code with the same rights, over pipes that nobody else can write to. The process
that reads documents has fewer rights, and speaks JSON (`halubot.text.files.worker`).
"""

from __future__ import annotations

import json
import os
import pickle
import signal
import struct
import subprocess
import sys
from pathlib import Path
from typing import IO, Any, Final

LENGTH: Final = struct.Struct(">Q")
"""The bytes before each message, which say how long it is."""

PIPES: Final[dict[str, Any]] = {
    "stdin": subprocess.PIPE,
    "stdout": subprocess.PIPE,
    "stderr": subprocess.DEVNULL,
    "start_new_session": True,  # ctrl+C and a closed terminal are for who started it
    "creationflags": getattr(subprocess, "CREATE_NO_WINDOW", 0),
}
"""How such a process is started."""

_START: Final = (
    "import sys, json; sys.path[:] = json.loads(sys.argv[1]);"
    "from importlib import import_module; import_module(sys.argv[2]).main(json.loads(sys.argv[3]))"
)


def command(module: str, settings: object) -> list[str]:
    """Return the words that start a process, which calls ``main`` of a module with these settings,
    anything that JSON can hold. It finds the modules that this one has, in the same places."""
    # An empty entry is the working folder, where a file named like a module may lie in wait; -P
    # keeps that off the path until _START sets the whole path.
    here = str(Path(__file__).resolve().parents[1])
    places = [here, *(os.path.abspath(place) for place in sys.path if place)]
    return [
        *(sys.executable, "-P", "-c", _START),
        *(json.dumps(places), module, json.dumps(settings)),
    ]


def take_streams() -> tuple[IO[bytes], IO[bytes]]:
    """Return standard input and output of the process that was started, for messages alone: what a
    library prints goes nowhere. Who started it decides what ctrl+C stops."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    coming, going = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "r+b") as nothing:
        os.dup2(nothing.fileno(), 0)
        os.dup2(nothing.fileno(), 1)
    return coming, going


def pack(message: tuple[Any, ...]) -> bytes:
    """Return a message as it is sent."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    return LENGTH.pack(len(data)) + data


def unpack(data: bytes) -> tuple[Any, ...]:
    """Return the message that was packed, without its length."""
    message: tuple[Any, ...] = pickle.loads(data)  # noqa: S301 - written by our own process
    return message


def write(stream: IO[bytes], message: tuple[Any, ...]) -> None:
    """Write a message. Raises OSError if nobody reads."""
    stream.write(pack(message))
    stream.flush()


def read(stream: IO[bytes]) -> tuple[Any, ...]:
    """Read a message. Raises EOFError if the other side is gone."""
    (length,) = LENGTH.unpack(read_exactly(stream, LENGTH.size))
    return unpack(read_exactly(stream, length))


def read_exactly(stream: IO[bytes], size: int) -> bytes:
    """Read ``size`` bytes. Raises EOFError if there are fewer."""
    data = stream.read(size)
    if len(data) < size:
        raise EOFError
    return data


def memory() -> int:
    """Return the bytes of memory that this process has, 0 where that is not known."""
    try:
        # Not the peak of `getrusage`: a process inherits that of the one that started it.
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
        return pages * os.sysconf("SC_PAGE_SIZE")
    except (OSError, ValueError, IndexError, AttributeError):
        pass
    try:
        import resource
    except ImportError:  # Windows
        return 0
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
