"""A PostgreSQL of this machine, for tests: its own folder, loopback alone, gone afterwards."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

PATIENCE = 60.0


def find_programs() -> Path | None:
    """Return the folder of the server's programs; None if it is not installed."""
    found = [Path(one).parent for one in [shutil.which("initdb")] if one]
    return next(
        iter([*sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True), *found]), None
    )


class Postgres:
    """A server; ``url`` is its address."""

    def __init__(self, folder: Path, programs: Path) -> None:
        self._programs = programs
        self._data = folder / "data"
        # A server refuses to run as root.
        self._user = "postgres" if os.geteuid() == 0 else None
        if self._user:
            shutil.chown(folder, self._user)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port: int = free.getsockname()[1]
        self._run("initdb", "-D", str(self._data), "-A", "trust", "-U", "halubot", "--no-sync")
        self.start()

    @property
    def url(self) -> str:
        return f"postgresql://halubot@127.0.0.1:{self.port}/postgres"

    def start(self) -> None:
        """Start it, also after it was killed."""
        options = f"-p {self.port} -c listen_addresses=127.0.0.1 -c unix_socket_directories=''"
        log = str(self._data / "log")
        self._run("pg_ctl", "-D", str(self._data), "-o", options, "-l", log, "-w", "start")

    def kill(self) -> None:
        """Kill it and all its processes at once."""
        self._run("pg_ctl", "-D", str(self._data), "-m", "immediate", "-w", "stop")

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to all its processes."""
        main = int((self._data / "postmaster.pid").read_text().splitlines()[0])
        listed = subprocess.run(
            ["/bin/ps", "-eo", "pid=,ppid="], capture_output=True, text=True, check=True
        )
        pairs = [tuple(map(int, line.split())) for line in listed.stdout.splitlines()]
        for pid in [main, *(one for one, parent in pairs if parent == main)]:
            with suppress(ProcessLookupError):  # it ended meanwhile
                os.kill(pid, number)

    def _run(self, program: str, *words: str) -> None:
        subprocess.run(
            [self._programs / program, *words],
            check=True,
            user=self._user,
            cwd="/",
            stdout=subprocess.DEVNULL,
            timeout=PATIENCE,
        )


@contextmanager
def postgres() -> Iterator[Postgres]:
    """A server of its own."""
    programs = find_programs()
    assert programs is not None
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        server = Postgres(Path(folder), programs)
        try:
            yield server
        finally:
            server.signal(signal.SIGCONT)
            server.kill()
