"""Every screen of the app with messages made by hand: nothing in them depends on how texts are
checked, on the clock or on the machine."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from textual.widgets import Select, Static

from halubot.claims import set_titles_apart
from halubot.events import AnswerToken, Started
from halubot.report import (
    Calibration,
    Correction,
    Edit,
    Evidence,
    Fact,
    Models,
    Parts,
    Problem,
    Question,
    Report,
    Sentence,
    Source,
    Threshold,
    Triple,
    Usage,
)
from halubot.text import Document, read
from halubot_tui.messages import Selected
from halubot_tui.revision import Revision
from halubot_tui.turns import Inputs, Turn
from tests.halubot_tui.driving import settled

if TYPE_CHECKING:
    from textual.pilot import Pilot

    from halubot_tui.app import HalubotApp

Scene = Callable[["HalubotApp", "Pilot[None]"], Awaitable[None]]

QUESTION: Final = "Who was Ada Lovelace?"
TEXT: Final = """\
# Ada Lovelace

Ada Lovelace was **born in 1816** in London. She wrote notes on the *Analytical Engine*.

- She died in 1852.
- Her tutor was Mary Somerville.

| work | year |
| --- | --- |
| Notes | 1844 |
"""
SOURCES: Final = (
    Source(id="s1", kind="sample", text="Ada Lovelace was born in 1815. She died in 1852."),
    Source(id="s2", kind="sample", text="Born in London in 1815, she died in 1852."),
    Source(id="s3", kind="sample", text="She wrote notes on the Analytical Engine in 1843."),
    Source(
        id="r1",
        kind="reference",
        title="Ada Lovelace",
        place="section Early life",
        text="Ada Lovelace was born in London on 10 December 1815."
        "\n\nShe died on 27 November 1852.",
    ),
)


def said(source: int, stance: Any, quote: str = "", value: str | None = None) -> Evidence:
    """What a source says of a fact."""
    text = SOURCES[source].text or ""
    start = text.index(quote) if quote else 0
    return Evidence(
        source=SOURCES[source].id,
        stance=stance,
        quote=quote,
        start=start,
        end=start + len(quote),
        value=value,
    )


def spoken(text: str) -> Document:
    """A text without the lines that claim nothing, as it is checked."""
    return set_titles_apart(read(text))


def _fact(index: int, triple: tuple[str, str, str], words: str, **more: Any) -> Fact:
    start = TEXT.index(words)
    end = start + len(words)
    value = more.pop("value", triple[2])
    tail = TEXT.index(value, start)
    parts = Parts(tail=(tail, tail + len(value)))
    at = next(i for i, (a, b) in enumerate(spoken(TEXT).sentences) if a <= start < b)
    return Fact(
        index=index,
        triple=Triple(*triple),
        sentences=(at,),
        spans=((start, end),),
        parts=parts,
        **more,
    )


FACTS: Final = (
    _fact(
        0,
        ("Ada Lovelace", "was born in", "1816"),
        "born in 1816",
        score=0.94,
        probability=0.97,
        verdict="contradicted",
        basis=("references", "samples"),
        evidence=(
            said(3, "contradicts", "born in London on 10 December 1815", "1815"),
            said(0, "contradicts", "born in 1815", "1815"),
            said(1, "contradicts", "Born in London in 1815", "1815"),
            said(2, "silent"),
        ),
    ),
    _fact(
        1,
        ("Ada Lovelace", "was born in", "London"),
        "in London",
        score=0.05,
        probability=0.02,
        verdict="supported",
        basis=("references", "samples"),
        evidence=(
            said(3, "supports", "born in London"),
            said(0, "silent"),
            said(1, "supports", "Born in London"),
            said(2, "silent"),
        ),
    ),
    _fact(
        2,
        ("Ada Lovelace", "wrote", "notes on the Analytical Engine"),
        "wrote notes on the *Analytical Engine",
        value="notes on the *Analytical Engine",
        score=0.4,
        probability=0.3,
        verdict="supported",
        basis=("samples",),
        evidence=(
            said(3, "silent"),
            said(0, "silent"),
            said(1, "silent"),
            said(2, "supports", "wrote notes on the Analytical Engine"),
        ),
    ),
    _fact(
        3,
        ("Ada Lovelace", "died in", "1852"),
        "died in 1852",
        score=0.02,
        probability=0.01,
        verdict="supported",
        basis=("references", "samples"),
        evidence=(
            said(3, "supports", "She died on 27 November 1852."),
            said(0, "supports", "She died in 1852."),
            said(1, "supports", "died in 1852"),
            said(2, "silent"),
        ),
    ),
    _fact(
        4,
        ("Ada Lovelace", "tutor was", "Mary Somerville"),
        "tutor was Mary Somerville",
        score=None,
        verdict="not_checked",
        reason="no sample and no reference speaks of it",
        evidence=tuple(said(place, "silent") for place in (3, 0, 1, 2)),
    ),
    _fact(
        5,
        ("Notes", "year", "1844"),
        "1844",
        score=0.71,
        probability=0.66,
        verdict="doubtful",
        basis=("samples",),
        evidence=(
            said(3, "silent"),
            said(0, "silent"),
            said(1, "silent"),
            said(2, "contradicts", "in 1843", "1843"),
        ),
    ),
)


def sentences(text: str, facts: tuple[Fact, ...]) -> tuple[Sentence, ...]:
    """The sentences of a text, each with its facts; the worst of them says what it is."""
    order = ("contradicted", "doubtful", "not_checked", "supported")
    found = []
    for index, (start, end) in enumerate(spoken(text).sentences):
        own = [fact for fact in facts if index in fact.sentences]
        verdicts = [fact.verdict for fact in own]
        scores = [fact.score for fact in own if fact.score is not None]
        found.append(
            Sentence(
                index=index,
                start=start,
                end=end,
                score=max(scores, default=None),
                verdict=min(verdicts, key=order.index, default="not_checked"),
                reason=None if scores else "it states no fact",
                facts=tuple(fact.index for fact in own),
            )
        )
    return tuple(found)


def report(**more: Any) -> Report:
    """The report of the message."""
    made: dict[str, Any] = {
        "text": TEXT,
        "question": Question(text=QUESTION, origin="given"),
        "method": "consensus",
        "models": Models(),
        "engine": "1",
        "score": 0.94,
        "threshold": Threshold(value=0.5, fitted_on="the labelled rows of the test"),
        "calibration": Calibration(intercept=0.0, slope=1.0, fitted_on="the rows of the test"),
        "sources": SOURCES,
        "sentences": sentences(TEXT, FACTS),
        "facts": FACTS,
        "details": {"extraction": "English rules"},
        "usage": Usage(calls=6, prompt_tokens=2310, completion_tokens=240, seconds=2.5),
        **more,
    }
    return Report(**made)


def checked() -> Turn:
    """A message that was checked, corrected in part, and compared."""
    turn = Turn("checked", Inputs(kind="check", text=TEXT, question=QUESTION), state="done")
    found = report()
    turn.recall(found)
    born = TEXT.index("1816")
    year = TEXT.index("1844")
    edits = (
        Edit(
            sentence=0, start=born, end=born + 4, before="1816", after="1815",
            facts=(0,), action="changed",
        ),
        Edit(
            sentence=0, start=year, end=year + 4, before="1844", after="1843",
            facts=(5,), action="changed",
        ),
    )  # fmt: skip
    text = TEXT.replace("1816", "1815").replace("1844", "1843")
    proposed = Correction(text=text, edits=edits)
    turn.revision = Revision(found.model_copy(update={"correction": proposed}), turn.decisions)
    other = tuple(
        fact.model_copy(update={"score": 0.6, "probability": None, "verdict": "doubtful"})
        if fact.index in (0, 4)
        else fact
        for fact in FACTS
    )
    turn.compared["fsc-text"] = report(
        method="fsc-text",
        facts=other,
        models=Models(judge="openai/small"),
        usage=Usage(calls=24, prompt_tokens=8100, completion_tokens=900, seconds=14.0),
    )
    return turn


def streaming() -> Turn:
    """An answer that is being written."""
    turn = Turn("streaming", Inputs(kind="ask", text=QUESTION), state="working")
    turn.hear(
        [_started(), AnswerToken(text="Ada Lovelace was **born in 1816** in London. She wro")]
    )
    return turn


def broken_off() -> Turn:
    """An answer that broke off: the model died in the middle."""
    turn = streaming()
    turn.id, turn.state = "broken off", "failed"
    turn.failure = "openai/small at 127.0.0.1 hung up in the middle of its answer. Ask again."
    return turn


def not_checked() -> Turn:
    """A text that nothing given speaks of."""
    text = "The bridge was opened in 1932. It is 500 metres long."
    start = text.index("opened in 1932")
    only = Fact(
        index=0,
        triple=Triple("The bridge", "was opened in", "1932"),
        sentences=(0,),
        spans=((start, start + 14),),
        reason="no source speaks of it",
    )
    turn = Turn("not checked", Inputs(kind="check", text=text), state="done")
    problem = Problem(what="one sample was left out", why="it speaks of something else")
    turn.recall(
        report(
            text=text,
            question=None,
            score=None,
            sources=SOURCES[:1],
            sentences=sentences(text, (only,)),
            facts=(only,),
            problems=(problem,),
            usage=Usage(),
        )
    )
    return turn


def _started() -> Started:
    return Started(
        text="",
        sentences=(),
        method="cascade",
        models=Models(answer="openai/small"),
        engine="1",
        threshold=Threshold(value=0.5),
    )


async def show(app: HalubotApp, pilot: Pilot[None], *turns: Turn, entry: int | None = None) -> None:
    """Shows these messages as the session that is open, the last of them selected."""
    app.clear_notifications()
    app._main.composer.editor.text = ""
    if app.preferences.model is not None:
        app.prefer(app.preferences.with_values(model=None))
    app._turns = {turn.id: turn for turn in turns}
    app._selected = None
    app._main.unselect()
    await app._main.conversation.open(turns)
    app._main.welcome(app.preferences, empty=not turns)
    app._main.composer.focus()
    app._main.refresh_bindings()
    if turns:
        app.post_message(Selected(turns[-1].id, entry))
        await settled(pilot, lambda: app._selected == (turns[-1].id, entry))
    await settled(pilot, lambda: not app._main.conversation.waits)


def of(*turns: Callable[[], Turn], entry: int | None = None, keys: tuple[str, ...] = ()) -> Scene:
    """Shows messages and presses keys."""

    async def scene(app: HalubotApp, pilot: Pilot[None]) -> None:
        await show(app, pilot, *(turn() for turn in turns), entry=entry)
        if keys:
            app._main.conversation.focus()
            await pilot.press(*keys)

    return scene


def inspecting(key: str) -> Scene:
    """The inspector with a view of it."""
    return of(checked, entry=1, keys=("f3", key))


async def settings(app: HalubotApp, pilot: Pilot[None]) -> None:
    """The settings, with all methods there are, saved in a file without a folder."""
    await of(keys=("f8",))(app, pilot)
    methods = app.screen.query_one("#method", Select)
    await settled(pilot, lambda: len(methods._options) > 2)
    panel = app.screen.query_one("#panel")
    await settled(pilot, lambda: panel.border_subtitle)
    panel.border_subtitle = "config.toml"


async def settle_path(app: HalubotApp, pilot: Pilot[None]) -> None:
    """Writes another whole path than that of the folder of the tests, which is another each
    time."""
    shown = app.screen.query_one("#whole-path", Static)
    await settled(pilot, lambda: str(shown.content))
    shown.update("/home/ada/notes/halubot.md")
    await pilot.pause()


async def export(app: HalubotApp, pilot: Pilot[None]) -> None:
    """The form that saves a file."""
    await of(checked, entry=1, keys=("f9",))(app, pilot)
    await settle_path(app, pilot)


READING: Final[Mapping[str, Scene]] = {
    "conversation": of(checked, entry=1),
    "inspector-facts": inspecting("1"),
}
"""What is looked at in every way of drawing."""

SCENES: Final[Mapping[str, Scene]] = {
    **READING,
    "welcome": of(),
    "streaming": of(checked, streaming),
    "not-checked": of(not_checked, entry=1),
    "error": of(broken_off),
    "inspector-matrix": inspecting("2"),
    "inspector-sources": inspecting("3"),
    "inspector-graph": inspecting("4"),
    "inspector-details": inspecting("5"),
    "form": of(keys=("f2",)),
    "settings": settings,
    "help": of(keys=("f1",)),
    "correction": of(checked, entry=1, keys=("f4", "a")),
    "compare": of(checked, entry=1, keys=("f6",)),
    "disagree": of(checked, entry=1, keys=("d",)),
    "export": export,
    "sessions": of(keys=("f7",)),
}
"""Every screen by its name."""
