"""What people and other bots do: write, edit, delete, come and go."""

from __future__ import annotations

from collections.abc import Sequence

from tests.discord_peer import payloads, sending
from tests.discord_peer.service import Service
from tests.discord_peer.world import COMPONENTS_V2, Channel, Guild, Message, Payload, User, World


class Acting:
    """Deeds on the loopback Discord; part of `Peer`."""

    service: Service
    world: World
    bot: User

    async def says(
        self,
        author: User,
        channel: Channel,
        text: str = "",
        *,
        reply_to: Message | None = None,
        embeds: Sequence[Payload] = (),
        components: Sequence[Payload] = (),
        asked_by: User | None = None,
    ) -> Message:
        """A new message; ``asked_by`` somebody who installed its author for themselves alone.
        ``components`` are of Components V2 (without a text and embeds)."""
        message = self.world.message(
            channel,
            author,
            content=text,
            reply_to=reply_to,
            kind=19 if reply_to else 0,
            embeds=[{"type": "rich"} | one for one in embeds],
            components=list(components),
            flags=COMPONENTS_V2 if components else 0,
        )
        if asked_by is not None:
            message.interaction = self.service.interactions.new(
                2, asked_by, channel, {"name": "ask"}, {"1": str(asked_by.id)}
            )
        sending.ring(message, None)
        message.versions.append(payloads.of_message(message))
        await self.service.tell("CREATE", message)
        return message

    async def edits(self, message: Message, text: str) -> None:
        """The author changes their message."""
        message.content = text
        message.edited = self.world.clock.now()
        message.versions.append(payloads.of_message(message))
        await self.service.tell("UPDATE", message)

    async def deletes(self, message: Message) -> None:
        """Somebody deletes a message."""
        await self.service.delete(message)

    def vanish(self, message: Message) -> None:
        """Somebody deletes a message while the bot does not hear of it."""
        message.deleted = True
        message.channel.messages.pop(message.id, None)

    async def deletes_channel(self, channel: Channel) -> None:
        """Somebody deletes a channel or a thread with all that is in it."""
        await self.service.tell_channel("DELETE", channel)
        self.world.remove(channel)

    async def opens_thread(
        self, author: User, channel: Channel, at: Message | None = None
    ) -> Channel:
        """Somebody opens a thread, at a message if one is given."""
        thread = self.world.thread(channel, author, at)
        await self.service.tell_channel("CREATE", thread)
        return thread

    async def kicks(self, guild: Guild) -> None:
        """Somebody removes the bot from a server."""
        gone = {"id": str(guild.id)}
        await self.service.gateway.dispatch("GUILD_DELETE", gone, guild=guild, intent="guilds")
        guild.members.pop(self.bot.id, None)

    async def invites(self, guild: Guild) -> None:
        """Somebody invites the bot to a server again."""
        self.world.join(guild, self.bot)
        data = payloads.of_guild(guild, self.bot)
        await self.service.gateway.dispatch("GUILD_CREATE", data, guild=guild, intent="guilds")
