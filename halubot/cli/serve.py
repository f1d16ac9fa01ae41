"""`halubot serve`: checks and corrections over HTTP."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

import click

from halubot.cli import tell
from halubot.cli.parameters import Command, own, shown_by
from halubot.cli.tui import listening
from halubot.errors import MissingExtraError, SettingError
from halubot.listener import is_loopback, listen
from halubot.options import FILE, whole

DEADLINE_SECONDS = 60.0
"""How long a check may take if nothing else is said: clients wait no longer."""


@click.command(
    cls=Command,
    params=[
        *listening(),
        own(
            "token_file",
            "A file with the token that requests must carry (Authorization: Bearer TOKEN). Without"
            " one the service listens on this machine alone.",
            FILE,
        ),
        own("at_once", "Run N checks at the same time.", whole(1), default=4),
        own("waiting", "Let N more wait; others get status 429.", whole(0), default=32),
        own("max_body", "The largest request.", whole(1, metavar="KB"), default=1024),
        *shown_by("checks", also=("question",)),
    ],
)
def command(
    *,
    host: str,
    port: int,
    token_file: Path | None,
    at_once: int,
    waiting: int,
    max_body: int,
    **given: Any,
) -> int:
    """Check and correct texts for other programs, over HTTP.

    The options hold for every check: what it is compared with beside the texts of the request, the
    model, and what it may spend in all. The page at the printed address is for people;
    /openapi.json describes the service for programs (docs/service.md). ctrl+C ends it.

    The terminal app in a browser is `halubot tui --browser`.
    """
    if find_spec("starlette") is None or find_spec("uvicorn") is None:
        raise MissingExtraError("halubot serve", "service")
    from halubot.batch.message import by_name
    from halubot.cli import hosted, input_files, output
    from halubot.inputs import Options
    from halubot.service.http_server import make_server, read_token
    from halubot.service.pages import Limits, build

    token = read_token(token_file)
    if token is None and not is_loopback(host):
        raise SettingError(
            f"on {host} other machines can ask: name a --token-file, or listen at 127.0.0.1"
        )
    if not is_loopback(host):
        tell(
            f"what goes to {host} is not encrypted: put a proxy with TLS before it, such as Caddy"
            " or nginx"
        )
    if given["deadline"] is None:
        given["deadline"] = DEADLINE_SECONDS
    with input_files.comparing(**given) as comparing, listen(host, port) as at:
        hosted.load_library(comparing)
        # Each process that checks opens them itself.
        shared = by_name(comparing) | Options(knowledge=given["knowledge"])
        limits = Limits(at_once=at_once, waiting=waiting, body=max_body << 10)
        # RFC 3986 (section 3.2.2): an IPv6 address stands in brackets.
        name = f"[{host}]" if ":" in host else host
        app = build(shared, limits, token=token, host=host, apart=True)
        # Said when the socket listens: who starts it as a program may connect at once. With port 0
        # only the socket knows it.
        output.say(f"halubot is at http://{name}:{at.getsockname()[1]}/ (ctrl+C ends it)")
        make_server(app, at).run(sockets=[at])
    return 0
