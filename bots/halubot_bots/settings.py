"""The settings of the bot: what a server's moderators chose, within what the bot's owner allows.

Nothing is watched until moderators choose channels and bots. The owner's limits stand above all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from pydantic import ConfigDict, Field, ValidationError, field_validator

from halubot.errors import SettingError
from halubot.report import Frozen

if TYPE_CHECKING:
    from collections.abc import Mapping

DAY_DOLLARS: Final = 2.50
"""The most that all checks of a day may cost unless the owner says otherwise."""


class Quota(Frozen):
    """The most that may be used of models in a day (UTC). None sets no limit; 0 allows nothing."""

    checks: int | None = Field(default=None, ge=0)
    calls: int | None = Field(default=None, ge=0)
    dollars: float | None = Field(default=None, ge=0)

    def share(self, part: float) -> Quota:
        """Return a part of this quota; what has no limit has none in any part."""
        return Quota(
            checks=None if self.checks is None else int(self.checks * part),
            calls=None if self.calls is None else int(self.calls * part),
            dollars=None if self.dollars is None else self.dollars * part,
        )


class ServerSettings(Frozen):
    """One server. Answers of ``bots`` in ``channels`` (and their threads) are compared if ``on``.

    ``model``, ``knowledge`` and ``web`` name what else the answers are compared with; "" and False
    for nothing else. ``language`` is that of the cards; "" for the server's own.
    """

    # What an older version kept besides does not make the settings unreadable.
    model_config = ConfigDict(extra="ignore")

    on: bool = False
    channels: frozenset[int] = frozenset()
    bots: frozenset[int] = frozenset()
    language: str = ""
    model: str = ""
    knowledge: str = ""
    web: bool = False

    def watches(self, channel: int, parent: int | None = None) -> bool:
        """Return True if answers in a channel, or in a thread of the channel ``parent``, are
        compared."""
        return self.on and (channel in self.channels or parent in self.channels)


class OwnerLimits(Frozen):
    """The limits that the owner of the bot sets, whatever moderators choose.

    ``models`` and ``knowledge`` are what servers may choose from (the first model is the default
    of commands; none: no model is ever called), ``web`` is the provider of searches ("": none),
    ``servers`` those the bot works in (empty: all). ``day`` limits all checks with models of a
    day, of which each server may use ``server_share``; without dollars it may cost `DAY_DOLLARS`.
    """

    # As many as a menu of Discord has places for, beside "none".
    models: tuple[str, ...] = Field(default=(), max_length=24)
    knowledge: tuple[str, ...] = Field(default=(), max_length=24)
    web: str = ""
    judge_model: str | None = None
    api_base: str | None = None
    reasoning_effort: str | None = None
    think: bool | None = None
    num_ctx: int | None = Field(default=None, ge=1)
    parameters: dict[str, Any] | None = None
    servers: frozenset[int] = frozenset()
    direct: bool = True
    """Commands work outside these servers too: in direct messages, and for people who installed
    the bot for themselves alone."""
    day: Quota = Quota(dollars=DAY_DOLLARS)
    server_share: float = Field(default=0.2, gt=0, le=1)
    person_checks: int = Field(default=10, ge=0)
    channel_checks: int = Field(default=100, ge=0)
    """Checks with a model in a day."""
    reads_content: bool = True
    """The bot reads what others write, which cards need; commands and menus do not."""
    days_kept: int = Field(default=30, ge=1, le=365)
    """After so many days texts and reports are deleted."""
    at_once: int = Field(default=3, ge=1, le=64)
    """Checks that run side by side."""
    deadline: float = Field(default=120, gt=0)
    """Seconds that one check may take."""
    calls_a_check: int = Field(default=60, ge=1)
    dollars_a_check: float = Field(default=0.10, gt=0)
    """The most that one check may use, reserved before it begins."""

    @field_validator("day", mode="before")
    @classmethod
    def _limit_dollars(cls, value: object) -> object:
        # A table that names other limits and no dollars must not lift this one.
        return {"dollars": DAY_DOLLARS, **value} if isinstance(value, dict) else value

    def serves(self, server: int | None) -> bool:
        """Return True if the bot works in a server; None is a direct message."""
        return self.direct if server is None else not self.servers or server in self.servers

    def model(self, wanted: str) -> str:
        """Return the model that a server chose if it is allowed; else ""."""
        return wanted if wanted in self.models else ""

    @property
    def model_settings(self) -> dict[str, Any]:
        """The parameters of the models' server, as `halubot.start` takes them."""
        return self.model_dump(include={"judge_model", "api_base", *PARAMETERS}, exclude_none=True)


PARAMETERS: Final = ("reasoning_effort", "think", "num_ctx", "parameters")


def owner_limits(table: Mapping[str, Any]) -> OwnerLimits:
    """Return the owner's limits as the table ``[discord]`` of the settings file has them:

        [discord]
        models = ["ollama_chat/llama3.1"]
        day = { calls = 5000, dollars = 2.50 }

    Raises SettingError, which names the place, for what cannot be.
    """
    from halubot.models.server_settings import read_settings

    try:
        owner = OwnerLimits.model_validate(dict(table))
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in ("discord", *first["loc"]))
        raise SettingError(f"{place} in the settings file: {first['msg'].lower()}") from error
    if urlsplit(owner.api_base or "").password:
        raise SettingError(
            "discord.api_base in the settings file holds a password: take it out, and set the"
            " variable of the provider's key, such as OPENAI_API_KEY"
        )
    if owner.web:
        from halubot.evidence.web.providers import read_web

        searched = read_web([owner.web])
        if searched is None or searched.cost_usd != 0.0:
            # Searches that cost are in nobody's budget.
            raise SettingError(f"discord.web in the settings file: {owner.web} is not free")
    # At the start: otherwise every check would refuse a parameter that halubot sets itself.
    read_settings(**owner.model_dump(include=set(PARAMETERS), exclude_none=True))
    return owner
