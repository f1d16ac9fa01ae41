"""Messages as requests write and edit them: bodies read, examined, applied, mentions rung."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Final

from tests.discord_peer import limits, payloads
from tests.discord_peer.permissions import may
from tests.discord_peer.refusals import Form, Refusal
from tests.discord_peer.world import (
    COMPONENTS_V2,
    Channel,
    Message,
    Payload,
    User,
    World,
    each,
)

if TYPE_CHECKING:
    from aiohttp import web

SETTABLE: Final = (1 << 2) | (1 << 6) | (1 << 12) | COMPONENTS_V2
"""Flags a message may be sent with: no embeds, ephemeral, silent, Components V2."""

ATTACHMENTS: Final = "https://cdn.discordapp.com"


async def read(request: web.Request) -> Payload:
    """The body of a request in JSON; what uploads files is not known here."""
    assert not request.content_type.startswith("multipart/")
    raw = await request.read()
    try:
        return json.loads(raw) if raw else {}
    except ValueError as error:
        raise Refusal(50109) from error


def new(
    world: World,
    channel: Channel,
    author: User,
    body: Payload,
    **given: object,
) -> Message:
    """A message of a body, examined; ``given`` are fields of it that the body does not tell."""
    flags = int(body.get("flags") or 0) & SETTABLE
    content = (body.get("content") or "").strip()
    limits.message(body | {"content": content}, flags)
    limits.mentions(body.get("allowed_mentions"))
    message = world.message(
        channel,
        author,
        content=content,
        flags=flags,
        nonce=None if body.get("nonce") is None else str(body["nonce"]),
        **given,
    )
    message.components = _numbered(body.get("components") or [])
    ring(world, message, body.get("allowed_mentions"))
    message.versions.append(payloads.of_message(message))
    return message


def edit(world: World, message: Message, body: Payload) -> None:
    """Changes a message as a body says: fields it does not name stay as they are."""
    wanted = body.get("flags")
    flags = (
        message.flags
        if wanted is None
        else (message.flags & ~4) | (int(wanted) & (4 | COMPONENTS_V2))
    )
    if message.flags & COMPONENTS_V2 and wanted is not None and not wanted & COMPONENTS_V2:
        form = Form()
        wrong = "The IS_COMPONENTS_V2 flag cannot be removed"
        form.fault(("flags",), "MESSAGE_CANNOT_REMOVE_COMPONENTS_V2_FLAG", wrong)
        form.done()
    flags |= message.flags & COMPONENTS_V2
    content = (body["content"] or "").strip() if "content" in body else message.content
    components = body["components"] or [] if "components" in body else message.components
    limits.message({"content": content, "components": components}, flags)
    limits.mentions(body.get("allowed_mentions"))
    message.content, message.flags = content, flags & ~(1 << 7)
    if "components" in body:
        message.components = _numbered(components)
    message.edited = world.clock.now()
    before = set(message.pinged)
    ring(world, message, body.get("allowed_mentions"))
    message.pinged = before  # an edit rings for nobody
    message.versions.append(payloads.of_message(message))


def attachment(
    world: World, message: Message, name: str, content: bytes, kind: str | None = None
) -> Payload:
    """A file kept at Discord, at an address the client can read it from."""
    number = world.clock.snowflake()
    path = f"/attachments/{message.channel.id}/{number}/{name}"
    world.files[path] = content
    made: Payload = {
        "id": str(number),
        "filename": name,
        "size": len(content),
        "url": f"{ATTACHMENTS}{path}?ex=1&is=1&hm=1",
        "proxy_url": f"https://media.discordapp.net{path}?ex=1&is=1&hm=1",
    }
    if kind:
        made["content_type"] = kind
    return made


def _numbered(components: list[Payload]) -> list[Payload]:
    """Components as Discord keeps them: with ids."""
    made: list[Payload] = json.loads(json.dumps(components))
    used = {part["id"] for part in each(made) if part.get("id")}
    free = iter(number for number in range(1, 10_000) if number not in used)
    for part in each(made):
        if not part.get("id"):
            part["id"] = next(free)
    return made


def ring(world: World, message: Message, allowed: Payload | None) -> None:
    """Finds who is mentioned, and who is rung: without ``allowed_mentions`` all that the text
    names, and the author of the message replied to. That everyone would be rung counts also where
    the author lacks the permission."""
    text = message.content
    if message.flags & COMPONENTS_V2:
        text = "\n".join(str(part["content"]) for part in message.parts if part["type"] == 10)
    kinds = {"users", "roles", "everyone"} if allowed is None else set(allowed.get("parse") or ())
    listed = allowed or {}
    guild = message.channel.guild
    users = [int(one) for one in re.findall(r"<@!?(\d+)>", text)]
    roles = [int(one) for one in re.findall(r"<@&(\d+)>", text)]
    chosen = {int(one) for one in listed.get("users") or ()}
    users = [one for one in users if "users" in kinds or one in chosen]
    chosen = {int(one) for one in listed.get("roles") or ()}
    roles = [one for one in roles if "roles" in kinds or one in chosen]
    if message.reply_to and (allowed is None or listed.get("replied_user")):
        users.append(message.reply_to.author.id)
    message.mentions = [world.users[one] for one in dict.fromkeys(users) if one in world.users]
    message.mention_roles = list(dict.fromkeys(roles)) if guild else []
    everyone = guild and "everyone" in kinds and re.search(r"@(everyone|here)\b", text)
    message.mention_everyone = bool(
        everyone and may(message.author, message.channel, "mention_everyone")
    )
    if message.ephemeral_to is None:
        message.pinged |= {user.id for user in message.mentions} | set(message.mention_roles)
        message.pinged |= {"everyone"} if everyone else set()
