"""Messages in every state, as scenes (`tests.halubot_tui.scenes`): under way, stopped, corrected,
in Markdown, long, wide, with many sources; and what is written below them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from halubot.events import (
    Answered,
    AnswerToken,
    FactJudged,
    FactsExtracted,
    Progress,
    SampleDrawn,
    Spent,
    Started,
)
from halubot.report import (
    Evidence,
    Fact,
    Models,
    Question,
    Report,
    Source,
    Threshold,
    Triple,
    Usage,
)
from halubot.text import read
from halubot_tui.turns import Inputs, Turn
from tests.halubot_tui.driving import settled
from tests.halubot_tui.scenes import (
    QUESTION,
    TEXT,
    Scene,
    checked,
    of,
    report,
    sentences,
    show,
    spoken,
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from textual.pilot import Pilot

    from halubot_tui.app import HalubotApp

BRIDGE: Final = "What is known of the bridge of Dorn?"
MARKDOWN: Final = """\
## The bridge of Dorn

The **bridge of Dorn** spans the *Lenne* and was [opened in 1932](https://example.org/dorn).

1. It is 512 metres long.
2. Its towers are 84 metres high:
   - the northern one stands on rock,
   - the southern one stands on oak piles.

> It is "a line drawn by a ruler", wrote the *Dorn Courier* in 1933.

| part | built | by |
| --- | --- | --- |
| piers | 1928 | Weber & Sons |
| deck | 1931 | Orban |

```python
length = 512  # metres
```

It carries the `B 236` and about 9,000 cars a day.
"""
WIDE: Final = (
    "艾达·洛芙莱斯于1816年出生在伦敦。 👩‍🔬 Ada 👩🏽‍💻 wrote [@click=app.quit]x[/] and [/b]"
    " and a lone [ in 1843. La re\u0301ponse e\u0301tait en 1852, Zero\u200bwidth\u200b was here."
    " 日本語の文章は長く、行の終わりで折り返されなければならない。"
    "エイダ・ラブレスは一八五二年に亡くなった。"
)


def fact(index: int, text: str, triple: tuple[str, str, str], words: str, **more: Any) -> Fact:
    """A fact of a text, that stands at these words."""
    start = text.index(words)
    at = next(place for place, (a, b) in enumerate(spoken(text).sentences) if a <= start < b)
    span = (start, start + len(words))
    return Fact(index=index, triple=Triple(*triple), sentences=(at,), spans=(span,), **more)


def told(turn: str, kind: Any, question: str, found: Report) -> Turn:
    """A message that was checked, with its report."""
    given = {"text": question} if kind == "ask" else {"text": found.text, "question": question}
    made = Turn(turn, Inputs(kind=kind, **given), state="done")
    made.recall(found)
    return made


def _of(verdict: Any, score: float | None) -> dict[str, Any]:
    return {"verdict": verdict, "score": score, "basis": ("samples",)}


def markdown() -> Turn:
    """An answer in Markdown of every kind, marked in each."""
    bridge = "The bridge of Dorn"
    facts = (
        fact(0, MARKDOWN, (bridge, "was opened in", "1932"), "opened in 1932",
             **_of("contradicted", 0.97)),
        fact(1, MARKDOWN, (bridge, "is long", "512 metres"), "512 metres long",
             **_of("doubtful", 0.61)),
        fact(2, MARKDOWN, ("Its towers", "are high", "84 metres"), "84 metres high",
             **_of("supported", 0.1)),
        fact(3, MARKDOWN, ("The southern tower", "stands on", "oak piles"), "stands on oak piles",
             reason="no sample speaks of it"),
        fact(4, MARKDOWN, ("Dorn Courier", "wrote in", "1933"), "wrote the *Dorn Courier* in 1933",
             **_of("doubtful", 0.55)),
        fact(5, MARKDOWN, ("deck", "built", "1931"), "deck | 1931", **_of("contradicted", 0.88)),
        fact(6, MARKDOWN, (bridge, "carries", "the B 236"), "carries the `B 236",
             **_of("doubtful", 0.52)),
    )  # fmt: skip
    return told("markdown", "ask", BRIDGE, _report(MARKDOWN, facts))


def _report(text: str, facts: tuple[Fact, ...], **more: Any) -> Report:
    """What a model answered, sampled and judged."""
    found: dict[str, Any] = {
        "question": Question(text=BRIDGE, origin="given"),
        "method": "fsc-text",
        "models": Models(answer="openai/small", sample="openai/small", judge="openai/small"),
        "score": 0.97,
        "calibration": None,
        "sources": sources(20),
        "sentences": sentences(text, facts),
        "usage": Usage(
            calls=23, prompt_tokens=18_400, completion_tokens=3_120, cost_usd=0.0431, seconds=31.2
        ),
        **more,
    }
    return report(text=text, facts=facts, **found)


def sources(samples: int) -> tuple[Source, ...]:
    """A reference, passages of a base, and so many other answers."""
    said = "The bridge of Dorn was opened on 4 May 1935. It is 512 metres long."
    return (
        Source(id="r1", kind="reference", title="dorn.pdf", place="page 12", text=said),
        Source(
            id="k1", kind="knowledge", title="Dorn Bridge", place="section History",
            location="https://en.wikipedia.org/wiki/Dorn_Bridge?oldid=1184", date="2025-11-02",
            text="Work began in 1928. The bridge was opened to traffic in 1935 by the mayor.",
        ),
        *(
            Source(
                id=f"s{n}", kind="sample",
                text=f"The bridge of Dorn was opened in {(1935, 1932, 1935, 1931)[n % 4]}.",
            )
            for n in range(1, samples + 1)
        ),
    )  # fmt: skip


def many_sources() -> Turn:
    """A fact of which a reference, a passage and twenty samples say something."""
    text = "The bridge of Dorn was opened in 1932. It is 512 metres long. It crosses the Lenne."
    cast = sources(20)
    opened = []
    for source in cast:
        whole = source.text or ""
        year = next(year for year in ("1935", "1932", "1931") if year in whole)
        at = whole.index(year)
        if source.id in ("s5", "s9"):
            opened.append(Evidence(source=source.id, stance="silent"))
            continue
        begin = whole.index("opened")
        opened.append(
            Evidence(
                source=source.id,
                stance="supports" if year == "1932" else "contradicts",
                start=begin,
                end=at + 4,
                quote=whole[begin : at + 4],
                value=None if year == "1932" else year,
            )
        )
    silent = tuple(Evidence(source=source.id, stance="silent") for source in cast)
    facts = (
        fact(0, text, ("The bridge of Dorn", "was opened in", "1932"), "opened in 1932",
             verdict="contradicted", score=0.98, probability=0.99,
             basis=("references", "samples"), evidence=tuple(opened)),
        fact(1, text, ("The bridge of Dorn", "is long", "512 metres"), "512 metres long",
             verdict="supported", score=0.08, probability=0.04, basis=("references",),
             evidence=(
                 Evidence(source="r1", stance="supports", quote="It is 512 metres long",
                          start=45, end=66),
                 *silent[1:],
             )),
        fact(2, text, ("The bridge of Dorn", "crosses", "the Lenne"), "crosses the Lenne",
             reason="no source speaks of it", evidence=silent),
    )  # fmt: skip
    return told("sources", "ask", BRIDGE, _report(text, facts, sources=cast))


def long() -> Turn:
    """A long text of many facts, in paragraphs."""
    parts = [
        f"Pier {n} of the bridge was built in {1900 + n} by {n + 3} men from the town of Dorn."
        for n in range(1, 61)
    ]
    text = "\n\n".join(" ".join(parts[at : at + 5]) for at in range(0, 60, 5))
    verdicts = ("supported", "doubtful", "supported", "contradicted", "supported", "not_checked")
    scores = (0.1, 0.6, 0.2, 0.9, 0.3, None)
    facts = tuple(
        fact(
            n,
            text,
            (f"Pier {n + 1} of the bridge", "was built in", str(1901 + n)),
            f"built in {1901 + n}",
            verdict=verdicts[n % 6],
            score=scores[n % 6],
        )
        for n in range(60)
    )
    return told("long", "check", "", _report(text, facts, question=None))


def wide() -> Turn:
    """Wide, joined, combined and invisible characters, and what looks like markup."""
    facts = (
        fact(0, WIDE, ("艾达·洛芙莱斯", "出生于", "1816年"), "1816年", **_of("contradicted", 0.9)),
        fact(1, WIDE, ("Ada 👩🏽‍💻", "wrote", "[@click=app.quit]x[/]"),
             "wrote [@click=app.quit]x[/]", **_of("doubtful", 0.6)),
        fact(2, WIDE, ("エイダ・ラブレス", "は亡くなった", "一八五二年"), "一八五二年に亡くなった",
             **_of("doubtful", 0.7)),
    )  # fmt: skip
    return told("wide", "check", "[b]Who[/b] was エイダ?", _report(WIDE, facts))


def _begun(
    text: str = "", facts: Sequence[Fact] = (), sources: tuple[Source, ...] = ()
) -> list[Any]:
    """The first events of a check."""
    begun = Started(
        text=text,
        sentences=spoken(text).sentences,
        method="cascade",
        models=Models(answer="openai/small", judge="openai/small"),
        engine="1",
        threshold=Threshold(value=0.5),
        sources=sources,
    )
    bare = tuple(
        one.model_copy(
            update={"verdict": "not_checked", "score": None, "evidence": (), "probability": None}
        )
        for one in facts
    )
    return [begun, *([FactsExtracted(facts=bare)] if bare else [])]


def judging() -> Turn:
    """A text whose facts light up as they are judged."""
    found = checked().report
    assert found is not None
    turn = Turn("judging", Inputs(kind="check", text=found.text, question=QUESTION), "working")
    turn.most_calls, turn.most_cost = 40, 0.5
    turn.hear(_begun(found.text, found.facts, found.sources[3:]))
    turn.hear([*(SampleDrawn(source=one, of=3) for one in found.sources if one.kind == "sample")])
    for one in found.facts[:2]:
        turn.hear(
            [
                FactJudged(
                    index=one.index, score=one.score, verdict=one.verdict, basis=one.basis,
                    evidence=one.evidence,
                )
            ]
        )  # fmt: skip
    usage = Usage(calls=5, prompt_tokens=2_310, completion_tokens=240, cost_usd=0.0021, seconds=2.5)
    turn.hear([Spent(usage=usage), Progress(what="judging facts", done=2, of=6)])
    return turn


def sampling() -> Turn:
    """An answer that is there, of which other answers are drawn."""
    text = "The bridge of Dorn was opened in 1932. It is 512 metres long."
    turn = Turn("sampling", Inputs(kind="ask", text=BRIDGE), state="working")
    turn.hear([*_begun(), AnswerToken(text=text)])
    turn.hear([Answered(text=text, sentences=read(text).sentences)])
    turn.hear([SampleDrawn(source=one, of=20) for one in sources(7)[2:]])
    turn.hear([Spent(usage=Usage(calls=8, prompt_tokens=900, completion_tokens=610))])
    return turn


def waiting() -> Turn:
    """A question of which nothing was heard yet."""
    return Turn("waiting", Inputs(kind="ask", text="How high are its towers?"), state="working")


def stopped() -> Turn:
    """An answer that the person stopped."""
    turn = Turn("stopped", Inputs(kind="ask", text=BRIDGE), state="stopped")
    turn.hear([*_begun(), AnswerToken(text="The bridge of Dorn was opened in 1932. It is 5")])
    return turn


def corrected() -> Turn:
    """A message that was corrected and checked again."""
    turn = checked()
    turn.id, turn.revision = "corrected", None
    turn.proposed = {
        "outcome": {
            "text": TEXT.replace("1816", "1815"),
            "edits": [{"start": (at := TEXT.index("1816")), "end": at + 4, "after": "1815"}],
            "report": {"facts": [{"verdict": "supported"}, {"verdict": "doubtful"}]},
        }
    }
    return turn


async def welcome_model(app: HalubotApp, pilot: Pilot[None]) -> None:
    """The first start of somebody who has a model."""
    await show(app, pilot)
    app.prefer(app.preferences.with_values(model="openai/gpt-4o-mini"))
    # The price is read beside other work, from a table that changes.
    await settled(pilot, lambda: "a message" in str(app._main.composer.border_subtitle))
    app._main.composer.price("about $0.0030 a message")


async def commands(app: HalubotApp, pilot: Pilot[None]) -> None:
    """A command that is begun, and those it may become."""
    await show(app, pilot, checked())
    await pilot.press("/")
    await settled(pilot, lambda: app._main.composer.has_class("-command"))


async def writing(app: HalubotApp, pilot: Pilot[None]) -> None:
    """A question of several lines with a long paste and a file."""
    await show(app, pilot, checked())
    app._main.composer.editor.text = "\n".join(
        (
            "Compare these two:",
            "1. the bridge of Dorn",
            "2. the bridge of Ahl",
            "",
            "Which is older?",
        )
    )


STATES: Final[Mapping[str, Scene]] = {
    "markdown": of(markdown, entry=1),
    "sources-many": of(many_sources, entry=1, keys=("f3", "1", "enter")),
    "matrix-many": of(many_sources, entry=1, keys=("f3", "2")),
    "long": of(long, entry=20),
    "wide": of(wide, entry=1),
    "waiting": of(checked, waiting),
    "judging": of(judging, entry=1),
    "several": of(sampling, judging),
    "stopped": of(stopped),
    "corrected": of(corrected),
    "welcome-model": welcome_model,
    "commands": commands,
    "writing": writing,
}
"""Every state by its name."""
FOREIGN: Final = ("wide",)
"""Those whose words are not in ASCII."""
