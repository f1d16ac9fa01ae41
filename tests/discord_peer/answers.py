"""Discord's REST interface for answers to interactions: the callback, its message, follow-ups."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.discord_peer import payloads, sending
from tests.discord_peer.interactions import Interaction
from tests.discord_peer.refusals import Refusal
from tests.discord_peer.rest import Answer, route

if TYPE_CHECKING:
    from aiohttp import web

    from tests.discord_peer.service import Service


@route("POST", "/interactions/{interaction}/{token}/callback")
async def _callback(service: Service, request: web.Request) -> Answer:
    body = await sending.read(request)
    number, token = int(request.match_info["interaction"]), request.match_info["token"]
    answered = service.interactions.answer(number, token, body)
    await service.told()
    return answered if request.query.get("with_response") in {"1", "true"} else None


def _asked(service: Service, request: web.Request) -> Interaction:
    application, token = int(request.match_info["webhook"]), request.match_info["token"]
    return service.interactions.alive(application, token)


@route("POST", "/webhooks/{webhook}/{token}")
async def _follow_up(service: Service, request: web.Request) -> Answer:
    asked = _asked(service, request)
    body = await sending.read(request)
    if asked.channel.id not in service.world.channels:
        raise Refusal(10003)
    message = service.interactions.follow_up(asked, body)
    await service.told()
    return payloads.of_message(message)


@route("PATCH", "/webhooks/{webhook}/{token}/messages/{message}")
async def _edit(service: Service, request: web.Request) -> Answer:
    asked = _asked(service, request)
    message = service.interactions.find(asked, request.match_info["message"])
    body = await sending.read(request)
    service.interactions.edit(asked, message, body)
    await service.told()
    return payloads.of_message(message)
