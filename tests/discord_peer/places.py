"""Discord's REST interface for all but channels: users, the application, servers, commands."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.discord_peer import limits, payloads, sending
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


@route("GET", "/users/{user}")
async def _user(service: Service, request: web.Request) -> Answer:
    user = service.world.users.get(int(request.match_info["user"]))
    if user is None:
        raise Refusal(10013)
    return payloads.of_user(user)


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


@route("POST", "/users/@me/channels")
async def _dm(service: Service, request: web.Request) -> Answer:
    body, _ = await sending.read(request)
    user = service.world.users.get(int(body["recipient_id"]))
    if user is None:
        raise Refusal(10013)
    if user is service.world.bot or user.webhook:
        raise Refusal(50007)
    return payloads.of_channel(service.world.dm(user, service.world.bot), service.world.bot)


@route("GET", "/users/@me/guilds")
async def _guilds(service: Service, request: web.Request) -> Answer:
    bot, last = service.world.bot, int(request.query.get("after", 0))
    return [
        {"id": str(one.id), "name": one.name, "icon": None, "owner": False, "features": []}
        | {"permissions": str(in_guild(bot, one))}
        for one in sorted(service.world.guilds.values(), key=lambda guild: guild.id)
        if bot.id in one.members and one.id > last
    ][: int(request.query.get("limit", 200))]


@route("DELETE", "/users/@me/guilds/{guild}")
async def _leave(service: Service, request: web.Request) -> Answer:
    guild = guild_of(service, request)
    gone = {"id": str(guild.id), "unavailable": False}
    await service.gateway.dispatch("GUILD_DELETE", gone, guild=guild, intent="guilds")
    del guild.members[service.world.bot.id]
    return None


@route("GET", "/guilds/{guild}")
async def _guild(service: Service, request: web.Request) -> Answer:
    return payloads.of_guild(guild_of(service, request), service.world.bot, with_members=False)


@route("GET", "/guilds/{guild}/channels")
async def _channels(service: Service, request: web.Request) -> Answer:
    found = guild_of(service, request).channels.values()
    return [payloads.of_channel(one) for one in found if not one.is_thread]


@route("GET", "/guilds/{guild}/roles")
async def _roles(service: Service, request: web.Request) -> Answer:
    roles = guild_of(service, request).roles
    return [payloads.of_role(role, place) for place, role in enumerate(roles)]


@route("GET", "/guilds/{guild}/threads/active")
async def _threads(service: Service, request: web.Request) -> Answer:
    found = guild_of(service, request).channels.values()
    open_ = [one for one in found if one.is_thread and not one.archived]
    return {"threads": [payloads.of_channel(one) for one in open_], "members": []}


@route("GET", "/guilds/{guild}/members/{user}")
async def _member(service: Service, request: web.Request) -> Answer:
    member = guild_of(service, request).members.get(int(request.match_info["user"]))
    if member is None:
        raise Refusal(10007)
    return payloads.of_member(member)


@route("GET", "/applications/{application}/commands")
async def _commands(service: Service, request: web.Request) -> Answer:
    return service.commands


@route("PUT", "/applications/{application}/commands")
async def _replace(service: Service, request: web.Request) -> Answer:
    body = await request.json()
    limits.commands(body)
    service.commands = _registered(service, body)
    return service.commands


@route("GET", "/applications/{application}/guilds/{guild}/commands")
async def _guild_commands(service: Service, request: web.Request) -> Answer:
    return service.guild_commands.get(guild_of(service, request).id, [])


@route("PUT", "/applications/{application}/guilds/{guild}/commands")
async def _replace_in_guild(service: Service, request: web.Request) -> Answer:
    guild, body = guild_of(service, request), await request.json()
    limits.commands(body)
    service.guild_commands[guild.id] = _registered(service, body, guild)
    return service.guild_commands[guild.id]


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
