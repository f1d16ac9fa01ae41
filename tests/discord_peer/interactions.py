"""Interactions: commands, menus, buttons, and how a bot answers them.

The first answer must come within 3 s of Discord's clock (else 10062), once (else 40060); then the
token of the interaction holds for 15 minutes (else 50027).
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from tests.discord_peer import limits, payloads, sending
from tests.discord_peer.kinds import GROUP
from tests.discord_peer.permissions import may
from tests.discord_peer.refusals import Form, Refusal
from tests.discord_peer.world import (
    EPHEMERAL,
    LOADING,
    Channel,
    Message,
    Payload,
    User,
    World,
)

FIRST: Final = 3.0
LIVES: Final = 15 * 60.0
COMMAND, COMPONENT = 2, 3


@dataclass(eq=False)
class Interaction:
    """What a user did, and the bot's answers to it.

    ``answer`` is the kind of the first one (4 a message, 5 thinking, 6 nothing yet, 7 the message
    changed), ``response`` the message of it, ``followups`` those after it,
    ``owners`` tells for whom the bot was
    installed: "0" a server, "1" a user. ``asked_at`` and ``answered_at`` are moments of
    `time.monotonic`.
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
    asked_at: float = field(default_factory=time.monotonic)
    answered_at: float = 0.0

    @property
    def text(self) -> str:
        """All that the user reads in answer to it."""
        shown = [self.response, *self.followups]
        return "\n".join(one.text for one in shown if one and not one.deleted)

    @property
    def ephemeral(self) -> bool:
        """Whether its answer is for the user alone."""
        return self.response is not None and self.response.ephemeral_to is not None

    @property
    def is_private(self) -> bool:
        """Whether only the user has the bot: it knows nothing of the place."""
        return "0" not in self.owners

    def payload(self, world: World) -> Payload:
        """What the gateway tells of it."""
        guild = self.channel.guild
        made: Payload = {
            "id": str(self.id),
            "application_id": str(world.bot.id),
            "type": self.kind,
            "token": self.token,
            "version": 1,
            "data": self.data,
            "channel_id": str(self.channel.id),
            "channel": payloads.of_channel(self.channel, world.bot)
            | {"permissions": payloads.permissions_of(self.user, self.channel)},
            "locale": self.user.locale,
            "entitlements": [],
            "authorizing_integration_owners": self.owners,
            "attachment_size_limit": limits.FILE_SIZE,
            "app_permissions": payloads.permissions_of(
                self.user if self.is_private else world.bot, self.channel
            ),
            "context": 2,
        }
        if guild is None:
            with_bot = world.bot in self.channel.recipients and self.channel.kind != GROUP
            made |= {"user": payloads.of_user(self.user), "context": 1 if with_bot else 2}
        else:
            member = payloads.of_member(guild.members[self.user.id])
            member["permissions"] = payloads.permissions_of(self.user, self.channel)
            made |= {
                "guild_id": str(guild.id),
                "guild": {"id": str(guild.id), "features": [], "locale": guild.locale},
                "guild_locale": guild.locale,
                "member": member,
                "context": 0,
            }
        if self.message is not None:
            made["message"] = payloads.of_message(self.message)
        return made


class Interactions:
    """All of them; ``tell`` is called with each message that came, changed or went, and whether
    it "CREATE"d, "UPDATE"d or "DELETE"d it."""

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
        made = Interaction(
            self.world.clock.snowflake(age),
            secrets.token_urlsafe(24),
            kind,
            user,
            channel,
            data,
            owners,
            message,
            self.world.clock.now() - age,
        )
        self.by_token[made.token] = made
        return made

    def answer(self, number: int, token: str, body: Payload) -> Payload | None:
        """The first answer (POST callback); what is told of it."""
        asked = self.by_token.get(token)
        if asked is None or asked.id != number:
            raise Refusal(10062)
        if asked.answer:
            raise Refusal(40060)
        if self.world.clock.now() - asked.created > FIRST:
            raise Refusal(10062)
        if asked.channel.id not in self.world.channels:
            raise Refusal(10003)
        kind, data = int(body["type"]), body.get("data") or {}
        among = {4, 5} if asked.kind == COMMAND else {4, 5, 6, 7}
        if kind not in among:
            form = Form()
            form.fault(("type",), "BASE_TYPE_CHOICES", f"Value must be one of {sorted(among)}.")
            form.done()
        if kind in {4, 5}:
            thinking = {"flags": (int(data.get("flags") or 0) & EPHEMERAL)}
            asked.response = self._write(asked, data if kind == 4 else thinking, kind == 5)
        elif kind == 7:
            assert asked.message is not None
            if asked.message.deleted:
                raise Refusal(10008)
            sending.edit(self.world, asked.message, data)
            asked.response = asked.message
            self._tell("UPDATE", asked.message)
        else:
            asked.response = asked.message
        asked.answer, asked.answered_at = kind, time.monotonic()
        return self._told(asked)

    def _told(self, asked: Interaction) -> Payload:
        told: Payload = {"id": str(asked.id), "type": asked.kind}
        made: Payload = {"interaction": told}
        if asked.response is not None and asked.answer != 6:
            told |= {
                "response_message_id": str(asked.response.id),
                "response_message_loading": asked.response.loading,
                "response_message_ephemeral": asked.ephemeral,
            }
            if asked.answer in {4, 7}:
                message = payloads.of_message(asked.response)
                made["resource"] = {"type": asked.answer, "message": message}
        return made

    def _write(self, asked: Interaction, body: Payload, thinking: bool = False) -> Message:
        """A message in answer; one of a bot that only the user has, where the server does not let
        it speak, is for the user alone."""
        bot = self.world.bot
        alone = bool(int(body.get("flags") or 0) & EPHEMERAL)
        if asked.is_private and asked.channel.guild:
            alone = alone or not may(asked.user, asked.channel, "use_external_apps")
        kind = 20 if asked.kind == COMMAND and asked.data.get("type", 1) == 1 else 0
        if asked.kind == COMMAND and not kind:
            kind = 23
        given: dict[str, object] = {
            "kind": kind,
            "interaction": asked,
            "ephemeral_to": asked.user if alone else None,
        }
        if thinking:
            message = self.world.message(asked.channel, bot, **given)
            message.flags = LOADING
            message.versions.append(payloads.of_message(message))
        else:
            message = sending.new(self.world, asked.channel, bot, body, **given)
        message.flags = (message.flags & ~EPHEMERAL) | (EPHEMERAL if alone else 0)
        self._tell("CREATE", message)
        return message

    def alive(self, application: int, token: str) -> Interaction:
        """The interaction of a token that still holds and was answered."""
        asked = self.by_token.get(token)
        if asked is None or application != self.world.bot.id:
            raise Refusal(10015)
        if self.world.clock.now() - asked.created > LIVES:
            raise Refusal(50027)
        if not asked.answer:
            raise Refusal(10015)
        return asked

    def follow_up(self, asked: Interaction, body: Payload) -> Message:
        """A message after the first answer; the first one after thinking takes its place."""
        first = asked.response
        if asked.answer == 5 and first and first.loading and not first.deleted:
            self.edit(asked, first, body)
            return first
        if asked.is_private and asked.channel.guild and len(asked.followups) >= 5:
            raise Refusal(40094)
        message = self._write(asked, body)
        message.reply_to = first if first and not first.deleted else None
        asked.followups.append(message)
        return message

    def find(self, asked: Interaction, which: str) -> Message:
        """The message "@original", or one of this number that the bot wrote in answer."""
        known = [one for one in (asked.response, *asked.followups) if one is not None]
        if which == "@original":
            known = [asked.response] if asked.response else []
        else:
            known = [one for one in known if str(one.id) == which]
        if not known or known[0].deleted:
            raise Refusal(10008)
        return known[0]

    def edit(self, asked: Interaction, message: Message, body: Payload) -> None:
        """Changes a message of an answer."""
        if message.channel.id not in self.world.channels:
            raise Refusal(10003)
        sending.edit(self.world, message, body)
        self._tell("UPDATE", message)
