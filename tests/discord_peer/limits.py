"""Discord's limits of what is sent: messages, components, commands.

Each function examines a body and raises the refusal that Discord would answer (50035). Lengths are
counted in UTF-16 code units.
"""

from __future__ import annotations

import re
from typing import Final

from tests.discord_peer.refusals import Refusal, demand
from tests.discord_peer.world import COMPONENTS_V2, Payload, each

V2_TEXT: Final = 4_000
FILE_SIZE: Final = 10 * 1024 * 1024

ROW, BUTTON, SELECT, TEXT, CONTAINER = 1, 2, 3, 10, 17
SELECTS: Final = {3, 5, 6, 7, 8}


def _size(text: object) -> int:
    return len(str(text or "").encode("utf-16-le", "surrogatepass")) // 2


def _fits(part: Payload, name: str, most: int, least: int = 0) -> None:
    demand(least <= _size(part.get(name)) <= most, f"{name}: {least} to {most} in length")


def message(body: Payload, flags: int) -> None:
    """Examines a message as it would be after the request."""
    _fits(body, "content", 2_000)
    _fits(body, "nonce", 25)
    components = body.get("components") or []
    if flags & COMPONENTS_V2:
        demand(not body.get("content"), "content cannot be used with Components V2")
    parts = list(each(components))
    demand(len(parts) <= 40, "more than 40 components")
    written = sum(_size(part.get("content")) for part in parts if part["type"] == TEXT)
    demand(written <= V2_TEXT, f"displayable text exceeds {V2_TEXT}")
    for name in ("custom_id", "id"):
        used = [part[name] for part in parts if part.get(name)]
        demand(len(used) == len(set(used)), f"a {name} is duplicated")
    for part in components:
        _part(part, {TEXT, CONTAINER, ROW} if flags & COMPONENTS_V2 else {ROW})
    if not (components or body.get("content")):
        raise Refusal(50006)


def _part(part: Payload, among: set[int]) -> None:
    kind, inner = part.get("type"), part.get("components") or []
    demand(kind in among, f"type {kind} is not one of {sorted(among)}")
    within: set[int] = set()
    if kind == ROW:
        demand(1 <= len(inner) <= 5, "a row has 1 to 5 components")
        within = {BUTTON} | (SELECTS if len(inner) == 1 else set())
    elif kind == CONTAINER:
        within = {ROW, TEXT}
    elif kind == TEXT:
        _fits(part, "content", V2_TEXT, 1)
    elif kind == BUTTON:
        _fits(part, "label", 80, 1)
        _fits(part, "custom_id", 100, 1)
    else:
        _select(part)
    for one in inner:
        _part(one, within)


def _select(select: Payload) -> None:
    _fits(select, "custom_id", 100, 1)
    _fits(select, "placeholder", 150)
    if select["type"] == SELECT:
        options = select.get("options") or []
        demand(1 <= len(options) <= 25, "a menu has 1 to 25 options")
        for option in options:
            _fits(option, "label", 100, 1)
            _fits(option, "value", 100, 1)
            _fits(option, "description", 100)
        values = {option.get("value") for option in options}
        demand(len(values) == len(options), "an option's value is duplicated")


def commands(bodies: list[Payload]) -> None:
    """Examines the commands of an application: 100 slash commands, 5 menus of a kind."""
    names = [(body.get("type", 1), body.get("name")) for body in bodies]
    demand(len(names) == len(set(names)), "the names of commands must be unique")
    kinds = [kind for kind, _ in names]
    demand(kinds.count(1) <= 100 and kinds.count(3) <= 5, "too many commands")
    for body in bodies:
        if body.get("type", 1) == 1:
            _option(body)
        else:
            _fits(body, "name", 32, 1)
            demand(not body.get("description"), "a menu has no description")


def _option(body: Payload) -> None:
    _fits(body, "description", 100, 1)
    name, options = str(body.get("name")), body.get("options") or []
    demand(re.fullmatch(r"[-_'\w]{1,32}", name) is not None and name == name.lower(), name)
    demand(len(options) <= 25, "more than 25 options")
    needed = [bool(option.get("required")) for option in options]
    demand(needed == sorted(needed, reverse=True), "required options come first")
    for option in options:
        _option(option)
