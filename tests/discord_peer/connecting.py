"""How a client comes to the loopback Discord under Discord's own addresses, and to nothing else."""

from __future__ import annotations

import socket
import ssl
from functools import cache
from typing import Final

import aiohttp
import trustme
from aiohttp.abc import AbstractResolver, ResolveResult

HOSTS: Final = ("discord.com", "*.discord.gg", "*.discordapp.com", "*.discordapp.net")


@cache
def authority() -> trustme.CA:
    """The authority of this process, which nobody else trusts."""
    return trustme.CA()


def server_context() -> ssl.SSLContext:
    """What the loopback Discord shows: a certificate of Discord's names."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority().issue_cert(*HOSTS).configure_cert(context)
    return context


class _Loopback(AbstractResolver):
    """Finds every host on this machine, at one port; asks no name server."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def resolve(
        self, host: str, port: int = 0, family: socket.AddressFamily = socket.AF_INET
    ) -> list[ResolveResult]:
        """The loopback address, for any name."""
        return [
            ResolveResult(
                hostname=host,
                host="127.0.0.1",
                port=self._port,
                family=socket.AF_INET,
                proto=0,
                flags=socket.AI_NUMERICHOST,
            )
        ]

    async def close(self) -> None:
        """Nothing is held."""


def connector(port: int, certificate: bytes) -> aiohttp.TCPConnector:
    """What a client connects with: every host is the loopback Discord at this port, trusted by
    the ``certificate`` of its authority (PEM). Another process can use it as well."""
    context = ssl.create_default_context(cadata=certificate.decode())
    return aiohttp.TCPConnector(limit=0, resolver=_Loopback(port), ssl=context)
