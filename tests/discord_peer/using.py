"""How people use a bot: slash commands, menus of messages, buttons, select menus.

Each deed waits for the bot's first answer unless ``wait`` is off. What Discord would not show the
user (a command not registered, not allowed there) raises `NotShown`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.discord_peer import payloads
from tests.discord_peer.interactions import COMMAND, COMPONENT, Interaction
from tests.discord_peer.permissions import may
from tests.discord_peer.service import Service
from tests.discord_peer.world import Channel, Message, Payload, User, World

FILE = 11
"""The kind of an option that takes an attachment."""


class NotShown(AssertionError):  # noqa: N818
    """The user could not have done this: Discord does not show it to them."""


def _require(shown: bool, what: str) -> None:
    if not shown:
        raise NotShown(what)


class Using:
    """What users do with the bot; part of `Peer`."""

    service: Service
    world: World
    bot: User
    until: Callable[..., Any]

    async def uses_command(
        self,
        user: User,
        channel: Channel,
        name: str,
        /,
        *,
        wait: bool = True,
        age: float = 0.0,
        **options: Any,
    ) -> Interaction:
        """A user sends a slash command. Options by name: text, bool, or (file name, content) for an
        attachment. ``age``: it was sent so many seconds ago."""
        command, owners = self._offered(name, 1, user, channel)
        known = {one["name"]: one for one in command["options"]}
        needed = {one["name"] for one in known.values() if one.get("required")}
        _require(needed <= options.keys() <= known.keys(), f"{name!r} takes {list(known)}")
        resolved: Payload = {}
        sent = []
        for key, value in options.items():
            kind = known[key]["type"]
            given = self._upload(value, resolved) if kind == FILE else value
            sent.append({"name": key, "type": kind, "value": given})
        data = {"id": command["id"], "name": name, "type": 1, "options": sent}
        data["resolved"] = resolved
        return await self._does(COMMAND, user, channel, data, owners, wait=wait, age=age)

    async def uses_menu(self, user: User, target: Message, name: str) -> Interaction:
        """A user opens the menu of a message and picks an application's entry."""
        command, owners = self._offered(name, 3, user, target.channel)
        number = str(target.id)
        data = {"id": command["id"], "name": name, "type": 3, "target_id": number}
        data["resolved"] = {"messages": {number: payloads.of_message(target)}}
        return await self._does(COMMAND, user, target.channel, data, owners)

    async def clicks(
        self, user: User, message: Message, button: str, *, wait: bool = True
    ) -> Interaction:
        """A user clicks a button, named by its label."""
        self._must_see(user, message)
        _require(button in message.buttons, f"no button {button!r}: {list(message.buttons)}")
        part = message.buttons[button]
        data = {"custom_id": part["custom_id"], "component_type": 2, "id": part["id"]}
        return await self._presses(user, message, data, wait=wait)

    async def selects(
        self, user: User, message: Message, custom_id: str, *values: str | Channel | User
    ) -> Interaction:
        """A user chooses in a select menu: values of a list, channels, users."""
        self._must_see(user, message)
        menus = {part["custom_id"]: part for part in message.parts if part["type"] in range(3, 9)}
        menus.pop(None, None)
        _require(custom_id in menus, f"no select menu {custom_id!r}: {list(menus)}")
        menu = menus[custom_id]
        resolved: Payload = {}
        for value in values:
            if isinstance(value, str):
                known = [one["value"] for one in menu["options"]]
                _require(value in known, f"{custom_id!r} has no {value!r}: {known}")
            else:
                self._resolve(value, message.channel, resolved)
        data = {
            "custom_id": custom_id,
            "component_type": menu["type"],
            "id": menu["id"],
            "values": [value if isinstance(value, str) else str(value.id) for value in values],
        }
        if resolved:
            data["resolved"] = resolved
        return await self._presses(user, message, data)

    async def _presses(
        self, user: User, message: Message, data: Payload, *, wait: bool = True
    ) -> Interaction:
        guild, asked = message.channel.guild, message.interaction
        owners = asked.owners if asked else {"0": str(guild.id) if guild else "0"}
        channel = message.channel
        return await self._does(COMPONENT, user, channel, data, owners, message=message, wait=wait)

    async def _does(
        self,
        kind: int,
        user: User,
        channel: Channel,
        data: Payload,
        owners: dict[str, str],
        *,
        message: Message | None = None,
        wait: bool = True,
        age: float = 0.0,
    ) -> Interaction:
        asked = self.service.interactions.new(
            kind, user, channel, data, owners, message=message, age=age
        )
        await self.service.gateway.interaction(asked.payload(self.world))
        if wait:
            await self.until(lambda: asked.answer, f"an answer to {data}")
        return asked

    def _offered(
        self, name: str, kind: int, user: User, channel: Channel
    ) -> tuple[Payload, dict[str, str]]:
        """A command that is shown to a user in a channel, and for whom it is installed there."""
        known = {(one["name"], one["type"]): one for one in self.service.commands}
        _require((name, kind) in known, f"no command {name!r}: {list(known)}")
        command, guild = known[name, kind], channel.guild
        types, contexts = command["integration_types"] or [0], command["contexts"]
        owners: dict[str, str] = {}
        if 0 in types and (guild is None or self.bot.id in guild.members):
            owners["0"] = str(guild.id) if guild else "0"
        if 1 in types and user.installed:
            owners["1"] = str(user.id)
        here = contexts is None or (0 if guild else 1) in contexts
        _require(bool(owners) and here, f"{name!r} is not for this place")
        allowed = may(user, channel, "view_channel", "use_application_commands")
        needed = command["default_member_permissions"]
        held = int(payloads.permissions_of(user, channel))
        allowed = allowed and (needed is None or held & int(needed) == int(needed))
        _require(allowed, f"{user.name} may not use {name!r} here")
        return command, owners

    def _must_see(self, user: User, message: Message) -> None:
        seen = not message.deleted and message.ephemeral_to in {None, user}
        seen = seen and self.world.sees(user, message.channel)
        _require(seen, f"{user.name} does not see this message")

    def _upload(self, file: tuple[str, bytes], resolved: Payload) -> str:
        """Keeps a file at Discord, at an address the client can read it from; its id."""
        name, content = file
        number = str(self.world.clock.snowflake())
        path = f"/attachments/{number}/{name}"
        self.world.files[path] = content
        made = {"id": number, "filename": name, "size": len(content), "ephemeral": True}
        for key, host in (("url", "cdn.discordapp.com"), ("proxy_url", "media.discordapp.net")):
            made[key] = f"https://{host}{path}?ex=1&is=1&hm=1"
        resolved.setdefault("attachments", {})[number] = made
        return number

    def _resolve(self, value: User | Channel, channel: Channel, resolved: Payload) -> None:
        """Adds what Discord tells of somebody or something that is chosen."""
        number = str(value.id)
        if isinstance(value, Channel):
            shown = payloads.of_channel(value)
            shown["permissions"] = payloads.permissions_of(self.bot, value)
            resolved.setdefault("channels", {})[number] = shown
            return
        resolved.setdefault("users", {})[number] = payloads.of_user(value)
        member = channel.guild.members.get(value.id) if channel.guild else None
        if member:
            one = payloads.of_member(member, with_user=False)
            one["permissions"] = payloads.permissions_of(value, channel)
            resolved.setdefault("members", {})[number] = one
