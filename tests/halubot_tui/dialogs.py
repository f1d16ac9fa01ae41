"""The dialogs and tools of the app in each of their states, as scenes (`tests.halubot_tui.scenes`):
what is typed, asked, refused, under way, failed or empty."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from unittest.mock import patch

from textual.command import CommandPalette
from textual.widgets import Input, OptionList, Select
from textual.widgets._select import SelectOverlay

from halubot.correction.corrector import DOUBT_ONLY, NO_AGREEMENT
from halubot.feedback import Word
from halubot.models import reachable
from halubot.models.model import Capabilities
from halubot.models.reachable import Reachable
from halubot.report import Correction, Edit, Models, Usage
from halubot_tui.choice import CompareForm
from halubot_tui.drafts import Draft
from halubot_tui.export_screen import ExportForm
from halubot_tui.exports import ExistsError, Wanted
from halubot_tui.forms import CheckForm
from halubot_tui.picks import Picks
from halubot_tui.preferences import Preferences
from halubot_tui.revision import Revision
from halubot_tui.sessions import SessionsScreen
from halubot_tui.turns import Inputs, Turn
from halubot_tui.work import Task
from tests.halubot_tui.driving import settled
from tests.halubot_tui.scenes import (
    FACTS,
    QUESTION,
    SOURCES,
    TEXT,
    Scene,
    checked,
    of,
    report,
    sentences,
    settings,
    settle_path,
    show,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from textual.pilot import Pilot
    from textual.screen import Screen

    from halubot_tui.app import HalubotApp


class Standing(Task):
    """Work whose time stands still."""

    @property
    def progress_text(self) -> str:
        doing = f"{self.what}: {self.doing}" if self.doing else self.what
        return f"{doing}, 12 s, 9 calls, $0.02"


async def over(
    app: HalubotApp, pilot: Pilot[None], screen: Screen[Any], *turns: Turn, entry: int | None = None
) -> None:
    """A screen over a conversation."""
    await show(app, pilot, *turns, entry=entry)
    await app.push_screen(screen)
    await settled(pilot, lambda: app.screen is screen)


# The form of a check.


def typed() -> CheckForm:
    """The form with something in each of its fields."""
    draft = Draft(
        text=TEXT.partition("\n| work")[0].strip(),
        question=QUESTION,
        samples=[SOURCES[0].text or "", SOURCES[1].text or "", Path("answers.jsonl")],
        references=[Path("encyclopedia/lovelace.pdf")],
        knowledge=("wikipedia",),
    )
    return CheckForm(draft, Preferences())


async def form_typed(app: HalubotApp, pilot: Pilot[None]) -> None:
    await over(app, pilot, typed())


async def form_methods(app: HalubotApp, pilot: Pilot[None]) -> None:
    """The list of methods, opened."""
    await over(app, pilot, typed())
    field = app.screen.query_one("#method", Select)
    await settled(pilot, lambda: len(field._options) > 2)
    field.focus()
    await pilot.press("enter")
    await settled(pilot, lambda: app.screen.query_one(SelectOverlay).has_focus)


# Settings.

MODELS: Final = (
    Reachable(
        "ollama/llama3.2", "http://127.0.0.1:11434", "ollama", "127.0.0.1:11434", True, "server",
        Capabilities(),
    ),
    Reachable(
        "openai/gpt-4o-mini", None, "openai", "api.openai.com", False, "file",
        Capabilities(), "OPENAI_API_KEY",
    ),
)  # fmt: skip


async def settings_wrong(app: HalubotApp, pilot: Pilot[None]) -> None:
    """Models to choose from, and values that cannot be."""
    with patch.object(reachable, "reachable", lambda *_, **__: (MODELS, ["vLLM: refused"])):
        await settings(app, pilot)
        screen = app.screen
        await settled(pilot, lambda: screen.query_one("#reachable", OptionList).option_count)
    screen.query_one("#model", Input).value = "openai/gpt-4o-mini"
    screen.query_one("#n_samples", Input).value = "many"
    screen.query_one("#threshold", Input).value = "7"
    await pilot.press("f8")
    await settled(pilot, lambda: len(screen.query(".wrong.-shown")) == 2)


# The palette.


async def palette(app: HalubotApp, pilot: Pilot[None]) -> None:
    await show(app, pilot, checked(), entry=1)
    await pilot.press("ctrl+p")
    await settled(pilot, lambda: isinstance(app.screen, CommandPalette))
    await settled(pilot, lambda: app.screen.query_one(OptionList).option_count)


# Sessions.


class Nobody:
    """A keeper of no session."""

    session = None

    def all(self, _: str = "") -> tuple[()]:
        return ()


async def sessions_empty(app: HalubotApp, pilot: Pilot[None]) -> None:
    await over(app, pilot, SessionsScreen(Nobody(), app._signs))  # type: ignore[arg-type]
    await settled(pilot, lambda: app.screen.has_class("-none"))


def sessions(*keys: str, until: Callable[[HalubotApp], object]) -> Scene:
    async def scene(app: HalubotApp, pilot: Pilot[None]) -> None:
        await show(app, pilot)
        await pilot.press("f7")
        await settled(pilot, lambda: isinstance(app.screen, SessionsScreen))
        listed = app.screen.query_one("#kept", OptionList)
        await settled(pilot, lambda: listed.option_count)
        await pilot.press(*keys)
        await settled(pilot, lambda: until(app))

    return scene


# Disagreeing.


async def disagree_again(app: HalubotApp, pilot: Pilot[None]) -> None:
    """A fact of which the person said something before."""
    turn = checked()
    word = Word(
        id=1,
        at=datetime(2026, 3, 1, 12, tzinfo=UTC),
        says="right",
        note="the parish register has 1816",
        text=TEXT,
        fact=FACTS[0],
        method="consensus",
    )
    app._words = (word,)
    turn.heed(app._words)
    await show(app, pilot, turn, entry=1)
    at = next(one.number for one in turn.entries if one.fact and one.fact.index == 0)
    await show(app, pilot, turn, entry=at)
    await pilot.press("f3", "d")
    await settled(pilot, lambda: app.screen.query("#take-back"))
    app._words = ()


# Exporting.


async def export_refused(app: HalubotApp, pilot: Pilot[None]) -> None:
    """A file that is there already."""

    async def save(wanted: Wanted) -> Path:
        raise ExistsError(f"{wanted.path} is there already")

    names: dict[Any, str] = {"message": "ada-lovelace", "session": "ada", "feedback": "feedback"}
    await over(app, pilot, ExportForm(names, 3, save), checked(), entry=1)
    await pilot.press("f9")
    await settled(pilot, lambda: app.screen.query("#wrong-path.-shown"))
    await settle_path(app, pilot)


async def export_feedback(app: HalubotApp, pilot: Pilot[None]) -> None:
    """What the person said, which has one format."""
    await of(checked, entry=1, keys=("f9",))(app, pilot)
    await settled(pilot, lambda: isinstance(app.screen, ExportForm))
    await pilot.press("down", "down")
    await settled(pilot, lambda: app.screen.query_one("#fixed").display)
    await settle_path(app, pilot)


# Comparing.


def alone() -> Turn:
    """A message that one method judged."""
    turn = checked()
    turn.compared.clear()
    return turn


async def compare_choose(app: HalubotApp, pilot: Pilot[None]) -> None:
    await of(alone, entry=1, keys=("f6",))(app, pilot)
    await settled(pilot, lambda: isinstance(app.screen, CompareForm))
    picks = app.screen.query_one(Picks)
    await settled(pilot, lambda: picks.option_count)
    await pilot.press("down", "space")


async def compare_working(app: HalubotApp, pilot: Pilot[None]) -> None:
    """One method at work, one that failed."""
    turn = checked()
    works: dict[str, dict[str, Any]] = {
        "triplet-check": {"doing": "judging facts, 3 of 6"},
        "gca": {"ended": True, "failure": "openai/small at 127.0.0.1 hung up. Ask again."},
    }
    for name, more in works.items():
        task = Standing(f"compare {turn.id} {name}", name, **more)
        app._tasks[task.name] = task
    await show(app, pilot, turn, entry=1)
    await pilot.press("f6")
    await settled(pilot, lambda: app.screen.query("#rows"))


# Correcting.


def corrected() -> Turn:
    """A message whose corrections are proposed, one of them no more than tried."""
    turn = checked()
    assert turn.revision is not None
    before = turn.revision.report
    assert before.correction is not None
    tutor = TEXT.index("Her tutor was Mary Somerville.")
    end = tutor + len("Her tutor was Mary Somerville.")
    kept = Edit(
        sentence=2, start=tutor, end=end, before=TEXT[tutor:end], after=TEXT[tutor:end],
        facts=(4,), action="refused", reason="the rewritten sentence says something else too",
    )  # fmt: skip
    born, year = before.correction.edits
    changed = before.correction.model_copy(update={"edits": (born, kept, year)})
    report = before.model_copy(update={"correction": changed})
    turn.revision = Revision(report, turn.decisions)
    return turn


def again(turn: Turn) -> Turn:
    """The same with its corrected text checked again."""
    revision = turn.revision
    assert revision is not None
    decided = revision.decided_text
    fine = {"score": 0.04, "probability": 0.02, "verdict": "supported"}
    better = tuple(fact.model_copy(update=fine) if fact.index in (0, 5) else fact for fact in FACTS)
    checked_again = report(
        text=decided.text,
        score=0.11,
        facts=better,
        sentences=sentences(TEXT, better),
        usage=Usage(seconds=1.5),
    )
    outcome = decided.model_copy(update={"report": checked_again})
    revision.outcome = revision.report.model_copy(update={"correction": outcome})
    return turn


def rechecked() -> Turn:
    """All changes made, and the text checked again."""
    turn = corrected()
    turn.decisions.update({0: True, 2: True})
    return again(turn)


def changed_since() -> Turn:
    """Decided on anew, by hand, since it was checked again."""
    turn = rechecked()
    turn.decisions[2] = "1842 and 1843"
    return turn


def nothing_doubted() -> Turn:
    """A message whose facts are all borne out."""
    turn = Turn("right", Inputs(kind="check", text=TEXT, question=QUESTION), state="done")
    fine = tuple(
        fact.model_copy(update={"score": 0.03, "verdict": "supported", "reason": None})
        for fact in FACTS
    )
    found = report(score=0.05, facts=fine, sentences=sentences(TEXT, fine))
    turn.recall(found)
    nothing = Correction(text=TEXT, edits=())
    turn.revision = Revision(found.model_copy(update={"correction": nothing}))
    return turn


def kept_as_is() -> Turn:
    """A message whose doubted words no source replaces."""
    turn = checked()
    assert turn.revision is not None
    before = turn.revision.report
    assert before.correction is not None
    reasons = zip(before.correction.edits, (NO_AGREEMENT, DOUBT_ONLY), strict=True)
    kept = tuple(
        edit.model_copy(update={"after": edit.before, "action": "kept", "reason": reason})
        for edit, reason in reasons
    )
    nothing = Correction(text=TEXT, edits=kept)
    turn.revision = Revision(before.model_copy(update={"correction": nothing}))
    return turn


def correcting(
    turn: Callable[[], Turn],
    *keys: str,
    task: Mapping[str, Any] | None = None,
) -> Scene:
    """The correction of a message, with work on it under way."""

    async def scene(app: HalubotApp, pilot: Pilot[None]) -> None:
        made = turn()
        if task is not None:
            name = f"correct {made.id}"
            app._tasks[name] = Standing(name, **task)
        await show(app, pilot, made, entry=1)
        await pilot.press("f4")
        await settled(pilot, lambda: app.screen.query("#edits"))
        await pilot.press(*keys)

    return scene


def uncorrected() -> Turn:
    turn = checked()
    turn.revision = None
    return turn


# What methods tell of their own.


def told(name: str, method: str, **more: Any) -> Scene:
    """The details of a report in the inspector."""

    def turn() -> Turn:
        made = Turn(name, Inputs(kind="check", text=TEXT, question=QUESTION), state="done")
        made.recall(report(method=method, models=Models(judge="openai/small"), **more))
        return made

    return of(turn, entry=1, keys=("f3", "5"))


BORN: Final = "Ada Lovelace was born in London on 10 December 1815."
KNOWHALU: Final[Mapping[str, Any]] = {
    "extraction": "openai/small",
    "task": "answer",
    "off_target": {
        "asked": "who somebody was",
        "extracted": "Ada Lovelace, who wrote notes on the Analytical Engine",
        "outcome": "given",
    },
    "steps": [
        {
            "segment": 0,
            "form": form,
            "detail": "born in 1816",
            "specific": "Was Ada Lovelace born in 1816?",
            "general": "When was Ada Lovelace born?",
            "passages": [
                {"source": "r1", "title": "Ada Lovelace", "start": 0, "end": 52, "quote": BORN}
            ],
            "sentence": "Ada Lovelace was born on 10 December 1815, not in 1816.",
            "triplets": [["Ada Lovelace", "born on", "10 December 1815"]],
            "finding": "contradicts",
        }
        for form in ("text", "triplets")
    ]
    + [
        {
            "segment": 0,
            "form": "text",
            "detail": "Her tutor was Mary Somerville",
            "specific": "Was Mary Somerville the tutor of Ada Lovelace?",
            "general": "Who was the tutor of Ada Lovelace?",
            "passages": [],
            "sentence": "",
            "triplets": [],
            "finding": "nothing",
        },
    ],
    "endings": [{"segment": 0, "form": None, "ended": "contradicted", "reason": None}],
    "judgements": [
        {
            "segment": 0, "form": "text", "verdict": "INCORRECT", "confidence": 0.98,
            "by": "log-probabilities", "reason": "The year of birth is 1815, the answer says 1816.",
        },
        {
            "segment": 0, "form": "triplets", "verdict": "INCONCLUSIVE", "confidence": 0.61,
            "by": "log-probabilities", "reason": "The tutor is named in no passage.",
        },
    ],
    "aggregation": {
        "base": "text", "supplement": "triplets", "d1": 0.986236, "d2": 0.995475,
        "fitted_on": "HaluEval QA with Starling-7B, by its paper",
        "taken": [{"segment": 0, "taken": "base"}],
    },
}  # fmt: skip


def _voted(first: str, second: str) -> dict[str, Any]:
    born = {
        "passage": BORN, "source": "r1", "start": 0, "end": 52,
        "hallucinated": first, "why": "The passage has another year.",
    }  # fmt: skip
    engine = {
        "passage": "", "source": None, "start": 0, "end": 0,
        "hallucinated": second, "why": "No passage speaks of notes.",
    }  # fmt: skip
    return {"sentences": {"1": born, "2": engine}, "hallucination": first}


JUDGES: Final[Mapping[str, Any]] = {
    "votes": {"yes": 3, "no": 1, "lost": 1},
    "verdicts": ["yes", "yes", "no", "yes", None],
    "steps": [_voted("yes", "no"), _voted("yes", "yes"), _voted("no", "no")],
    "bias": {"yes_share": 0.97, "verdicts": 60, "units": 12, "suspect": True},
}
ENSEMBLE: Final[Mapping[str, Any]] = {
    "extraction": "openai/small",
    "members": {
        "consensus": {
            "label": None, "score": 0.94, "threshold": 0.5, "details": {},
            "calibrated_on": "WikiBio GPT-3, development part (179 passages)",
        },
        "triplet-check": {
            "label": None, "score": 0.71, "threshold": 0.5, "details": {}, "calibrated_on": None,
        },
        "selfcheck-ngram": {
            "label": None, "score": 0.33, "threshold": 0.86, "details": {},
            "calibrated_on": "WikiBio GPT-3, development part (179 passages)",
        },
    },
    "contributions": [
        {
            "consensus": {"score": 0.99, "odds": 3.3163, "weight": 1.0},
            "triplet-check": {"score": 0.8, "odds": 1.4, "weight": 0.5},
            "selfcheck-ngram": {"score": 0.3, "odds": -1.2572, "weight": 0.0},
        }
    ],
}  # fmt: skip
GCA: Final[Mapping[str, Any]] = {
    "well_supported": ["Ada Lovelace born in London", "Ada Lovelace died in 1852"],
    "facts": [
        {
            "terms": {"head": 0.67, "relation": 1.0, "tail": 0.0, "consistency": None},
            "question": "Who was born in London in 1816?",
            "said": {
                "head": ["Charlotte Brontë", "Ada Lovelace", "Ada Lovelace"],
                "relation": ["was born in"],
                "tail": ["1815", "1815", "1815"],
            },
        }
    ],
}
TRIPLETS: Final[Mapping[str, Any]] = {
    "triples": [
        {"triple": ["Ada Lovelace", "born on", "10 December 1815"], "source": "r1"},
        {"triple": ["Ada Lovelace", "born in", "London"], "source": "s2"},
    ],
    "comparisons": [
        {
            "facts": {
                "0": {
                    "stance": "contradicts", "supporting": [1], "contradicting": [0],
                    "reasons": "the reference has 1815",
                }
            }
        }
    ],
}  # fmt: skip

DETAILS: Final[Mapping[str, Scene]] = {
    "details-knowhalu": told("knowhalu", "knowhalu", label="INCORRECT", details=KNOWHALU),
    "details-judges": told("judges", "sca", label="CONTAINS HALLUCINATION", details=JUDGES),
    "details-ensemble": told("ensemble", "ensemble", details=ENSEMBLE),
    "details-gca": told("gca", "gca", details=GCA),
    "details-triplets": told("triplets", "triplet-check", details=TRIPLETS),
}
"""What single methods tell."""

DIALOGS: Final[Mapping[str, Scene]] = {
    "form-typed": form_typed,
    "form-methods": form_methods,
    "settings-wrong": settings_wrong,
    "palette": palette,
    "sessions-empty": sessions_empty,
    "sessions-rename": sessions("f2", until=lambda app: app.screen.has_class("-renaming")),
    "sessions-delete": sessions(
        "delete", until=lambda app: app.screen.query_one("#deleted").display
    ),
    "disagree-again": disagree_again,
    "export-refused": export_refused,
    "export-feedback": export_feedback,
    "compare-choose": compare_choose,
    "compare-working": compare_working,
    "correction-working": correcting(
        uncorrected, task={"what": "Correcting", "doing": "sentences, 1 of 2"}
    ),
    "correction-nothing": correcting(nothing_doubted),
    "correction-kept": correcting(kept_as_is),
    "correction-by-hand": correcting(corrected, "e"),
    "correction-checked": correcting(rechecked),
    "correction-changed": correcting(changed_since),
    **DETAILS,
}
"""Every state of a dialog or a tool by its name."""
