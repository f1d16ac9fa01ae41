"""A person's word on a fact."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from halubot.report import Fact, Frozen, Models

Says = Literal["right", "wrong"]
"""What a person says of a fact, whatever the verdict was."""


class Word(Frozen):
    """What a person said of one fact of one text, and what had been found of it then.

    It holds for every fact of the same triple in the same text. ``owner`` is whose word it is, ""
    the person at this machine's; ``at`` is in UTC.
    """

    id: int
    owner: str = ""
    at: datetime
    says: Says
    note: str = ""
    text: str
    fact: Fact
    method: str
    models: Models = Models()

    @property
    def reason(self) -> str:
        """The word as the reason of a verdict: "you said on 2026-03-01 that it is wrong: it was
        1815"; the day is the local one."""
        said = f"you said on {self.at.astimezone().date().isoformat()} that it is {self.says}"
        return f"{said}: {self.note}" if self.note else said
