"""A hub on this machine that serves models as huggingface.co does: what is known of a repository
at a revision, and its files, whole or from a place on."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

LARGE: Final = 2_000
"""Bytes from which on a file is kept apart, with a SHA-256."""

COMMIT: Final = "a" * 40


@dataclass
class Hub:
    """``files`` of the one repository, by name. ``announced`` are other checksums than theirs,
    ``asked`` what was asked for: method, path and the range."""

    address: str
    repository: str
    files: dict[str, bytes]
    licence: str = "apache-2.0"
    revisions: dict[str, str] = field(default_factory=lambda: {"main": COMMIT, COMMIT: COMMIT})
    announced: dict[str, str] = field(default_factory=dict)
    sizes: dict[str, int] = field(default_factory=dict)
    asked: list[tuple[str, str, str]] = field(default_factory=list)

    def told(self, commit: str) -> dict[str, Any]:
        """What the hub says of the repository."""
        return {
            "id": self.repository,
            "sha": commit,
            "tags": [f"license:{self.licence}"] if self.licence else [],
            "siblings": [self._file(name, data) for name, data in self.files.items()],
        }

    def _file(self, name: str, data: bytes) -> dict[str, Any]:
        blob = hashlib.sha1(b"blob %d\0" % len(data) + data, usedforsecurity=False).hexdigest()
        size = self.sizes.get(name, len(data))
        found: dict[str, Any] = {"rfilename": name, "size": size, "blobId": blob}
        if len(data) >= LARGE:
            digest = self.announced.get(name) or hashlib.sha256(data).hexdigest()
            found["lfs"] = {"sha256": digest, "size": size, "pointerSize": 130}
        elif name in self.announced:
            found["blobId"] = self.announced[name]
        return found


@contextmanager
def hub(repository: str, folder: Path) -> Iterator[Hub]:
    """Serve the files of a folder as a repository; stops at the end."""
    files = {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
    served: list[Hub] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True  # else an answer waits 40 ms behind its own headers

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            here = served[0]
            path = unquote(urlsplit(self.path).path)
            here.asked.append(("GET", path, self.headers.get("Range", "")))
            api = f"/api/models/{here.repository}/revision/"
            if path.startswith(api):
                commit = here.revisions.get(path.removeprefix(api))
                if commit is None:
                    return self._answer(404, {"X-Error-Code": "RevisionNotFound"}, b"{}")
                kind = {"Content-Type": "application/json"}
                return self._answer(200, kind, json.dumps(here.told(commit)).encode())
            _, _, rest = path.partition(f"/{here.repository}/resolve/")
            revision, _, name = rest.partition("/")
            if revision not in here.revisions or name not in here.files:
                return self._answer(404, {"X-Error-Code": "RepoNotFound"}, b"{}")
            data = here.files[name]
            start = self.headers.get("Range", "").removeprefix("bytes=").rstrip("-")
            if not start:
                return self._answer(200, {}, data)
            place = f"bytes {start}-{len(data) - 1}/{len(data)}"
            return self._answer(206, {"Content-Range": place}, data[int(start) :])

        def _answer(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    served.append(Hub(f"http://127.0.0.1:{server.server_address[1]}", repository, files))
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    try:
        yield served[0]
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
