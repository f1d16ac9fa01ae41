"""A web page as a reference: one request, as a browser of a person would make it.

Whoever names an address decides if this machine connects to. That is fine on a person's own
machine; a service must not let strangers reach what only its own network reaches. So with
``public_only`` each name is looked up once, refused if any of its addresses is private, and the
connection goes to the address that was looked at (a name may mean another machine the next time).
"""

from __future__ import annotations

import ipaddress
import socket
import time
import zlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import urljoin, urlsplit
from urllib.request import getproxies, proxy_bypass

from halubot import offline
from halubot.concurrency import begin
from halubot.errors import SettingError, UnreadableError
from halubot.evidence import text_source
from halubot.evidence.files import contents_of
from halubot.report import Source
from halubot.version import __version__

if TYPE_CHECKING:
    import httpx

LARGEST: Final = 16 << 20
"""The most bytes of a page, once unpacked."""

TIMEOUT_SECONDS: Final = 20.0
"""How long a page may take, all redirects included."""

MOST_REDIRECTS: Final = 5

_AGENT: Final = f"halubot/{__version__} (a person asked for this page)"
_ACCEPT: Final = "text/html, application/pdf, text/plain;q=0.9, */*;q=0.5"


class Page(NamedTuple):
    """What a server sent: ``address`` is where the last redirect led."""

    data: bytes
    headers: Mapping[str, str]
    address: str
    status: int = 200


Connect = Callable[[str, int], tuple[str, int]]
"""The IP address and the port to connect to for a host and a port. Raises UnreadableError for a
host that must not be reached."""


def download(address: str, *, public_only: bool = False, seconds: float | None = None) -> Source:
    """Return a page of the web as a reference: HTML, PDF, DOCX or text. ``public_only`` is for
    services: it refuses addresses that are not reached from everywhere. It may take ``seconds``,
    or `TIMEOUT_SECONDS` if these are fewer.

    Raises SettingError if the network is refused, UnreadableError if there is no such page, if it
    is too large, and for a redirect from a public machine to a private one; and what
    `halubot.evidence.files.contents_of` raises.
    """
    if offline.is_refused():
        raise SettingError(f"--offline makes no request for {address}: save it, and name the file")
    try:
        netloc = urlsplit(address).netloc
    except ValueError as error:
        raise UnreadableError(address, f"it is no address: {error}") from error
    if "@" in netloc:
        raise SettingError("an address with a user or a password would stand in the report")
    return source_of_page(fetch(address, public_only=public_only, seconds=seconds), address)


def fetch(
    address: str,
    *,
    public_only: bool = True,
    seconds: float | None = None,
    largest: int = LARGEST,
    connect: Connect | None = None,
    any_status: bool = False,
    method: str = "GET",
) -> Page:
    """Return what is at an address, unpacked, at most ``largest`` bytes of it. ``connect`` says
    where to connect to in place of looking up the name. With ``any_status`` no status is an error;
    the body is read of a 200 alone. Raises UnreadableError as `download` does."""
    limit = TIMEOUT_SECONDS if seconds is None else min(seconds, TIMEOUT_SECONDS)
    asked = _Asked(address, time.monotonic() + limit, limit, largest, connect, any_status, method)
    # Looking up a name, and a server that sends its head letter by letter, know no limit of time.
    fetched = begin(lambda: _follow(asked, public_only), "halubot downloads")
    try:
        return fetched.result(limit)
    except TimeoutError:
        raise _late(asked) from None


class _Asked(NamedTuple):
    address: str
    until: float
    limit: float
    largest: int
    connect: Connect | None
    any_status: bool
    method: str


def _follow(asked: _Asked, public_only: bool) -> Page:
    address = asked.address
    # A page of the web may not make a person's machine look into their own network, by another
    # name or by its own, which may mean another machine at the next look.
    own = public_only or _is_private(address)
    here = address
    for _ in range(MOST_REDIRECTS + 1):
        away = host_of(here) != host_of(address) or (here != address and not own)
        found = _request(here, asked, public_only or away)
        if isinstance(found, Page):
            return found
        here = found
    raise UnreadableError(address, f"it redirects more than {MOST_REDIRECTS} times")


def _is_private(address: str) -> bool:
    """Return True if a person named a machine of their own network, or one that only a proxy can
    look up, which then connects in their place."""
    host = host_of(address)
    proxies = getproxies()
    if (proxies.get(urlsplit(address).scheme) or proxies.get("all")) and not proxy_bypass(host):
        return True
    try:
        found = socket.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return False
    return not all(is_public(str(place[0])) for *_, place in found)


def _request(here: str, asked: _Asked, public_only: bool) -> Page | str:
    """Return the page, or the address that it redirects to."""
    import httpx

    from halubot.network import tls_context

    address = asked.address
    try:
        url = httpx.URL(here)
        if url.scheme not in ("http", "https") or not url.host:
            raise UnreadableError(address, f"it redirects to {here:.200}, which is no web page")
        if url.userinfo:
            raise UnreadableError(address, "it redirects to an address with a user or a password")
        # Each further packing may unpack a small piece to gigabytes at once, as zstd does.
        headers = {"User-Agent": _AGENT, "Accept": _ACCEPT, "Accept-Encoding": "gzip"}
        extensions: dict[str, Any] = {}
        if public_only:
            headers["Host"] = url.netloc.decode("ascii").rpartition("@")[2]
            extensions["sni_hostname"] = url.raw_host.decode("ascii")
            port = url.port or (443 if url.scheme == "https" else 80)
            connect = asked.connect or (lambda host, port: (public_address(host, port), port))
            try:
                ip, port = connect(url.host, port)
            except UnreadableError as error:
                raise UnreadableError(address, error.why) from error
            url = url.copy_with(host=ip, port=port)
        # A proxy would look the name up by itself.
        around = not public_only
        tls = tls_context(trust_env=around)
        with (
            httpx.Client(trust_env=around, timeout=asked.limit / 2, verify=tls) as client,
            client.stream(asked.method, url, headers=headers, extensions=extensions) as response,
        ):
            if response.has_redirect_location:
                return urljoin(here, response.headers["location"])
            status, headers_of = response.status_code, dict(response.headers)
            if status != httpx.codes.OK and not asked.any_status:
                raise UnreadableError(address, f"the server answered {status}")
            data = _body(response, asked) if status == httpx.codes.OK else b""
            return Page(data, headers_of, here, status)
    except httpx.TimeoutException as error:
        raise _late(asked) from error
    except zlib.error as error:
        raise UnreadableError(address, f"it cannot be unpacked: {error}") from error
    # The last ones are those of the proxy and the certificates of the machine.
    except (httpx.HTTPError, httpx.InvalidURL, ValueError, OSError, ImportError) as error:
        why = str(error) or type(error).__name__
        if _is_unknown(error):
            why = f"there is no machine {host_of(here)}, or no network"
        raise UnreadableError(address, why) from error


def _body(response: httpx.Response, asked: _Asked) -> bytes:
    from halubot.network import make_unpacker

    gzip = make_unpacker(response.headers.get("content-encoding", ""))
    data = bytearray()
    for raw in response.iter_raw():
        data += raw if gzip is None else gzip.decompress(raw, asked.largest + 1 - len(data))
        if len(data) > asked.largest:
            raise UnreadableError(asked.address, f"it is larger than {asked.largest >> 20} MiB")
        if time.monotonic() > asked.until:
            raise _late(asked)
    return bytes(data)


def _is_unknown(error: BaseException | None) -> bool:
    """Return True if a name without an address is behind an error."""
    while error is not None and not isinstance(error, socket.gaierror):
        error = error.__cause__ or error.__context__
    return error is not None


def _late(asked: _Asked) -> UnreadableError:
    return UnreadableError(asked.address, f"it did not come within {asked.limit:.3g} s")


def public_address(host: str, port: int) -> str:
    """Return the IP address to connect to. Raises UnreadableError if any that the name has is not
    reached from everywhere."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise UnreadableError(host, f"there is no machine {host}, or no network") from error
    for *_, place in found:
        if not is_public(str(place[0])):
            raise UnreadableError(host, f"{host} is in a private network")
    return str(found[0][4][0])


def is_public(ip: str) -> bool:
    """Return True if an IP address is reached from everywhere: not one of this machine, of a
    private network, of a provider's own metadata service, or of many machines at once."""
    try:
        place = ipaddress.ip_address(ip.partition("%")[0])
    except ValueError:
        return False
    # An IPv6 address may hold the private IPv4 address that a gateway would connect to.
    inner = [getattr(place, name, None) for name in ("ipv4_mapped", "sixtofour")]
    inner += list(getattr(place, "teredo", None) or ())
    if place in _NAT64:
        inner.append(ipaddress.IPv4Address(int(place) & 0xFFFFFFFF))
    return all(one.is_global and not one.is_multicast for one in (place, *inner) if one is not None)


_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")


def host_of(address: str) -> str:
    """The host of an address, "" if it has none."""
    try:
        return (urlsplit(address).hostname or "").lower()
    except ValueError:
        return ""


def source_of_page(page: Page, address: str) -> Source:
    """Return a page as a reference. Raises what `halubot.evidence.files.contents_of` raises."""
    kind, _, rest = page.headers.get("content-type", "").lower().partition(";")
    charset = rest.partition("charset=")[2].split(";")[0].strip(" \"'")
    data, kind = page.data, kind.strip()
    if kind in ("text/html", "application/xhtml+xml"):
        if charset:  # what the server says comes before what the page says
            data = f'<meta charset="{charset}">'.encode("ascii", "replace") + data
        text, title = contents_of(data, address, format="html")
    elif kind.startswith("text/") and charset:
        text, title = contents_of(_in_utf8(data, charset), address)
    else:
        text, title = contents_of(data, address)
    return text_source(text, "reference", 1, title=title or address, location=address)


def _in_utf8(data: bytes, charset: str) -> bytes:
    try:
        return data.decode(charset, "replace").encode()
    except (LookupError, UnicodeError):
        return data
