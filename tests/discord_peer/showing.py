"""What Discord shows a user of a bot, and what it sends of what they choose there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.discord_peer import payloads, sending
from tests.discord_peer.kinds import DM
from tests.discord_peer.permissions import allowed, may
from tests.discord_peer.service import Service
from tests.discord_peer.world import Channel, Message, Payload, User, World

TEXT_KIND, FILE_KIND = 3, 11


class NotShown(AssertionError):  # noqa: N818
    """The user could not have done this: Discord does not show it to them."""


class Showing:
    """What a user sees of the bot; part of `Peer`."""

    service: Service
    world: World
    bot: User

    def _registered(self, name: str, kind: int, channel: Channel) -> Payload:
        known = self.service.commands
        for command in known:
            if command["name"] == name and command["type"] == kind:
                return command
        raise NotShown(f"no command {name!r}: {sorted(one['name'] for one in known)}")

    def _offered(self, command: Payload, user: User, channel: Channel) -> dict[str, str]:
        """For whom the command is installed where the user is; it must be shown to them there."""
        guild, bot = channel.guild, self.bot
        if not self.world.sees(user, channel):
            raise NotShown(f"{user.name} does not see the channel")
        types = command.get("integration_types") or [0]
        owners: dict[str, str] = {}
        if 0 in types and guild and bot.id in guild.members:
            owners["0"] = str(guild.id)
        if 0 in types and guild is None and bot in channel.recipients:
            owners["0"] = "0"
        if 1 in types and user.installed:
            owners["1"] = str(user.id)
        place = 0 if guild else 1 if channel.kind == DM and bot in channel.recipients else 2
        contexts = command.get("contexts")
        needed = command.get("default_member_permissions")
        if not owners or (contexts is not None and place not in contexts):
            raise NotShown(f"{command['name']!r} is not for this place")
        if guild and not may(user, channel, "use_application_commands"):
            raise NotShown(f"{user.name} may not use commands here")
        if guild and needed is not None:
            wanted = int(needed) or 8
            if allowed(user, channel) & wanted != wanted:
                raise NotShown(f"{user.name} may not use {command['name']!r}")
        return owners

    def _command(
        self,
        user: User,
        channel: Channel,
        name: str,
        options: Mapping[str, Any],
    ) -> tuple[Payload, Payload]:
        """A slash command, and what is sent of it with these options."""
        command = self._registered(name, 1, channel)
        known = command["options"]
        by_name = {one["name"]: one for one in known}
        missing = {one["name"] for one in known if one.get("required")} - options.keys()
        if missing or not by_name.keys() >= options.keys():
            raise NotShown(f"{name!r} takes {list(by_name)}, not {list(options)}")
        resolved: Payload = {}
        sent = [
            self._given(by_name[one], value, channel, resolved) for one, value in options.items()
        ]
        data = {"id": command["id"], "name": name, "type": 1, "options": sent}
        return command, data | {"resolved": resolved}

    def _given(self, option: Payload, value: Any, channel: Channel, resolved: Payload) -> Payload:
        """One option as it is sent; Discord checks its range and choices before."""
        kind = option["type"]
        if kind == TEXT_KIND:
            low, high = option.get("min_length") or 0, option.get("max_length") or 6000
            if not low <= len(value) <= high:
                raise NotShown(f"{option['name']} must have {low} to {high} characters")
        if kind == FILE_KIND:
            value = self._uploaded(value, channel, resolved)
        elif isinstance(value, (User, Channel)):
            value = self._named(value, channel, resolved)
        return {"name": option["name"], "type": kind, "value": value}

    def _uploaded(self, value: tuple[str, bytes], channel: Channel, resolved: Payload) -> str:
        name, content = value
        holder = Message(0, channel, self.bot)
        made = sending.attachment(self.world, holder, name, content) | {"ephemeral": True}
        resolved.setdefault("attachments", {})[made["id"]] = made
        return str(made["id"])

    def _named(self, value: User | Channel, channel: Channel, resolved: Payload) -> str:
        number = str(value.id)
        if isinstance(value, Channel):
            shown = payloads.of_channel(value)
            shown["permissions"] = payloads.permissions_of(self.bot, value)
            resolved.setdefault("channels", {})[number] = shown
            return number
        resolved.setdefault("users", {})[number] = payloads.of_user(value)
        member = channel.guild.members.get(value.id) if channel.guild else None
        if member:
            one = payloads.of_member(member, with_user=False)
            one["permissions"] = payloads.permissions_of(value, channel)
            resolved.setdefault("members", {})[number] = one
        return number

    def _shown(self, user: User, message: Message) -> list[Payload]:
        """The parts of a message that a user sees."""
        hidden = message.deleted or message.ephemeral_to not in {None, user}
        if hidden or not self.world.sees(user, message.channel):
            raise NotShown(f"{user.name} does not see this message")
        return message.parts

    def _chosen(
        self, menu: Payload, values: Sequence[str | Channel | User], channel: Channel
    ) -> tuple[list[str], Payload]:
        """What is sent of a choice in a select menu."""
        low, high = menu.get("min_values", 1), menu.get("max_values", 1)
        if not low <= len(values) <= high:
            raise NotShown(f"{menu['custom_id']!r} takes {low} to {high} choices")
        resolved: Payload = {}
        by_label = {one["label"]: one["value"] for one in menu.get("options") or ()}
        chosen = []
        for value in values:
            if not isinstance(value, str):
                chosen.append(self._named(value, channel, resolved))
            elif value in by_label or value in by_label.values():
                chosen.append(by_label.get(value, value))
            else:
                raise NotShown(f"{menu['custom_id']!r} has no {value!r}: {list(by_label)}")
        return chosen, resolved
