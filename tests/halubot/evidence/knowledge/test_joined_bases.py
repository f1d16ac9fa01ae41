"""Several bases searched as one."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from halubot.errors import KnowledgeError
from halubot.events import Event, Note
from halubot.evidence.knowledge.named_bases import Joined, Knowledge, join
from halubot.evidence.retrieval import Passage
from halubot.report import Source
from tests.knowledge import KELLAN, OSTBY, Asked


class Fixed:
    """Finds the same texts whatever is asked."""

    online = False

    def __init__(self, name: str, texts: list[str]) -> None:
        self.name = name
        self._texts = texts

    async def search(self, query: str, k: int) -> tuple[Passage, ...]:
        return tuple(
            Passage(Source(id="", kind="knowledge", text=text), 0, len(text), text, 1.0)
            for text in self._texts[:k]
        )

    def close(self) -> None:
        """Nothing is held."""


def searched(base: Knowledge, query: str = "opened", k: int = 3) -> list[str]:
    return [passage.text for passage in asyncio.run(base.search(query, k))]


def test_the_nearest_of_each_come_in_turn() -> None:
    base = join([Fixed("a", ["a1", "a2"]), Fixed("b", ["b1", "a2", "b3"])])
    assert base is not None
    assert searched(base, k=5) == ["a1", "b1", "a2", "b3"]
    assert searched(base, k=2) == ["a1", "b1"]
    assert base.name == "a, b"


def test_a_base_that_fails_is_noted_once_and_left_alone() -> None:
    heard: list[Event] = []
    down, up = Asked("down", [KELLAN], fails_at=1), Asked("up", [OSTBY])
    base = Joined([down, up], emit=heard.append)
    assert searched(base) == searched(base) == [OSTBY]
    assert len(down.queries) == 1
    assert heard == [Note(what="down could not be searched", why="down is down: try again later")]


def test_where_all_fail_it_is_told_why() -> None:
    heard: list[Event] = []
    base = Joined([Asked("a", [], fails_at=1), Asked("b", [], fails_at=2)], emit=heard.append)
    assert searched(base) == []
    with pytest.raises(KnowledgeError, match=r"a is down.*b is down"):
        searched(base)
    assert len(heard) == 2


def test_bases_are_joined_once_each_and_only_those_opened_here_are_closed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    opened: list[Asked] = []

    def opening(name: str, *, offline: bool = False, folder: Path | None = None) -> Asked:
        opened.append(Asked(name, [KELLAN], online=not offline))
        return opened[-1]

    monkeypatch.setattr("halubot.evidence.knowledge.named_bases.open_knowledge", opening)
    given = Asked("given", [OSTBY])
    inner = join([given, "bridges"])
    base = join([inner, given] if inner is not None else [])
    assert base is not None
    assert [one.name for one in base.bases] == ["given", "bridges"]
    assert base.online
    base.close()
    assert [one.closed for one in (given, *opened)] == [0, 0]
    assert inner is not None
    inner.close()
    assert [one.closed for one in (given, *opened)] == [0, 1]
