"""Passages in the order of their words and of vectors together."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

from halubot.dry_run import rehearse
from halubot.events import Event, Note
from halubot.evidence.retrieval import Passage
from halubot.methods.calls.talk import Talk
from halubot.methods.calls.text_vectors import VectorRanking
from halubot.models.panel import Panel, open_panel
from halubot.report import Source
from halubot.testing import ScriptedModel

SOURCE = Source(id="r1", kind="reference")
FOUND = [Passage(SOURCE, at, at + 1, text, 1.0) for at, text in enumerate(("a", "b", "c"))]
ANGLES = {"query": (1.0, 0.0), "a": (-1.0, 0.1), "b": (1.0, 0.0), "c": (1.0, 1.0)}


def ranking(model: ScriptedModel, log: list[Event]) -> VectorRanking:
    return VectorRanking(Talk(Panel(answer=model, judge=model), log.append), model)


def texts(found: Sequence[Passage]) -> str:
    return "".join(one.text for one in found)


def test_words_and_vectors_decide_together() -> None:
    model = ScriptedModel(vectors=lambda text: ANGLES[text])
    order = ranking(model, [])

    async def work() -> tuple[str, str]:
        return texts(await order.rank("query", FOUND)), texts(await order.rank("query", FOUND))

    assert asyncio.run(work()) == ("bac", "bac")
    assert model.embedded == [("query", "a", "b", "c")], "each text is sent once"


def test_without_vectors_words_decide_and_a_note_says_so_once() -> None:
    model, log = ScriptedModel(vectors=lambda text: ANGLES[text]), list[Event]()
    model.fail(times=9)
    order = ranking(model, log)

    async def work() -> list[str]:
        return [texts(await order.rank("query", FOUND)) for _ in range(2)]

    assert asyncio.run(work()) == ["abc", "abc"]
    assert [one.what for one in log if isinstance(one, Note)] == [
        "passages were found by their words alone"
    ]


def test_another_model_is_opened_once_and_paid_for_by_the_run(tmp_path: Path) -> None:
    model = ScriptedModel(name="openai/answers")
    with open_panel(model, store=tmp_path, max_calls=0) as panel:
        talk = Talk(panel, lambda _: None)
        hosted = talk.embedder("openai/vectors")
        assert hosted is talk.embedder("openai/vectors")
        assert (hosted.name, talk.embedder(None)) == ("openai/vectors", talk.judge)
        found = asyncio.run(VectorRanking(talk, hosted).rank("query", FOUND))
    assert texts(found) == "abc", "no call may be made"
    bare = Talk(Panel(answer=model, judge=model), lambda _: None)
    assert bare.embedder("openai/vectors") is bare.judge, "a rehearsal calls nobody else"


def test_a_rehearsal_counts_vectors_and_calls_nobody() -> None:
    def calls(**options: str) -> int:
        return rehearse(
            "The bridge was opened in 1931.",
            question="When?",
            references=["The bridge was opened in 1931."],
            method="knowhalu",
            model="openai/tiny",
            api_base="http://127.0.0.1:9/v1",
            options=options,
        ).calls

    assert calls(embeddings="openai/vectors") > calls()
