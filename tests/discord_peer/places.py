"""Discord's REST interface for all but channels: users, the application, servers, commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.discord_peer import limits, payloads
from tests.discord_peer.permissions import in_guild
from tests.discord_peer.refusals import Refusal
from tests.discord_peer.rest import Answer, route

if TYPE_CHECKING:
    from aiohttp import web

    from tests.discord_peer.service import Service
    from tests.discord_peer.world import Payload


@route("GET", "/users/@me")
async def _me(service: Service, request: web.Request) -> Answer:
    return payloads.of_user(service.world.bot) | {"verified": True, "mfa_enabled": True}


@route("GET", "/oauth2/applications/@me")
@route("GET", "/applications/@me")
async def _application(service: Service, request: web.Request) -> Answer:
    return payloads.of_application(service.world, service.gateway.flags)


@route("GET", "/gateway/bot")
async def _gateway(service: Service, request: web.Request) -> Answer:
    left = {"total": 1000, "remaining": 1000, "reset_after": 0, "max_concurrency": 16}
    return {"url": "wss://gateway.discord.gg", "shards": 1, "session_start_limit": left}


@route("GET", "/users/@me/guilds")
async def _guilds(service: Service, request: web.Request) -> Answer:
    bot = service.world.bot
    return [
        {"id": str(one.id), "name": one.name, "permissions": str(in_guild(bot, one))}
        for one in service.world.guilds.values()
        if bot.id in one.members
    ]


@route("GET", "/guilds/{guild}/members/{user}")
async def _member(service: Service, request: web.Request) -> Answer:
    guild = service.world.guilds.get(int(request.match_info["guild"]))
    if guild is None or service.world.bot.id not in guild.members:
        raise Refusal(10004)
    member = guild.members.get(int(request.match_info["user"]))
    if member is None:
        raise Refusal(10007)
    return payloads.of_member(member)


@route("PUT", "/applications/{application}/commands")
async def _replace(service: Service, request: web.Request) -> Answer:
    bodies: list[Payload] = await request.json()
    limits.commands(bodies)
    usual: Payload = {
        "type": 1,
        "default_member_permissions": None,
        "options": [],
        "description": "",
    }
    service.commands = [
        {**usual, "integration_types": [0], "contexts": None, **body, **_identified(service)}
        for body in bodies
    ]
    return service.commands


def _identified(service: Service) -> dict[str, str]:
    number = str(service.world.clock.snowflake())
    return {"id": number, "application_id": str(service.world.bot.id), "version": number}
