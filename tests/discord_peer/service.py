"""The loopback Discord's server: REST, gateway and files under Discord's own names, over TLS."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import web

from tests.discord_peer import answers, connecting, payloads, places, rest
from tests.discord_peer.clock import Clock
from tests.discord_peer.faults import Fault, Request
from tests.discord_peer.gateway import Gateway
from tests.discord_peer.interactions import Interactions
from tests.discord_peer.refusals import Refusal
from tests.discord_peer.world import Channel, Guild, Message, Payload, World

ROUTES: Final = (answers, places, rest)
"""The modules whose routes there are: they register them when they are imported."""

API: Final = "/api/v10"
VIA: Final = {"Via": "1.1 google"}


class Service:
    """What answers clients. ``requests`` are all requests so far, ``refused`` those that Discord
    itself refused (not by a fault of the test's), ``faults`` what goes wrong next, ``broken`` what
    was wrong here, which ends the test."""

    def __init__(self, clock: Clock) -> None:
        self.world = World(clock)
        self.token = "loopback.token.of-nobody"  # noqa: S105
        self.commands: list[Payload] = []
        self.faults: list[Fault] = []
        self.requests: list[Request] = []
        self.refused: list[Request] = []
        self.broken: list[Exception] = []
        self.port = 0
        self._waiters: list[asyncio.Future[None]] = []
        self._untold: list[tuple[str, Message]] = []
        self.gateway = Gateway(self.world, lambda: self.token, self.changed)
        self.interactions = Interactions(
            self.world, lambda what, message: self._untold.append((what, message))
        )
        self._runner: web.AppRunner | None = None

    async def open(self) -> None:
        """Listens on a free port."""
        app = web.Application(middlewares=[self._answer], client_max_size=64 * 2**20)
        for method, path, handler in rest.ROUTES:
            app.router.add_route(method, API + path, self._handled(handler))
        app.router.add_get("/attachments/{tail:.*}", self._file)
        app.router.add_get("/", self.gateway.serve)
        self._runner = web.AppRunner(app, shutdown_timeout=0.1, access_log=None)
        await self._runner.setup()
        site = web.TCPSite(self._runner, "127.0.0.1", 0, ssl_context=connecting.server_context())
        await site.start()
        self.port = self._runner.addresses[0][1]

    async def shut(self) -> None:
        """Closes every connection."""
        await self.gateway.close(1001)
        assert self._runner is not None
        await self._runner.cleanup()

    def changed(self) -> None:
        """Wakes those who wait for something to have changed."""
        waiting, self._waiters = self._waiters, []
        for waiter in waiting:
            if not waiter.done():
                waiter.set_result(None)

    def sound(self) -> None:
        """Raises what was wrong here."""
        if self.broken:
            raise AssertionError("the loopback Discord itself failed") from self.broken[0]

    def next_change(self) -> asyncio.Future[None]:
        """Done as soon as anything has changed."""
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        return waiter

    def _handled(self, handler: rest.Handler) -> Callable[[web.Request], Awaitable[web.Response]]:
        async def handle(request: web.Request) -> web.Response:
            answer = await handler(self, request)
            return _json(200, answer) if answer is not None else web.Response(status=204)

        return handle

    async def _file(self, request: web.Request) -> web.Response:
        content = self.world.files.get(request.path)
        if content is None:
            return web.Response(status=404)
        return web.Response(body=content)

    @web.middleware
    async def _answer(
        self,
        request: web.Request,
        handler: Callable[[web.Request], Awaitable[web.StreamResponse]],
    ) -> web.StreamResponse:
        """One request: faults of the test first, then the token and what is asked."""
        if not request.path.startswith(API):
            return await handler(request)
        fault = next((one for one in self.faults if one.meets(request.method, request.path)), None)
        if fault and fault.gate:
            await fault.gate.wait()
        if fault and fault.drop and not fault.done:
            return self._hang_up(request)
        if fault and fault.status and not fault.done:
            return await self._logged(request, _faulty(fault), None)
        refusal: Refusal | None = None
        response: web.StreamResponse
        try:
            self._authorized(request)
            response = await handler(request)
        except Refusal as error:
            refusal = error
            response = _json(error.status, error.body())
        except web.HTTPException as error:
            refusal = Refusal(0, status=error.status)
            response = _json(error.status, refusal.body())
        except Exception as error:  # noqa: BLE001 - a fault of ours must end the test
            # That a client hangs up while its request is read is no fault of ours.
            if request.transport is not None and not request.transport.is_closing():
                self.broken.append(error)
            response = _json(400, {"message": str(error), "code": 0})
        if fault and fault.done:
            if fault.drop:
                return self._hang_up(request)
            response = _faulty(fault)
        return await self._logged(request, response, refusal)

    def _hang_up(self, request: web.Request) -> web.StreamResponse:
        assert request.transport is not None
        request.transport.close()
        return web.Response(status=500)

    def _authorized(self, request: web.Request) -> None:
        if "token" in request.match_info:
            return
        if request.headers.get("Authorization") != f"Bot {self.token}":
            raise Refusal(40001)

    async def _logged(
        self, request: web.Request, response: web.StreamResponse, refusal: Refusal | None
    ) -> web.StreamResponse:
        body: Payload = {}
        if request.content_type == "application/json":
            found = json.loads(await request.read() or b"{}")
            body = found if isinstance(found, dict) else {"list": found}
        made = Request(
            request.method,
            request.path.removeprefix(API),
            body,
            response.status,
            refusal.code if refusal else 0,
            time.monotonic(),
            str(refusal or ""),
        )
        self.requests.append(made)
        if refusal:
            self.refused.append(made)
        self.changed()
        return response

    def shown(self, message: Message) -> Payload:
        """A message as the bot may read it over REST: contents by intent."""
        payload = payloads.of_message(message)
        if "message_content" in self.gateway.granted or message.channel.guild is None:
            return payload
        here = {"guild_id": str(message.channel.guild.id)}
        return payloads.without_content(payload | here, self.world.bot)

    async def told(self) -> None:
        """Tells the gateway what answers to interactions changed."""
        waiting, self._untold = self._untold, []
        for what, message in waiting:
            if what == "DELETE":
                await self.tell_deleted(message)
            else:
                await self.tell(what, message)

    async def tell(self, what: str, message: Message) -> None:
        """A message that came ("CREATE") or changed ("UPDATE"), unless it is for one user alone or
        stands where the bot is not."""
        if message.ephemeral_to is None and self._hears(message.channel):
            await self.gateway.dispatch(
                f"MESSAGE_{what}",
                payloads.in_gateway(message),
                guild=message.channel.guild,
                intent="guild_messages" if message.channel.guild else "dm_messages",
            )
        self.changed()

    def _hears(self, channel: Channel) -> bool:
        return self.world.sees(self.world.bot, channel)

    async def delete(self, *messages: Message) -> None:
        """Takes messages of a channel away."""
        for message in messages:
            message.deleted = True
            message.channel.messages.pop(message.id, None)
        await self.tell_deleted(*messages)

    async def tell_deleted(self, message: Message, *more: Message) -> None:
        """A message that went, or several at once."""
        channel = message.channel
        if message.ephemeral_to is None and self._hears(channel):
            gone: Payload = {"channel_id": str(channel.id), **_in(channel.guild)}
            if more:
                gone["ids"] = [str(one.id) for one in (message, *more)]
            else:
                gone["id"] = str(message.id)
            intent = "guild_messages" if channel.guild else "dm_messages"
            event = "MESSAGE_DELETE_BULK" if more else "MESSAGE_DELETE"
            await self.gateway.dispatch(event, gone, guild=channel.guild, intent=intent)
        self.changed()

    async def tell_channel(self, what: str, channel: Channel) -> None:
        """A channel or thread that came, changed or went."""
        kind = "THREAD" if channel.is_thread else "CHANNEL"
        payload = payloads.of_channel(channel)
        if channel.is_thread and not self._hears(channel):
            return  # a private thread that the bot is not in
        if what == "CREATE" and channel.is_thread:
            payload["newly_created"] = True
        await self.gateway.dispatch(f"{kind}_{what}", payload, guild=channel.guild, intent="guilds")
        self.changed()


def _in(guild: Guild | None) -> dict[str, str]:
    return {"guild_id": str(guild.id)} if guild else {}


def _json(status: int, body: object, headers: dict[str, str] | None = None) -> web.Response:
    """An answer in JSON; its type must have no charset, which the client would not know."""
    return web.Response(
        status=status,
        body=json.dumps(body).encode(),
        headers={"Content-Type": "application/json", **VIA, **(headers or {})},
    )


def _faulty(fault: Fault) -> web.Response:
    if fault.status == 429:
        if not fault.via:
            return web.Response(status=429, body=b"<html>banned</html>")
        body = {
            "message": "You are being rate limited.",
            "retry_after": fault.retry_after,
            "global": fault.everywhere,
        }
        # https://docs.discord.com/developers/topics/rate-limits#header-format: X-RateLimit-Scope
        scope = "global" if fault.everywhere else "shared" if fault.shared else "user"
        return _json(429, body, {"X-RateLimit-Scope": scope, "Retry-After": "1"})
    if fault.code:
        refusal = Refusal(fault.code, status=fault.status)
        return _json(refusal.status, refusal.body())
    return web.Response(status=fault.status, body=b"upstream fault", headers=VIA)
