"""How people use a bot: slash commands, context menus, buttons, select menus, modals.

Each deed waits for the bot's first answer unless ``wait`` is off. What Discord would not show the
user (a command not registered, not allowed there, a disabled button) raises `NotShown`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.discord_peer import payloads
from tests.discord_peer.interactions import COMMAND, COMPONENT, Interaction
from tests.discord_peer.showing import NotShown, Showing
from tests.discord_peer.world import Channel, Message, Payload, User


class Using(Showing):
    """What users do with the bot; part of `Peer`."""

    async def until(self, holds: Callable[[], Any], what: str = "", patience: float = 30.0) -> Any:
        """See `Peer.until`."""
        raise NotImplementedError

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
        """A user sends a slash command, "settings show" for one in a group. Options by name: text,
        numbers, bool, `User`, `Channel`, or (file name, content) for an attachment. ``age``: it was
        sent so many seconds ago."""
        command, data = self._command(user, channel, name, options)
        owners = self._offered(command, user, channel)
        return await self._does(COMMAND, user, channel, data, owners, wait=wait, age=age)

    async def uses_menu(
        self,
        user: User,
        target: Message | User,
        name: str,
        *,
        channel: Channel | None = None,
        wait: bool = True,
        age: float = 0.0,
    ) -> Interaction:
        """A user opens the context menu of a message (or of a user, in a channel) and picks an
        application's entry."""
        if isinstance(target, Message):
            place, kind = target.channel, 3
            hidden = target.deleted or target.ephemeral_to not in {None, user}
            if hidden:
                raise NotShown(f"{user.name} does not see this message")
            resolved = {"messages": {str(target.id): payloads.of_message(target)}}
        else:
            assert channel is not None
            place, kind = channel, 2
            resolved = {"users": {str(target.id): payloads.of_user(target)}}
        command = self._registered(name, kind, place)
        owners = self._offered(command, user, place)
        data = {
            "id": command["id"],
            "name": name,
            "type": kind,
            "target_id": str(target.id),
            "resolved": resolved,
        }
        return await self._does(COMMAND, user, place, data, owners, wait=wait, age=age)

    async def clicks(
        self, user: User, message: Message, button: str, *, wait: bool = True, age: float = 0.0
    ) -> Interaction:
        """A user clicks a button, named by its label or its custom_id."""
        found = [
            part
            for part in self._shown(user, message)
            if part["type"] == 2 and button in {part.get("custom_id"), part.get("label")}
        ]
        if not found or found[0].get("disabled") or found[0]["style"] == 5:
            raise NotShown(f"no button {button!r} to click: {list(message.buttons)}")
        data = {"custom_id": found[0]["custom_id"], "component_type": 2, "id": found[0]["id"]}
        return await self._does(
            COMPONENT,
            user,
            message.channel,
            data,
            _owners(message),
            message=message,
            wait=wait,
            age=age,
        )

    async def selects(
        self,
        user: User,
        message: Message,
        custom_id: str,
        *values: str | Channel | User,
        wait: bool = True,
        age: float = 0.0,
    ) -> Interaction:
        """A user chooses in a select menu: values or labels of a list, channels, users."""
        menus = [part for part in self._shown(user, message) if part["type"] in {3, 5, 6, 7, 8}]
        menu = next((one for one in menus if one["custom_id"] == custom_id), None)
        if menu is None or menu.get("disabled"):
            known = [one["custom_id"] for one in menus]
            raise NotShown(f"no select menu {custom_id!r} to use: {known}")
        chosen, resolved = self._chosen(menu, values, message.channel)
        data = {
            "custom_id": custom_id,
            "component_type": menu["type"],
            "id": menu["id"],
            "values": chosen,
            **_found(resolved),
        }
        return await self._does(
            COMPONENT,
            user,
            message.channel,
            data,
            _owners(message),
            message=message,
            wait=wait,
            age=age,
        )

    async def _does(
        self,
        kind: int,
        user: User,
        channel: Channel,
        data: Payload,
        owners: dict[str, str],
        *,
        message: Message | None = None,
        wait: bool,
        age: float,
    ) -> Interaction:
        asked = self.service.interactions.new(
            kind, user, channel, data, owners, message=message, age=age
        )
        await self.service.gateway.interaction(asked.payload(self.world), channel.guild)
        if wait:
            await self.until(lambda: asked.answer, f"an answer to {data}")
        return asked


def _owners(message: Message) -> dict[str, str]:
    """For whom the bot was installed that wrote a message with components."""
    if message.interaction:
        return message.interaction.owners
    return {"0": str(message.channel.guild.id) if message.channel.guild else "0"}


def _found(resolved: Payload) -> Payload:
    """What Discord tells of those named, where any is."""
    return {"resolved": resolved} if resolved else {}
