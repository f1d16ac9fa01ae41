"""A llama-server of one's own, on a free port of this machine."""

from __future__ import annotations

import re
import subprocess
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

SLOTS = 4
"""Requests the server works on at once; n may not be more."""

CONTEXT = 16_384
"""Tokens of a prompt and its answer."""

LONGEST = 2_048
"""Tokens of an answer: a random model may never end one of its own accord."""

PATIENCE = 10.0
"""Seconds that the server has to end."""

_LISTENING = re.compile(r"listening on (http://\S+)")


@contextmanager
def llama_server(binary: Path, weights: Path, *options: str) -> Iterator[str]:
    """The server, with those options besides, for the length of a ``with``; gives the address
    that clients are given. Raises RuntimeError, with what it wrote, where it does not start."""
    process = subprocess.Popen(
        [
            *(binary, "--model", weights, "--host", "127.0.0.1", "--port", "0", "--offline"),
            *("--parallel", str(SLOTS), "--ctx-size", str(SLOTS * CONTEXT)),
            *("--predict", str(LONGEST), "--threads", "1", *options),
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
    )
    assert process.stderr is not None
    with process, process.stderr as log:
        address = _address(log)
        reading = threading.Thread(target=deque, args=(log, 0))  # a full pipe would stop the server
        reading.start()
        try:
            yield f"{address}/v1"
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()  # it waits for clients that do not hang up
            reading.join()


def _address(log: Iterable[str]) -> str:
    """Where the server listens, once it says so: the model is loaded by then."""
    written = []
    for line in log:
        if found := _LISTENING.search(line):
            return found[1]
        written.append(line)
    raise RuntimeError("llama-server did not start:\n" + "".join(written[-20:]))
