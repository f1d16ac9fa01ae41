"""Messages as requests write and edit them: bodies read, examined, applied, mentions rung."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from tests.discord_peer import limits, payloads
from tests.discord_peer.world import COMPONENTS_V2, Channel, Message, Payload, User, World, each

if TYPE_CHECKING:
    from aiohttp import web

SETTABLE: Final = (1 << 2) | (1 << 6) | (1 << 12) | COMPONENTS_V2
"""Flags a message may be sent with: no embeds, ephemeral, silent, Components V2."""


async def read(request: web.Request) -> Payload:
    """The body of a request in JSON; what uploads files is not known here."""
    raw = await request.read()
    return json.loads(raw) if raw else {}


def new(world: World, channel: Channel, author: User, body: Payload, **given: object) -> Message:
    """A message of a body, examined; ``given`` are fields of it that the body does not tell."""
    flags = int(body.get("flags") or 0) & SETTABLE
    content = (body.get("content") or "").strip()
    limits.message(body | {"content": content}, flags)
    nonce = None if body.get("nonce") is None else str(body["nonce"])
    message = world.message(channel, author, content=content, flags=flags, nonce=nonce, **given)
    message.components = _numbered(body.get("components") or [])
    ring(message, body.get("allowed_mentions"))
    message.versions.append(payloads.of_message(message))
    return message


def edit(world: World, message: Message, body: Payload) -> None:
    """Changes a message as a body says: fields it does not name stay as they are. It rings for
    nobody."""
    flags = message.flags | (int(body.get("flags") or 0) & COMPONENTS_V2)
    content = (body["content"] or "").strip() if "content" in body else message.content
    components = body["components"] or [] if "components" in body else message.components
    limits.message({"content": content, "components": components}, flags)
    message.content, message.flags = content, flags & ~(1 << 7)
    message.components = _numbered(components)
    message.edited = world.clock.now()
    message.versions.append(payloads.of_message(message))


def _numbered(components: list[Payload]) -> list[Payload]:
    """Components as Discord keeps them: with ids."""
    made: list[Payload] = json.loads(json.dumps(components))
    for number, part in enumerate(each(made), start=1):
        part["id"] = number
    return made


def ring(message: Message, allowed: Payload | None) -> None:
    """Notes who is rung: without ``allowed_mentions`` all that the text names, and the author of
    the message replied to."""
    listed = allowed or {}
    kinds = {"users", "everyone"} if allowed is None else set(listed.get("parse") or ())
    if message.ephemeral_to is not None:
        return
    if "users" in kinds:
        message.pinged |= {int(one) for one in re.findall(r"<@[!&]?(\d+)>", message.text)}
    if "everyone" in kinds and re.search(r"@(everyone|here)\b", message.text):
        message.pinged.add("everyone")
    if message.reply_to and (allowed is None or listed.get("replied_user")):
        message.pinged.add(message.reply_to.author.id)
