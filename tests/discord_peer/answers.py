"""Discord's REST interface for answers to interactions: the callback, its message, follow-ups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.discord_peer import payloads, sending
from tests.discord_peer.rest import Answer, route

if TYPE_CHECKING:
    from aiohttp import web

    from tests.discord_peer.service import Service


@route("POST", "/interactions/{interaction}/{token}/callback")
async def _callback(service: Service, request: web.Request) -> Answer:
    token, body = request.match_info["token"], await sending.read(request)
    answered = service.interactions.answer(token, body)
    await service.told()
    return answered if request.query.get("with_response") in {"1", "true"} else None


@route("POST", "/webhooks/{webhook}/{token}")
async def _follow_up(service: Service, request: web.Request) -> Answer:
    asked = service.interactions.alive(request.match_info["token"])
    message = service.interactions.follow_up(asked, await sending.read(request))
    await service.told()
    return payloads.of_message(message)


@route("PATCH", "/webhooks/{webhook}/{token}/messages/@original")
async def _edit(service: Service, request: web.Request) -> Answer:
    asked = service.interactions.alive(request.match_info["token"])
    message = service.interactions.edit(asked, await sending.read(request))
    await service.told()
    return payloads.of_message(message)
