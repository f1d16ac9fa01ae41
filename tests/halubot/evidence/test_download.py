"""A page of the web as a reference: one request, within limits, to no private address."""

from __future__ import annotations

import gzip
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from halubot.errors import SettingError, UnreadableError
from halubot.evidence import download as module
from halubot.evidence.download import download
from halubot.offline import network_refused

PAGE = b"<title>Ada</title><p>She was born in 1815.</p>"
Reply = Callable[[BaseHTTPRequestHandler], None]


class Site:
    """A web server of this machine; ``reply`` answers, ``asked`` are the requests."""

    def __init__(self) -> None:
        site = self
        self.reply: Reply = page(PAGE)
        self.asked: list[tuple[str, dict[str, str]]] = []

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append((self.path, {k.lower(): v for k, v in self.headers.items()}))
                with suppress(OSError):  # the client may have gone
                    site.reply(self)

            def log_message(self, *_: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.port = self._server.server_port
        self.address = f"http://127.0.0.1:{self.port}/ada"
        threading.Thread(target=self._server.serve_forever, args=(0.01,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()


def page(data: bytes, status: int = 200, **headers: str) -> Reply:
    """A reply with these headers, whose names are written with _ for -."""

    def reply(request: BaseHTTPRequestHandler) -> None:
        request.send_response(status)
        for name, value in ({"Content_Type": "text/html"} | headers).items():
            request.send_header(name.replace("_", "-"), value)
        request.end_headers()
        request.wfile.write(data)

    return reply


@pytest.fixture(autouse=True)
def patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """On a busy machine nothing comes too late but what is meant to."""
    monkeypatch.setattr(module, "TIMEOUT_SECONDS", 600.0)


@pytest.fixture
def site() -> Iterator[Site]:
    one = Site()
    yield one
    one.close()


def test_one_polite_request(site: Site) -> None:
    source = download(site.address)
    assert (source.title, source.text) == ("Ada", "She was born in 1815.")
    assert (source.kind, source.location) == ("reference", site.address)
    assert [path for path, _ in site.asked] == ["/ada"]
    assert site.asked[0][1]["user-agent"].startswith("halubot/")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("reply", "why"),
    [
        (page(b"", 404), "the server answered 404"),
        (page(b"x", 500), "the server answered 500"),
        (
            page(b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR" + bytes(50), Content_Type="image/png"),
            "binary",
        ),
        (page(b"", 302, Location="file:///etc/passwd"), "which is no web page"),
        (page(b"", 302, Location="http://u:p@localhost/ada"), "a user or a password"),
        (page(b"", 302, Location="/ada"), "redirects more than 5 times"),
        (page(gzip.compress(bytes(17 << 20), 1), Content_Encoding="gzip"), "larger than 16 MiB"),
        (page(b"not gzip", Content_Encoding="gzip"), "cannot be unpacked"),
        (page(b"", Content_Encoding="zstd"), "packed in a way that was not asked for"),
        (page(b"", Content_Encoding="gzip, gzip"), "packed in a way that was not asked for"),
    ],
    ids=["404", "500", "picture", "file", "password", "circle", "bomb", "broken", "zstd", "twice"],
)
def test_what_is_no_page_is_refused(site: Site, reply: Reply, why: str) -> None:
    site.reply = reply
    with pytest.raises(UnreadableError, match=why):
        download(site.address)
    assert len(site.asked) <= 6


def test_an_endless_page_is_cut_off(site: Site) -> None:
    def endless(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.end_headers()
        while True:
            request.wfile.write(b"x" * (1 << 16))

    site.reply = endless
    with pytest.raises(UnreadableError, match="larger than 16 MiB"):
        download(site.address)


def test_a_slow_page_is_given_up(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "TIMEOUT_SECONDS", 0.2)
    gone = threading.Event()

    def slow(request: BaseHTTPRequestHandler) -> None:
        request.send_response(200)
        request.end_headers()
        while not gone.wait(0.05):
            request.wfile.write(b"x")

    site.reply = slow
    with pytest.raises(UnreadableError, match="did not come within"):
        download(site.address)
    gone.set()


def test_a_redirect_to_another_private_machine_is_refused(site: Site) -> None:
    other = Site()
    site.reply = page(b"", 302, Location=f"http://localhost:{other.port}/secret")
    with pytest.raises(UnreadableError, match="localhost is in a private network"):
        download(site.address)
    assert other.asked == []
    other.close()


def test_the_same_name_may_not_mean_a_private_machine_after_a_redirect(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = socket.getaddrinfo
    looked: list[str] = []

    def look(host: Any, *args: Any, **more: Any) -> Any:
        if host != "pages.example":
            return real(host, *args, **more)
        looked.append(host)
        if len(looked) == 1:
            return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", ("93.184.215.14", 0))]
        return real("127.0.0.1", *args, **more)

    monkeypatch.setattr(socket, "getaddrinfo", look)
    site.reply = page(b"", 302, Location="/secret")
    with pytest.raises(UnreadableError, match=r"pages\.example is in a private network"):
        download(f"http://pages.example:{site.port}/ada")
    assert [path for path, _ in site.asked] == ["/ada"]


def test_a_head_that_comes_letter_by_letter_is_given_up(site: Site) -> None:
    gone = threading.Event()

    def slow(request: BaseHTTPRequestHandler) -> None:
        request.wfile.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
        while not gone.wait(0.01):
            request.wfile.write(b"x")

    site.reply = slow
    with pytest.raises(UnreadableError, match=r"did not come within 0\.2 s"):
        download(site.address, seconds=0.2)
    gone.set()


def test_a_service_reaches_no_private_address(site: Site) -> None:
    for host in ("127.0.0.1", "localhost", "[::1]"):
        with pytest.raises(UnreadableError, match="in a private network"):
            download(f"http://{host}:{site.port}/ada", public_only=True)
    assert site.asked == []


@pytest.mark.parametrize(
    "host", ["2130706433", "0x7f.1", "127.1", "0", "[::ffff:127.0.0.1]", "me.test"]
)
def test_however_a_private_address_is_written(
    site: Site, monkeypatch: pytest.MonkeyPatch, host: str
) -> None:
    real = socket.getaddrinfo
    monkeypatch.setattr(socket, "getaddrinfo", lambda _, *args, **more: real("::1", *args, **more))
    with pytest.raises(UnreadableError, match="in a private network"):
        download(f"http://{host}:{site.port}/ada", public_only=True)
    assert site.asked == []


def test_a_service_connects_to_the_address_that_it_looked_at(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The name means a public machine at the first look, and this one from then on.
    looked: list[str] = []
    real = socket.getaddrinfo

    def look(host: Any, *args: Any, **more: Any) -> Any:
        looked.append(host)
        if host == "pages.example":
            return real("127.0.0.1", *args, **more)
        return real(host, *args, **more)

    monkeypatch.setattr(socket, "getaddrinfo", look)
    monkeypatch.setattr(module, "is_public", lambda _: True)
    assert download(f"http://pages.example:{site.port}/ada", public_only=True).title == "Ada"
    assert looked.count("pages.example") == 1
    assert site.asked[0][1]["host"] == f"pages.example:{site.port}"


@pytest.mark.parametrize("public_only", [True, False])
def test_without_a_network_it_says_so(public_only: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    def nowhere(*_: object, **__: object) -> None:
        raise socket.gaierror(-2, "Name or service not known")

    monkeypatch.setattr("socket.getaddrinfo", nowhere)
    with pytest.raises(UnreadableError, match=r"machine.*, or no network"):
        download("https://pages.example/ada", public_only=public_only)


def test_offline_makes_no_request(site: Site) -> None:
    with network_refused(), pytest.raises(SettingError, match="--offline makes no request"):
        download(site.address)
    assert site.asked == []


def test_a_password_in_an_address_is_refused(site: Site) -> None:
    with pytest.raises(SettingError, match="would stand in the report"):
        download(site.address.replace("//", "//me:secret@"))
    assert site.asked == []
