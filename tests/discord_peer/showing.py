"""What Discord shows a user of a bot, and what it sends of what they choose there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tests.discord_peer import payloads, sending
from tests.discord_peer.kinds import DM
from tests.discord_peer.limits import LABEL, SELECTS
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
        guild = channel.guild
        known: list[Payload] = [*self.service.guild_commands.get(guild.id if guild else 0, ())]
        known += self.service.commands
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
        *,
        partial: bool = False,
    ) -> tuple[Payload, Payload]:
        """A slash command, and what is sent of it with these options."""
        first, *deeper = name.split()
        command = self._registered(first, 1, channel)
        known, path = command["options"], []
        for part in deeper:
            found = [one for one in known if one["name"] == part and one["type"] in {1, 2}]
            if not found:
                raise NotShown(f"no command {name!r}: {[one['name'] for one in known]}")
            path.append(found[0])
            known = found[0].get("options") or []
        if any(one["type"] in {1, 2} for one in known):
            raise NotShown(f"{name!r} is a group: {[one['name'] for one in known]}")
        by_name = {one["name"]: one for one in known}
        missing = [one["name"] for one in known if one.get("required")]
        missing = [] if partial else [one for one in missing if one not in options]
        if missing or not by_name.keys() >= options.keys():
            raise NotShown(f"{name!r} takes {list(by_name)}, not {list(options)}")
        resolved: Payload = {}
        sent = [
            self._given(by_name[one], value, channel, resolved, partial=partial)
            for one, value in options.items()
        ]
        for one in reversed(path):
            sent = [{"name": one["name"], "type": one["type"], "options": sent}]
        data = {"id": command["id"], "name": first, "type": 1, "options": sent}
        return command, data | {"resolved": resolved}

    def _given(
        self, option: Payload, value: Any, channel: Channel, resolved: Payload, *, partial: bool
    ) -> Payload:
        """One option as it is sent; Discord checks its range and choices before."""
        kind = option["type"]
        choices = [one["value"] for one in option.get("choices") or ()]
        if choices and value not in choices and not partial:
            raise NotShown(f"{option['name']} must be one of {choices}")
        if kind in {4, 10}:
            low, high = option.get("min_value", value), option.get("max_value", value)
            if not low <= value <= high:
                raise NotShown(f"{option['name']} must be from {low} to {high}")
        if kind == TEXT_KIND:
            low, high = option.get("min_length") or 0, option.get("max_length") or 6000
            if not low <= len(value) <= high and not partial:
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

    def _filled(
        self, part: Payload, values: dict[str, Any], resolved: Payload, channel: Channel
    ) -> Payload:
        """A part of a modal as it is sent back; takes what it used out of ``values``."""
        if part["type"] not in {LABEL, 1}:
            return {"type": part["type"], "id": part.get("id", 0)}
        field = part["component"] if part["type"] == LABEL else part["components"][0]
        names = (field["custom_id"], part.get("label") or field.get("label"))
        given = next((values.pop(one) for one in names if one in values), None)
        sent: Payload = {"type": field["type"], "custom_id": field["custom_id"], "id": 1}
        if field["type"] in SELECTS:
            before = [one["value"] for one in field.get("options") or () if one.get("default")]
            before += [one["id"] for one in field.get("default_values") or ()]
            if given is None:
                sent["values"] = before
            else:
                several = [given] if isinstance(given, (str, User, Channel)) else list(given)
                sent["values"], found = self._chosen(field, several, channel)
                resolved |= found
        else:
            text = field.get("value", "") if given is None else given
            low, high = field.get("min_length") or 0, field.get("max_length") or 4000
            if (field.get("required", True) and not text) or not low <= len(text) <= high:
                raise NotShown(f"{names[0]!r} must have {low} to {high} characters: {text!r}")
            sent["value"] = text
        if part["type"] == LABEL:
            return {"type": LABEL, "id": 1, "component": sent}
        return {"type": 1, "id": 1, "components": [sent]}
