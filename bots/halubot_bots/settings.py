"""The settings of a bot: as a server set it, and within what its owner allows.

Everything is off until a server's managers switch it on. The owner's limits stand above all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import Field, ValidationError, field_validator

from halubot.errors import SettingError
from halubot.report import Frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

Style = Literal["reply", "thread", "reaction"]
"""How a checked message is annotated: by a reply, by a card in a thread, or by a bare reaction
whose report is shown to whoever asks for it."""


DAY_DOLLARS: Final = 2.50
"""The most that all checks of a day may cost unless the owner says otherwise."""


class Quota(Frozen):
    """The most that may be used in a day (UTC). None sets no limit; 0 allows nothing."""

    checks: int | None = Field(default=None, ge=0)
    calls: int | None = Field(default=None, ge=0)
    dollars: float | None = Field(default=None, ge=0)


class ChannelSettings(Frozen):
    """The settings that a channel has otherwise than its server; None is as in the server."""

    style: Style | None = None
    model: str | None = None
    knowledge: str | None = None
    threshold: float | None = Field(default=None, ge=0, le=1)
    settled: float | None = Field(default=None, ge=1, le=600)


class ServerSettings(Frozen):
    """One server. ``on`` is whether anything is annotated by itself, in ``channels``, of what
    ``authors`` (people, bots) and ``webhooks`` write; commands and menus work without that where
    ``commands`` is set. ``method`` and ``model`` are empty for the owner's. ``checkers``,
    ``askers`` and ``correctors`` are the roles that may check, ask the model and correct; empty:
    everybody.
    ``apart`` are channels that have something otherwise."""

    on: bool = False
    commands: bool = True
    answers: bool = False
    """Whether halubot answers if it is mentioned, with the model."""
    channels: frozenset[int] = frozenset()
    authors: frozenset[int] = frozenset()
    webhooks: frozenset[int] = frozenset()
    style: Style = "reply"
    method: str = ""
    model: str = ""
    samples: int | None = Field(default=None, ge=1, le=100)
    threshold: float | None = Field(default=None, ge=0, le=1)
    knowledge: str = ""
    settled: float | None = Field(default=None, ge=1, le=600)
    """Seconds for which a message must have stayed as it is before it is annotated."""
    apart: dict[int, ChannelSettings] = Field(default_factory=dict)
    language: str = ""
    """The language of annotations; "" for the server's own."""
    checkers: frozenset[int] = frozenset()
    askers: frozenset[int] = frozenset()
    correctors: frozenset[int] = frozenset()
    cooldown: float = Field(default=1, ge=0, le=3600)
    """Seconds between two checks of one person, of which ten may come at once."""
    of_user: Quota = Quota(checks=20)
    of_channel: Quota = Quota(checks=100)
    of_server: Quota = Quota(checks=500)

    def in_channel(self, channel: int, parent: int | None = None) -> ServerSettings:
        """The settings as they are in a channel; a thread has those of its channel (``parent``)
        unless it is set apart itself."""
        found = self.apart.get(channel) or self.apart.get(parent or channel)
        if found is None:
            return self
        return self.model_copy(update=found.model_dump(exclude_none=True))

    def watches(self, channel: int, author: int, parent: int | None = None) -> bool:
        """Return True if what this author writes there is annotated by itself; ``parent`` is the
        channel that a thread belongs to."""
        here = channel in self.channels or (parent is not None and parent in self.channels)
        return self.on and here and author in self.authors | self.webhooks


class OwnerLimits(Frozen):
    """The limits that the owner of the bot sets, whatever servers set.

    ``models`` are those that may be used (the first is the default; none: the embedded engine
    alone), ``servers`` those it works in (none named: all). ``in_all`` and ``of_server`` limit a
    day; ``of_installed`` is each person's own where the bot was installed by them alone. Without
    dollars in ``in_all`` a day may cost `DAY_DOLLARS`; ``dollars = inf`` sets no limit.
    """

    models: tuple[str, ...] = ()
    knowledge: tuple[str, ...] = ()
    """Knowledge bases that servers may choose from: `halubot knowledge list`, "wikipedia"."""
    judge_model: str = ""
    api_base: str = ""
    reasoning_effort: str = ""
    """How long the models think, in their provider's words."""
    think: bool | None = None
    """Turns the models' thoughts on or off."""
    num_ctx: int | None = Field(default=None, ge=1)
    """Tokens of context that Ollama opens."""
    parameters: dict[str, Any] = Field(default_factory=dict)
    """More parameters of the models' server."""
    servers: frozenset[int] = frozenset()
    direct: bool = True
    """Checks may be asked for in direct messages."""
    installs: bool = True
    """Checks may be asked for if a person installed the bot for themselves alone."""
    in_all: Quota = Quota(dollars=DAY_DOLLARS)
    of_server: Quota = Quota()
    of_installed: Quota = Quota(checks=10)
    reads_content: bool = True
    """Whether the bot may read what others write: for annotations and answers, not for menus."""
    days_kept: int = Field(default=30, ge=1, le=3650)
    """After so many days texts and reports are deleted."""
    per_minute: int = Field(default=6, ge=1, le=600)
    """Annotations in one channel within a minute at most."""
    attachment_bytes: int = Field(default=1 << 20, ge=1, le=50 << 20)
    at_once: int = Field(default=4, ge=1, le=64)
    """Checks that run side by side."""
    deadline: float = Field(default=300, gt=0)
    """Seconds that one check may take."""
    calls_a_check: int = Field(default=60, ge=0)
    """Model calls that one check may make."""
    dollars_a_check: float | None = Field(default=None, ge=0)
    """The dollars that one check may cost."""
    health: str = ""
    """Where a page says how the bot is, as HOST:PORT; "" for none."""

    @field_validator("in_all", mode="before")
    @classmethod
    def _capped(cls, value: object) -> object:
        # A table that names other limits and no dollars must not lift this one.
        return {"dollars": DAY_DOLLARS, **value} if isinstance(value, dict) else value

    def serves(self, server: int | None) -> bool:
        """Return True if the bot works in that server; None is a direct message."""
        return server is None or not self.servers or server in self.servers

    @property
    def model_settings(self) -> dict[str, Any]:
        """The other parameters for the models' server, as `halubot.start` takes it."""
        named = {
            "reasoning_effort": self.reasoning_effort or None,
            "think": self.think,
            "num_ctx": self.num_ctx,
            "parameters": self.parameters or None,
        }
        return {name: value for name, value in named.items() if value is not None}

    def model(self, wanted: str) -> str:
        """The model to use for a server that wants this one: itself if it is allowed, else the
        first that is; "" for none."""
        if wanted and wanted in self.models:
            return wanted
        return self.models[0] if self.models else ""


def owner_limits(table: Mapping[str, Any]) -> OwnerLimits:
    """The owner's limits as the table ``[discord]`` of the settings file has them:

        [discord]
        models = ["ollama_chat/llama3.1"]
        in_all = { calls = 5000, dollars = 2.50 }

    Raises SettingError, which names the place, for what cannot be.
    """
    from halubot.models.server_settings import read_settings

    try:
        owner = OwnerLimits.model_validate(dict(table))
        # Checked at the start: otherwise every check would refuse a parameter that halubot sets
        # itself.
        read_settings(**owner.model_settings)
        return owner
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in ("discord", *first["loc"]))
        raise SettingError(f"{place} in the settings file: {first['msg'].lower()}") from error
