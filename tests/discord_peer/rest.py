"""Discord's REST interface for channels: messages and replies."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

from aiohttp import web

from tests.discord_peer import payloads, sending
from tests.discord_peer.permissions import may
from tests.discord_peer.refusals import Form, Refusal
from tests.discord_peer.world import Channel, Message, Payload

if TYPE_CHECKING:
    from tests.discord_peer.service import Service

Answer = Payload | list[Payload] | None
Handler = Callable[["Service", web.Request], Awaitable[Answer]]

ROUTES: Final[list[tuple[str, str, Handler]]] = []
"""Method, path under /api/v10, and what answers; None is 204."""

NONCES: Final = 300.0
"""Seconds for which a nonce is remembered ("a few minutes")."""


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
    channel_of(service, request, _speaks(channel))
    if channel.archived and channel.locked:
        raise Refusal(50083)
    body = await sending.read(request)
    bot, nonce = service.world.bot, body.get("nonce")
    if nonce is not None and body.get("enforce_nonce"):
        for message in channel.messages.values():
            recent = message.timestamp > service.world.clock.now() - NONCES
            if recent and message.author is bot and message.nonce == str(nonce):
                return service.shown(message)
    replied = _replied(service, channel, body.get("message_reference"))
    message = sending.new(
        service.world, channel, bot, body, reply_to=replied, kind=19 if replied else 0
    )
    channel.archived = False
    await service.tell("CREATE", message)
    return payloads.of_message(message)


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
    body = await sending.read(request)
    sending.edit(service.world, message, body)
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
