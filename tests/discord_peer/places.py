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
    from tests.discord_peer.world import Guild, Payload


def guild_of(service: Service, request: web.Request) -> Guild:
    """The server of a request, in which the bot must be."""
    guild = service.world.guilds.get(int(request.match_info["guild"]))
    if guild is None:
        raise Refusal(10004)
    if service.world.bot.id not in guild.members:
        raise Refusal(50001)
    return guild


@route("GET", "/users/@me")
async def _me(service: Service, request: web.Request) -> Answer:
    return payloads.of_user(service.world.bot) | {"verified": True, "mfa_enabled": True}


@route("GET", "/oauth2/applications/@me")
@route("GET", "/applications/@me")
async def _application(service: Service, request: web.Request) -> Answer:
    return payloads.of_application(service.world, service.gateway.flags)


@route("GET", "/gateway/bot")
async def _gateway(service: Service, request: web.Request) -> Answer:
    left = service.gateway.session_starts
    return {
        "url": "wss://gateway.discord.gg",
        "shards": service.gateway.shards,
        "session_start_limit": left,
    }


@route("GET", "/users/@me/guilds")
async def _guilds(service: Service, request: web.Request) -> Answer:
    bot, last = service.world.bot, int(request.query.get("after", 0))
    return [
        {"id": str(one.id), "name": one.name, "icon": None, "owner": False, "features": []}
        | {"permissions": str(in_guild(bot, one))}
        for one in sorted(service.world.guilds.values(), key=lambda guild: guild.id)
        if bot.id in one.members and one.id > last
    ][: int(request.query.get("limit", 200))]


@route("GET", "/guilds/{guild}/members/{user}")
async def _member(service: Service, request: web.Request) -> Answer:
    member = guild_of(service, request).members.get(int(request.match_info["user"]))
    if member is None:
        raise Refusal(10007)
    return payloads.of_member(member)


@route("PUT", "/applications/{application}/commands")
async def _replace(service: Service, request: web.Request) -> Answer:
    body = await request.json()
    limits.commands(body)
    service.commands = _registered(service, body)
    return service.commands


def _registered(
    service: Service, bodies: list[Payload], guild: Guild | None = None
) -> list[Payload]:
    here = {"guild_id": str(guild.id)} if guild else {}
    return [
        {"type": 1, "default_member_permissions": None, "nsfw": False, "options": []}
        | {"description": "", "integration_types": [0], "contexts": None}
        | body
        | {
            "id": str(service.world.clock.snowflake()),
            "application_id": str(service.world.bot.id),
            "version": str(service.world.clock.snowflake()),
        }
        | here
        for body in bodies
    ]
