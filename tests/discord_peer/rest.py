"""Discord's REST interface for channels: messages, replies, reactions, threads."""

from __future__ import annotations

import json
import re
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from aiohttp import web

from tests.discord_peer import payloads, sending
from tests.discord_peer.kinds import FORUM, VOICE
from tests.discord_peer.permissions import may
from tests.discord_peer.refusals import Form, Refusal
from tests.discord_peer.world import Channel, Message, Payload, User

if TYPE_CHECKING:
    from tests.discord_peer.service import Service

Answer = Payload | list[Payload] | None
Handler = Callable[["Service", web.Request], Awaitable[Answer]]

ROUTES: Final[list[tuple[str, str, Handler]]] = []
"""Method, path under /api/v10, and what answers; None is 204."""

NONCES: Final = 300.0
"""Seconds for which a nonce is remembered ("a few minutes")."""

EMOJI: Final = re.compile(
    r"[\u00a9\u00ae\u200d\u203c-\u3299\ufe0f\U0001f000-\U0001faff0-9#*\u20e3]+"
)


def route(method: str, path: str) -> Callable[[Handler], Handler]:
    """Registers what answers a request."""

    def register(handler: Handler) -> Handler:
        ROUTES.append((method, path, handler))
        return handler

    return register


def channel_of(service: Service, request: web.Request, *needed: str) -> Channel:
    """The channel of a request, which the bot must see (50001) and be allowed to use (50013)."""
    channel = service.world.channels.get(int(request.match_info["channel"]))
    if channel is None:
        raise Refusal(10003)
    if not may(service.world.bot, channel, "view_channel"):
        raise Refusal(50001)
    if not may(service.world.bot, channel, *needed):
        raise Refusal(50013)
    return channel


def message_of(service: Service, request: web.Request, channel: Channel) -> Message:
    """The message of a request."""
    message = channel.messages.get(int(request.match_info["message"]))
    if message is None:
        raise Refusal(10008)
    return message


def _speaks(channel: Channel) -> str:
    return "send_messages_in_threads" if channel.is_thread else "send_messages"


@route("GET", "/channels/{channel}")
async def _channel(service: Service, request: web.Request) -> Answer:
    return payloads.of_channel(channel_of(service, request), service.world.bot)


@route("PATCH", "/channels/{channel}")
async def _change(service: Service, request: web.Request) -> Answer:
    channel = channel_of(service, request)
    body, _ = await sending.read(request)
    if not (channel.is_thread and channel.owner is service.world.bot):
        channel_of(service, request, "manage_threads" if channel.is_thread else "manage_channels")
    form = Form()
    if "name" in body:
        form.text(body["name"], ("name",), 100, 1)
        form.done()
        channel.name = body["name"]
    channel.archived = bool(body.get("archived", channel.archived))
    channel.locked = bool(body.get("locked", channel.locked))
    await service.tell_channel("UPDATE", channel)
    return payloads.of_channel(channel)


@route("POST", "/channels/{channel}/typing")
async def _typing(service: Service, request: web.Request) -> Answer:
    channel = channel_of(service, request)
    channel_of(service, request, _speaks(channel))
    channel.typing += 1
    return None


@route("GET", "/channels/{channel}/messages")
async def _history(service: Service, request: web.Request) -> Answer:
    channel = channel_of(service, request)
    if not may(service.world.bot, channel, "read_message_history"):
        return []
    most = int(request.query.get("limit", 50))
    if not 1 <= most <= 100:
        form = Form()
        form.fault(("limit",), "NUMBER_TYPE_MAX", "int value should be less than or equal to 100.")
        form.done()
    found = sorted(channel.messages.values(), key=lambda one: -one.id)
    if before := request.query.get("before"):
        found = [one for one in found if one.id < int(before)][:most]
    elif after := request.query.get("after"):
        found = [one for one in found if one.id > int(after)][-most:]
    elif around := request.query.get("around"):
        near = sorted(found, key=lambda one: abs(one.id - int(around)))[:most]
        found = sorted(near, key=lambda one: -one.id)
    return [service.shown(one) for one in found[:most]]


@route("GET", "/channels/{channel}/messages/{message}")
async def _one(service: Service, request: web.Request) -> Answer:
    channel = channel_of(service, request, "read_message_history")
    return service.shown(message_of(service, request, channel))


@route("POST", "/channels/{channel}/messages")
async def _send(service: Service, request: web.Request) -> Answer:
    channel = channel_of(service, request)
    if channel.kind == FORUM:
        raise Refusal(50008)
    channel_of(service, request, _speaks(channel))
    if channel.archived and channel.locked:
        raise Refusal(50083)
    body, files = await sending.read(request)
    if files:
        channel_of(service, request, "attach_files")
    if any(not user.takes_dms for user in channel.recipients):
        raise Refusal(50007)
    if body.get("embeds") and not may(service.world.bot, channel, "embed_links"):
        if not body.get("content"):
            raise Refusal(50013)
        body["embeds"] = []
    bot, nonce = service.world.bot, body.get("nonce")
    if nonce is not None and body.get("enforce_nonce"):
        for message in channel.messages.values():
            recent = message.timestamp > service.world.clock.now() - NONCES
            if recent and message.author is bot and message.nonce == str(nonce):
                return service.shown(message)
    if int(body.get("flags") or 0) & 64:
        form = Form()
        form.fault(("flags",), "MESSAGE_FLAGS_INVALID", "Only interactions answer ephemerally.")
        form.done()
    _moderate(channel, body)
    _slow(service, channel, bot)
    replied = _replied(service, channel, body.get("message_reference"))
    message = sending.new(
        service.world, channel, bot, body, files, reply_to=replied, kind=19 if replied else 0
    )
    channel.archived = False
    await service.tell("CREATE", message)
    return payloads.of_message(message)


def _moderate(channel: Channel, body: Payload) -> None:
    """Refuses what the server's AutoMod blocks, as Discord documents its error 200000:
    https://docs.discord.com/developers/topics/opcodes-and-status-codes#json-json-error-codes"""
    written = json.dumps(body, ensure_ascii=False).casefold()
    blocked = channel.guild.blocked if channel.guild else ()
    if any(word.casefold() in written for word in blocked):
        raise Refusal(200000)


def _slow(service: Service, channel: Channel, user: User) -> None:
    """Refuses a message that comes too soon after the user's last, as the error 20016. Discord
    documents that `rate_limit_per_user` spares bots
    (https://docs.discord.com/developers/resources/channel#channel-object); a test that makes a
    channel slow wants to see what a bot does if it does not, unless it may bypass slow mode."""
    if not channel.slow or may(user, channel, "bypass_slowmode"):
        return
    last = max(
        (one.timestamp for one in channel.messages.values() if one.author is user), default=0
    )
    left = last + channel.slow - service.world.clock.now()
    if left > 0:
        raise Refusal(20016, retry_after=left)


def _replied(service: Service, channel: Channel, reference: Payload | None) -> Message | None:
    if not reference:
        return None
    if not may(service.world.bot, channel, "read_message_history"):
        raise Refusal(160002)
    found = channel.messages.get(int(reference["message_id"]))
    if found is None and reference.get("fail_if_not_exists", True):
        form = Form()
        code = "REPLIES_UNKNOWN_MESSAGE"
        form.fault(("message_reference",), code, "Unknown message")
        form.done()
    return found


@route("PATCH", "/channels/{channel}/messages/{message}")
async def _edit(service: Service, request: web.Request) -> Answer:
    channel = channel_of(service, request)
    message = message_of(service, request, channel)
    if message.author is not service.world.bot:
        raise Refusal(50005)
    if channel.archived:
        raise Refusal(50083)
    body, files = await sending.read(request)
    _moderate(channel, body)
    sending.edit(service.world, message, body, files)
    await service.tell("UPDATE", message)
    return payloads.of_message(message)


@route("DELETE", "/channels/{channel}/messages/{message}")
async def _delete(service: Service, request: web.Request) -> Answer:
    channel = channel_of(service, request)
    message = message_of(service, request, channel)
    if message.author is not service.world.bot:
        channel_of(service, request, "manage_messages")
    await service.delete(message)
    return None


@route("POST", "/channels/{channel}/messages/{message}/threads")
async def _thread_at(service: Service, request: web.Request) -> Answer:
    channel = channel_of(service, request, "create_public_threads", "read_message_history")
    message = message_of(service, request, channel)
    if message.thread:
        raise Refusal(160004)
    return await _thread(service, request, channel, message)


@route("POST", "/channels/{channel}/threads")
async def _thread_alone(service: Service, request: web.Request) -> Answer:
    channel = channel_of(service, request, "create_public_threads")
    return await _thread(service, request, channel, None)


async def _thread(
    service: Service, request: web.Request, channel: Channel, at: Message | None
) -> Answer:
    body, _ = await sending.read(request)
    form = Form()
    form.text(body.get("name"), ("name",), 100, 1)
    if channel.guild is None or channel.is_thread or channel.kind == VOICE:
        wrong = "Cannot execute action on this channel type"
        form.fault(("type",), "CHANNEL_TYPE_INVALID", wrong)
    if body.get("auto_archive_duration") not in {None, 60, 1440, 4320, 10080}:
        form.fault(("auto_archive_duration",), "BASE_TYPE_CHOICES", "Value must be one of these")
    form.done()
    thread = service.world.thread(channel, body["name"], service.world.bot, at)
    await service.tell_channel("CREATE", thread)
    return payloads.of_channel(thread)


@route("PUT", "/channels/{channel}/thread-members/@me")
async def _join(service: Service, request: web.Request) -> Answer:
    channel = channel_of(service, request)
    if not channel.is_thread:
        raise Refusal(10003)
    channel.joined.add(service.world.bot)
    return None


@route("PUT", "/channels/{channel}/messages/{message}/reactions/{emoji}/@me")
async def _react(service: Service, request: web.Request) -> Answer:
    channel = channel_of(service, request, "read_message_history")
    message = message_of(service, request, channel)
    emoji = unquote(request.match_info["emoji"])
    if not EMOJI.fullmatch(emoji):
        raise Refusal(10014)
    if emoji not in message.reactions:
        channel_of(service, request, "add_reactions")
        if len(message.reactions) >= 20:
            raise Refusal(30010)
    await service.react(message, emoji, service.world.bot)
    return None


@route("DELETE", "/channels/{channel}/messages/{message}/reactions/{emoji}/@me")
async def _unreact(service: Service, request: web.Request) -> Answer:
    message = message_of(service, request, channel_of(service, request))
    await service.unreact(message, unquote(request.match_info["emoji"]), service.world.bot)
    return None


@route("GET", "/channels/{channel}/messages/{message}/reactions/{emoji}")
async def _reacted(service: Service, request: web.Request) -> Answer:
    message = message_of(service, request, channel_of(service, request, "read_message_history"))
    found = message.reactions.get(unquote(request.match_info["emoji"]), [])
    return [payloads.of_user(user) for user in found]
