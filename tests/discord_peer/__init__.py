"""A Discord on this machine, for tests: REST and gateway over real HTTPS and WebSockets, under
Discord's own addresses, with Discord's limits enforced. The client is the real discord.py.

    async with Peer.open() as peer:
        guild = peer.guild("server", channels=("general",))
        ada = peer.member(guild, "Ada", "manage_guild")
        client = MyClient(intents=..., connector=peer.connector())
        async with peer.running(client):
            asked = await peer.uses_command(ada, guild.channel("general"), "check", text="...")
            await peer.until(lambda: "doubtful" in asked.text)
            assert not peer.refused

People do what the methods of `acting` and `using` say; what Discord would not show them raises
`NotShown`. `peer.messages(channel)` and `peer.said(channel)` (the bot's) are `Message`s, uses are
`Interaction`s, `peer.requests` and `peer.refused` what the bot asked of Discord.

`await peer.until(condition)` looks again at each change; `await peer.heard()` waits until the
client has read all events so far. Time stands still unless `peer.clock.advance(seconds)`: 3 s for
a first answer (10062), 15 minutes for a token (50027). `peer.fault(path, method, ...)` lets
requests go wrong (`Fault`); `disconnects`, `vanish`, `forbids`, `grants` and `peer.gateway` break
the rest.

discord.py waits 5 s before a new session in place of a lost one (override `before_identify_hook`),
1 s and more after 500, 502, 504 and 524, and `guild_ready_timeout` seconds before `on_ready`.
"""

from tests.discord_peer.interactions import Interaction
from tests.discord_peer.peer import Peer
from tests.discord_peer.world import Channel, Guild, Message, User

__all__ = ["Channel", "Guild", "Interaction", "Message", "Peer", "User"]
