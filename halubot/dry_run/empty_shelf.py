"""Knowledge that a rehearsal does not reach for: a base beyond this machine is not asked, and what
it would have found is as long as such passages are."""

from __future__ import annotations

from typing import Final

from halubot.evidence.retrieval import Passage
from halubot.knowledge.knowledge_base import Knowledge
from halubot.report import Source

LENGTH: Final = 750
"""Characters of a passage of 120 words."""


class Imagined:
    """Stands for a base: each query finds as many passages as it asks for, which say what it says,
    each in other words enough to be a passage of its own."""

    online = False

    def __init__(self, name: str) -> None:
        self.name = name

    async def search(self, query: str, k: int) -> tuple[Passage, ...]:
        """``k`` passages made of the query; none for a blank one."""
        said = " ".join(query.split())
        if not said:
            return ()
        text = " ".join([said] * (LENGTH // (len(said) + 1) + 1))[:LENGTH]
        return tuple(_passage(f"{text} ({number})", number) for number in range(1, k + 1))

    def close(self) -> None:
        """Nothing is held."""


def _passage(text: str, number: int) -> Passage:
    source = Source(id="", kind="knowledge", title=f"passage {number}", text=text)
    return Passage(source, 0, len(text), text, 1.0 / number)


def within_reach(base: Knowledge) -> Knowledge:
    """The base itself, or what stands for it where asking it leaves this machine."""
    return Imagined(base.name) if base.online else base
