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

**People.** `peer.user(name, bot=, installed=)`, `peer.member(guild, user or name, *permissions)`,
`peer.webhook(name)`, `peer.guild(name, channels=, with_bot=, bot_permissions=)`,
`guild.channel(name)`, `peer.dm(user)` (with the bot), `peer.dm(a, b)` (without it). `peer.bot` is
the bot's own user.

**Kinds.** `peer.channel(guild, name, kinds.FORUM)` makes other channels than text (`kinds`: VOICE,
ANNOUNCEMENT, FORUM), before the client runs; `channel.slow` is slow mode, `guild.blocked` what
AutoMod blocks, `guild.locale` and `user.locale` their languages.

**Deeds.** `await peer.says(author, channel, text, reply_to=, forwards=, embeds=, components=,
files=)`, `edits(message, text)`, `unfurls(message, *embeds)`, `deletes(message, *more)`,
`deletes_channel`, `opens_thread(author, channel, name, at=, private=)`,
`lets_in(user, thread)`, `archives`, `reacts`, `unreacts`, `invites(guild)`,
`kicks(guild)`.

**Uses.** `uses_command(user, channel, "settings show", option=...)`, `uses_menu(user, message,
"Check facts")`, `clicks(user, message, label or custom_id)`, `selects(user, message, custom_id,
*values)`, `fills(interaction, field=...)`, `types(user, channel, command, option, text)` (choices).
Each waits for the first answer (``wait=False``: does not) and returns an `Interaction`: `response`,
`followups`, `modal`, `text`, `ephemeral`, `answer` (the kind of callback), `asked_at`,
`answered_at`. What Discord would not show this user raises `NotShown`.

**Looking.** `peer.messages(channel)`, `peer.said(channel)` (the bot's), each a `Message`:
`content`, `embeds`, `components`, `parts` (nested ones too), `text` (all that can be read),
`buttons` by label, `attachments` (contents: `peer.content(attachment)`), `reactions`, `versions`
(first to last payload), `pinged`, `thread`, `deleted`, `ephemeral_to`, `loading`;
`channel.threads`, `channel.typing`; `peer.commands`; `peer.requests` and `peer.refused`, each with
`method`, `path`, `body`, `status`, `code`, `at`.

**Waiting.** `await peer.until(condition, "what")` looks again at each change; `await peer.heard()`
waits until the client has read all events so far (its handlers may still work). No sleeping.

**Time** stands still unless `peer.clock.advance(seconds)`: 3 s for a first answer (10062), 15
minutes for a token (50027). ``age=`` of a use: it comes that late. `Peer.open(running_clock=True)`
follows the machine's: with a bot of another process the 3 s are then what they are on Discord.

**Faults.** `peer.fault(path, method, status=, code=, times=, gate=, done=, drop=, ...)` (see
`Fault`); `disconnects(code)`, `invalidates(resumable=)`, `asks_to_reconnect()`, `sends_raw(text)`,
`peer.gateway.refuse_resume`, `peer.token = ...` (4004), `peer.grants(*intents)` (4014),
`await peer.forbids(channel or guild, *permissions, user=)` and `allows`, `peer.rates.calls = 5`
(429 in real time). `peer.gateway`: `interval` of heartbeats, `deaf`, `shards`, `sessions` and
those `connected` (each with `beats`, `resumed`, `lateness(interval)`), `closed` (codes), `heard`
(frames).

**Waits of the library.** A client waits 5 s before it begins a new session in place of a lost one
(override `before_identify_hook`), 1 s and more after 500, 502, 504 and 524 (503 raises at once),
and `guild_ready_timeout` seconds before `on_ready`. A client in another process connects with
`connecting.connector(port, certificate)`. `peer.forgets()` drops what was said, for measurements of
memory.
"""

from tests.discord_peer.faults import Fault, Request
from tests.discord_peer.interactions import Interaction
from tests.discord_peer.peer import Peer
from tests.discord_peer.sessions import Session
from tests.discord_peer.showing import NotShown
from tests.discord_peer.world import Channel, Guild, Message, Payload, User

__all__ = [
    "Channel",
    "Fault",
    "Guild",
    "Interaction",
    "Message",
    "NotShown",
    "Payload",
    "Peer",
    "Request",
    "Session",
    "User",
]
