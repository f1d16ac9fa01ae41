"""Discord's REST interface for channels: messages and replies."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Final

from aiohttp import web

from tests.discord_peer import payloads, sending
from tests.discord_peer.permissions import may
from tests.discord_peer.refusals import Refusal, demand
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


def message_of(request: web.Request, channel: Channel) -> Message:
    """The message of a request."""
    message = channel.messages.get(int(request.match_info["message"]))
    if message is None:
        raise Refusal(10008)
    return message


@route("GET", "/channels/{channel}/messages")
async def _history(service: Service, request: web.Request) -> Answer:
    channel = channel_of(service, request)
    most = int(request.query.get("limit", 50))
    found = sorted(channel.messages.values(), key=lambda one: -one.id)
    if before := request.query.get("before"):
        found = [one for one in found if one.id < int(before)]
    elif after := request.query.get("after"):
        found = [one for one in found if one.id > int(after)][-most:]
    elif around := request.query.get("around"):
        near = sorted(found, key=lambda one: abs(one.id - int(around)))[:most]
        found = sorted(near, key=lambda one: -one.id)
    return [service.shown(one) for one in found[:most]]


@route("GET", "/channels/{channel}/messages/{message}")
async def _one(service: Service, request: web.Request) -> Answer:
    channel = channel_of(service, request, "read_message_history")
    return service.shown(message_of(request, channel))


@route("POST", "/channels/{channel}/messages")
async def _send(service: Service, request: web.Request) -> Answer:
    thread = channel_of(service, request).is_thread
    speaks = "send_messages_in_threads" if thread else "send_messages"
    channel, body = channel_of(service, request, speaks), await sending.read(request)
    bot, nonce = service.world.bot, body.get("nonce")
    if nonce is not None and body.get("enforce_nonce"):
        for message in channel.messages.values():
            recent = message.timestamp > service.world.clock.now() - NONCES
            if recent and message.author is bot and message.nonce == str(nonce):
                return service.shown(message)
    reference = body.get("message_reference")
    replied = None
    if reference:
        if not may(bot, channel, "read_message_history"):
            raise Refusal(160002)
        replied = channel.messages.get(int(reference["message_id"]))
        demand(bool(replied) or not reference.get("fail_if_not_exists", True), "Unknown message")
    made = {"reply_to": replied, "kind": 19 if replied else 0}
    message = sending.new(service.world, channel, bot, body, **made)
    await service.tell("CREATE", message)
    return payloads.of_message(message)


@route("PATCH", "/channels/{channel}/messages/{message}")
async def _edit(service: Service, request: web.Request) -> Answer:
    message = message_of(request, channel_of(service, request))
    if message.author is not service.world.bot:
        raise Refusal(50005)
    sending.edit(service.world, message, await sending.read(request))
    await service.tell("UPDATE", message)
    return payloads.of_message(message)


@route("DELETE", "/channels/{channel}/messages/{message}")
async def _delete(service: Service, request: web.Request) -> Answer:
    message = message_of(request, channel_of(service, request))
    if message.author is not service.world.bot:
        raise Refusal(50013)
    await service.delete(message)
    return None
