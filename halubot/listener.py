"""Listening at an address of this machine, for the service and for the app in a browser."""

from __future__ import annotations

import ipaddress
import socket

from halubot.errors import HalubotError, explain


def is_loopback(host: str) -> bool:
    """Return True if only this machine reaches the address."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens there; port 0 is any that is free. Raises HalubotError."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        at = socket.create_server(address[:2], family=family, backlog=128)
    except (OSError, UnicodeError) as error:
        why = explain(error).partition(" (")[0]  # create_server adds the address again
        raise HalubotError(
            f"cannot listen at {host}, port {port}: {why}; --host and --port name another place"
        ) from error
    # asyncio turns Nagle's algorithm off only for sockets that name their protocol; with it every
    # answer waits 40 ms for an acknowledgement.
    return socket.socket(at.family, at.type, socket.IPPROTO_TCP, fileno=at.detach())
