"""The loopback Discord's server: REST, gateway and files under Discord's own names, over TLS."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Final

from aiohttp import web

from tests.discord_peer import answers, connecting, payloads, places, rest
from tests.discord_peer.clock import Clock
from tests.discord_peer.faults import Fault, Request
from tests.discord_peer.gateway import Gateway
from tests.discord_peer.interactions import Interactions
from tests.discord_peer.refusals import Refusal
from tests.discord_peer.world import Channel, Message, Payload, World

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
        self.gateway = Gateway(self.world, self.token, self.changed)
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
        refusal: Refusal | None = None
        response: web.StreamResponse | None = None
        if fault is None or fault.done:
            try:
                self._authorize(request)
                response = await handler(request)
            except Refusal as error:
                refusal = error
            except web.HTTPException as error:
                refusal = Refusal(0, status=error.status)
            except Exception as error:  # noqa: BLE001 - a fault of ours must end the test
                # That a client hangs up while its request is read is no fault of ours.
                if request.transport is not None and not request.transport.is_closing():
                    self.broken.append(error)
                refusal = Refusal(0, repr(error), status=400)
        if fault is not None:
            if fault.drop:
                assert request.transport is not None
                request.transport.close()
            response = _faulty(fault)
        elif refusal is not None:
            response = _json(refusal.status, refusal.body)
        assert response is not None
        code, why = (refusal.code, str(refusal)) if refusal else (0, "")
        path = request.path.removeprefix(API)
        made = Request(request.method, path, response.status, code, why)
        self.requests.append(made)
        if refusal:
            self.refused.append(made)
        self.changed()
        return response

    def _authorize(self, request: web.Request) -> None:
        told = "token" in request.match_info
        if not told and request.headers.get("Authorization") != f"Bot {self.token}":
            raise Refusal(40001)

    def shown(self, message: Message) -> Payload:
        """A message as the bot may read it over REST: contents by intent."""
        payload = payloads.of_message(message)
        if "message_content" in self.gateway.granted:
            return payload
        here = payloads.in_guild(message.channel)
        return payloads.without_content(payload | here, self.world.bot)

    async def told(self) -> None:
        """Tells the gateway what answers to interactions changed."""
        waiting, self._untold = self._untold, []
        for what, message in waiting:
            await self.tell(what, message)

    async def tell(self, what: str, message: Message) -> None:
        """A message that came ("CREATE") or changed ("UPDATE"), unless it is for one user alone or
        stands where the bot is not."""
        if message.ephemeral_to is None:
            await self._dispatch(f"MESSAGE_{what}", payloads.in_gateway(message), message.channel)
        self.changed()

    async def delete(self, message: Message) -> None:
        """Takes a message away."""
        message.deleted = True
        message.channel.messages.pop(message.id, None)
        gone = {"id": str(message.id), "channel_id": str(message.channel.id)}
        await self._dispatch(
            "MESSAGE_DELETE", gone | payloads.in_guild(message.channel), message.channel
        )
        self.changed()

    async def _dispatch(self, event: str, payload: Payload, channel: Channel) -> None:
        if self.world.sees(self.world.bot, channel):
            intent = "guild_messages" if channel.guild else "dm_messages"
            await self.gateway.dispatch(event, payload, guild=channel.guild, intent=intent)

    async def tell_channel(self, what: str, channel: Channel) -> None:
        """A channel or thread that came, changed or went."""
        event = f"{'THREAD' if channel.is_thread else 'CHANNEL'}_{what}"
        payload = payloads.of_channel(channel)
        await self.gateway.dispatch(event, payload, guild=channel.guild, intent="guilds")
        self.changed()


def _json(status: int, body: object, headers: dict[str, str] | None = None) -> web.Response:
    """An answer in JSON; its type must have no charset, which the client would not know."""
    return web.Response(
        status=status,
        body=json.dumps(body).encode(),
        headers={"Content-Type": "application/json", **VIA, **(headers or {})},
    )


def _faulty(fault: Fault) -> web.Response:
    if fault.code:
        refusal = Refusal(fault.code, status=fault.status)
        return _json(refusal.status, refusal.body)
    if fault.status == 429:
        body = {"message": "slow down", "retry_after": fault.retry_after, "global": False}
        return _json(429, body, {"X-RateLimit-Scope": "user", "Retry-After": "1"})
    return web.Response(status=fault.status or 500, body=b"upstream fault", headers=VIA)
