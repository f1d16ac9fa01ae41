"""Interactions: commands, menus, buttons, and how a bot answers them.

The first answer must come within 3 s of Discord's clock (else 10062), once (else 40060); then the
token of the interaction holds for 15 minutes (else 50027).
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from tests.discord_peer import limits, payloads, sending
from tests.discord_peer.refusals import Refusal, demand
from tests.discord_peer.world import EPHEMERAL, LOADING, Channel, Message, Payload, User, World

FIRST: Final = 3.0
LIVES: Final = 15 * 60.0
COMMAND, COMPONENT = 2, 3


@dataclass(eq=False)
class Interaction:
    """What a user did, and the bot's answers to it.

    ``answer`` is the kind of the first one (4 a message, 5 thinking, 6 nothing yet), ``response``
    the message of it, ``followups`` those after it. ``owners`` tells for whom the bot was
    installed: "0" a server, "1" a user.
    """

    id: int
    token: str
    kind: int
    user: User
    channel: Channel
    data: Payload
    owners: dict[str, str]
    message: Message | None = None
    created: float = 0.0
    answer: int = 0
    response: Message | None = None
    followups: list[Message] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All that the user reads in answer to it."""
        shown = [self.response, *self.followups]
        return "\n".join(one.text for one in shown if one and not one.deleted)

    @property
    def ephemeral(self) -> bool:
        """Whether its answer is for the user alone."""
        return self.response is not None and self.response.ephemeral_to is not None

    def payload(self, world: World) -> Payload:
        """What the gateway tells of it."""
        guild = self.channel.guild
        permissions = payloads.permissions_of(self.user, self.channel)
        channel = payloads.of_channel(self.channel, world.bot) | {"permissions": permissions}
        knows = world.bot if "0" in self.owners else self.user
        made: Payload = {
            "id": str(self.id),
            "application_id": str(world.bot.id),
            "type": self.kind,
            "token": self.token,
            "version": 1,
            "data": self.data,
            "channel_id": str(self.channel.id),
            "channel": channel,
            "locale": self.user.locale,
            "entitlements": [],
            "authorizing_integration_owners": self.owners,
            "attachment_size_limit": limits.FILE_SIZE,
            "app_permissions": payloads.permissions_of(knows, self.channel),
            "context": 0 if guild else 1,
        }
        if guild is None:
            made["user"] = payloads.of_user(self.user)
        else:
            member = payloads.of_member(guild.members[self.user.id])
            made |= {
                "guild_id": str(guild.id),
                "guild": {"id": str(guild.id), "features": [], "locale": guild.locale},
                "guild_locale": guild.locale,
                "member": member | {"permissions": permissions},
            }
        if self.message is not None:
            made["message"] = payloads.of_message(self.message)
        return made


class Interactions:
    """All of them; ``tell`` is called with each message that came or changed, and whether it
    "CREATE"d or "UPDATE"d it."""

    def __init__(self, world: World, tell: Callable[[str, Message], Any]) -> None:
        self.world = world
        self.by_token: dict[str, Interaction] = {}
        self._tell = tell

    def new(
        self,
        kind: int,
        user: User,
        channel: Channel,
        data: Payload,
        owners: dict[str, str],
        *,
        message: Message | None = None,
        age: float = 0.0,
    ) -> Interaction:
        """A new interaction, begun ``age`` seconds ago."""
        clock, token = self.world.clock, secrets.token_urlsafe(24)
        what = (clock.snowflake(), token, kind, user, channel, data, owners, message)
        made = self.by_token[token] = Interaction(*what, clock.now() - age)
        return made

    def answer(self, token: str, body: Payload) -> Payload:
        """The first answer (POST callback); what is told of it."""
        asked = self.by_token.get(token)
        if asked is None or self.world.clock.now() - asked.created > FIRST:
            raise Refusal(10062)
        if asked.answer:
            raise Refusal(40060)
        kind, data = int(body["type"]), body.get("data") or {}
        demand(kind in ({4, 5} if asked.kind == COMMAND else {4, 5, 6}), f"type {kind}")
        asked.response = asked.message
        if kind in {4, 5}:
            asked.response = self._write(asked, data, thinking=kind == 5)
        asked.answer = kind
        told: Payload = {"id": str(asked.id), "type": asked.kind}
        made: Payload = {"interaction": told}
        if asked.response is not None and kind != 6:
            told["response_message_id"] = str(asked.response.id)
            told["response_message_loading"] = kind == 5
            told["response_message_ephemeral"] = asked.ephemeral
            if kind == 4:
                message = payloads.of_message(asked.response)
                made["resource"] = {"type": kind, "message": message}
        return made

    def _write(self, asked: Interaction, body: Payload, *, thinking: bool = False) -> Message:
        """A message in answer."""
        bot, alone = self.world.bot, bool(int(body.get("flags") or 0) & EPHEMERAL)
        given: Payload = {"interaction": asked, "ephemeral_to": asked.user if alone else None}
        if thinking:
            message = self.world.message(asked.channel, bot, flags=LOADING, **given)
            message.versions.append(payloads.of_message(message))
        else:
            message = sending.new(self.world, asked.channel, bot, body, **given)
        message.flags = (message.flags & ~EPHEMERAL) | (EPHEMERAL if alone else 0)
        self._tell("CREATE", message)
        return message

    def alive(self, token: str) -> Interaction:
        """The interaction of a token that still holds and was answered."""
        asked = self.by_token.get(token)
        if asked is None or not asked.answer:
            raise Refusal(10015)
        if self.world.clock.now() - asked.created > LIVES:
            raise Refusal(50027)
        return asked

    def follow_up(self, asked: Interaction, body: Payload) -> Message:
        """A message after the first answer."""
        message = self._write(asked, body)
        asked.followups.append(message)
        return message

    def edit(self, asked: Interaction, body: Payload) -> Message:
        """Changes the first answer."""
        if asked.response is None or asked.response.deleted:
            raise Refusal(10008)
        sending.edit(self.world, asked.response, body)
        self._tell("UPDATE", asked.response)
        return asked.response
