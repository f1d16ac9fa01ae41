"""What there is on the loopback Discord: users, servers, channels, messages."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tests.discord_peer.clock import Clock
from tests.discord_peer.permissions import EVERYONE, allowed, bits

if TYPE_CHECKING:
    from tests.discord_peer.interactions import Interaction

Payload = dict[str, Any]
"""JSON as it goes over the wire."""

EPHEMERAL, LOADING, COMPONENTS_V2 = 1 << 6, 1 << 7, 1 << 15

# https://docs.discord.com/developers/resources/channel#channel-object-channel-types
TEXT: Final = 0
DM: Final = 1
THREAD: Final = 11


@dataclass(eq=False, repr=False)
class User:
    """A person, a bot or a webhook. ``installed`` tells that they installed the tested bot for
    themselves; ``locale`` is the language of their client."""

    id: int
    name: str
    bot: bool = False
    webhook: bool = False
    installed: bool = False
    locale: str = "en-US"

    @property
    def mention(self) -> str:
        """How a text mentions them."""
        return f"<@{self.id}>"


@dataclass(eq=False, repr=False)
class Role:
    """A role of a server."""

    id: int
    name: str
    permissions: int


@dataclass(eq=False, repr=False)
class Member:
    """A user in a server."""

    user: User
    roles: list[Role] = field(default_factory=list)


@dataclass(eq=False, repr=False)
class Message:
    """A message as it is now; ``versions`` are its payloads from the first to the last, ``pinged``
    the ids of users it rang for (and "everyone"), and ``ephemeral_to`` the only user who sees
    it."""

    id: int
    channel: Channel
    author: User
    kind: int = 0
    content: str = ""
    embeds: list[Payload] = field(default_factory=list)
    components: list[Payload] = field(default_factory=list)
    flags: int = 0
    nonce: str | None = None
    reply_to: Message | None = None
    timestamp: float = 0.0
    edited: float | None = None
    interaction: Interaction | None = None
    ephemeral_to: User | None = None
    thread: Channel | None = None
    versions: list[Payload] = field(default_factory=list)
    deleted: bool = False
    pinged: set[int | str] = field(default_factory=set)

    @property
    def parts(self) -> list[Payload]:
        """Its components, nested ones too, in the order in which they are read."""
        return list(each(self.components))

    @property
    def text(self) -> str:
        """All that can be read in it: content, embeds and texts of components, by lines."""
        found = [self.content]
        found += [embed.get("description") or "" for embed in self.embeds]
        found += [part["content"] for part in self.parts if part["type"] == 10]
        return "\n".join(line for line in found if line)

    @property
    def buttons(self) -> dict[str, Payload]:
        """Its buttons by their label."""
        return {part["label"]: part for part in self.parts if part["type"] == 2}


def each(components: list[Payload]) -> Iterator[Payload]:
    """Components with those nested in them."""
    for part in components:
        yield part
        yield from each(part.get("components") or [])


@dataclass(eq=False, repr=False)
class Channel:
    """A channel of a server, a thread (of ``parent``, started at the message of the same id if
    there is one) or a direct message (of ``recipients``). ``overwrites`` by id of a role or a user:
    what they allow and deny."""

    id: int
    name: str
    kind: int = TEXT
    guild: Guild | None = None
    parent: Channel | None = None
    owner: User | None = None
    recipients: list[User] = field(default_factory=list)
    overwrites: dict[int, tuple[int, int]] = field(default_factory=dict)
    messages: dict[int, Message] = field(default_factory=dict)

    @property
    def is_thread(self) -> bool:
        """Whether it is a thread."""
        return self.kind == THREAD


@dataclass(eq=False, repr=False)
class Guild:
    """A server; ``locale`` is its language."""

    id: int
    name: str
    owner: User
    everyone: Role
    locale: str = "en-US"
    roles: list[Role] = field(default_factory=list)
    members: dict[int, Member] = field(default_factory=dict)
    channels: dict[int, Channel] = field(default_factory=dict)

    def channel(self, name: str) -> Channel:
        """The channel of this name."""
        return next(one for one in self.channels.values() if one.name == name)


class World:
    """All of it; ``bot`` is the user of the tested bot, whose application has the same id.
    ``files`` are contents of attachments by the path of their address."""

    def __init__(self, clock: Clock) -> None:
        self.clock = clock
        self.guilds: dict[int, Guild] = {}
        self.channels: dict[int, Channel] = {}
        self.files: dict[str, bytes] = {}
        self.bot = self.user("halubot", bot=True)

    def user(self, name: str, **given: Any) -> User:
        """A new user."""
        return User(self.clock.snowflake(), name, **given)

    def guild(self, name: str, owner: User, channels: tuple[str, ...], *, with_bot: bool) -> Guild:
        """A new server with its text channels, and the tested bot in it."""
        number = self.clock.snowflake()
        made = Guild(number, name, owner, Role(number, "@everyone", EVERYONE))
        made.roles.append(made.everyone)
        self.guilds[number] = made
        self.join(made, owner)
        if with_bot:
            self.join(made, self.bot)
        for channel in channels:
            self._kept(Channel(self.clock.snowflake(), channel, guild=made))
        return made

    def join(self, guild: Guild, user: User, *permissions: str) -> Member:
        """A user in a server, with a role of their own if they get permissions."""
        member = guild.members.setdefault(user.id, Member(user))
        if permissions:
            role = Role(self.clock.snowflake(), f"role of {user.name}", bits(*permissions))
            guild.roles.append(role)
            member.roles.append(role)
        return member

    def thread(self, parent: Channel, owner: User, at: Message | None = None) -> Channel:
        """A new thread, with the id of the message it starts at."""
        number = at.id if at else self.clock.snowflake()
        made = Channel(number, "thread", THREAD, parent.guild, parent, owner)
        if at:
            at.thread = made
        return self._kept(made)

    def dm(self, user: User) -> Channel:
        """The direct message of a user with the tested bot."""
        known = (one for one in self.channels.values() if user in one.recipients)
        number = self.clock.snowflake()
        return next(known, None) or self._kept(Channel(number, "", DM, recipients=[user, self.bot]))

    def _kept(self, channel: Channel) -> Channel:
        self.channels[channel.id] = channel
        if channel.guild:
            channel.guild.channels[channel.id] = channel
        return channel

    def message(self, channel: Channel, author: User, **given: Any) -> Message:
        """A new message, not yet seen by anybody."""
        made = Message(self.clock.snowflake(), channel, author, timestamp=self.clock.now(), **given)
        if made.ephemeral_to is None:
            channel.messages[made.id] = made
        return made

    def remove(self, channel: Channel) -> None:
        """A channel with its messages."""
        self.channels.pop(channel.id, None)
        if channel.guild:
            channel.guild.channels.pop(channel.id, None)
        for message in channel.messages.values():
            message.deleted = True

    def sees(self, user: User, channel: Channel) -> bool:
        """Whether a user can read a channel."""
        return channel.id in self.channels and bool(allowed(user, channel) & bits("view_channel"))
