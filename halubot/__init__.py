"""halubot checks the answer of a language model fact by fact, and corrects it.

Entrances
    check, acheck         check a text and return its `Report`
    ask, aask             let a model answer a question, and check its answer
    correct, acorrect     check a text, correct what is doubted, check the corrected text
    accept                the text of a report with only some edits of its correction made
    start, start_asking   start a check on the running event loop and return a `Run`
    rehearse, arehearse   estimate the cost of a check without a call: a `Plan`
    Run                   a check under way: its events, its report so far, `Run.cancel`

Models
    open_panel            open the models of several checks: one budget, one store of answers
    Panel                 the models of a check by role
    LanguageModel         the protocol of a model; `halubot.models.model` has the rest

Parts of a report
    Report                the result of a check; `docs/report.md` describes every field
    Sentence, Fact        the units that have a verdict; Triple is a fact's head, relation, tail
    Source, Evidence      a text compared with, and its stance on one fact
    Correction, Edit      the corrected text and its changes
    Event                 one step of a run; `halubot.events` has a class for each kind

Knowledge
    open_knowledge        a knowledge base by its name, for ``knowledge=[...]``
    InMemory              a knowledge base of your own texts, held in memory

Methods of your own
    register              make a method known by its name

Errors
    HalubotError          the root of the tree in `halubot.errors`
    InputError, UnreadableError, BrokenLineError, SettingError, UnknownMethodError,
    MissingExtraError, KnowledgeError, StateError
    ModelError            a call to a model that failed; see `halubot.models.model_errors`

Importing halubot loads nothing else: each name is looked up when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from halubot.api import aask, acheck, ask, check, start, start_asking
    from halubot.correction_api import acorrect, correct
    from halubot.dry_run import Plan, arehearse, rehearse
    from halubot.edits import accept
    from halubot.errors import (
        BrokenLineError,
        HalubotError,
        InputError,
        KnowledgeError,
        MissingExtraError,
        SettingError,
        StateError,
        UnknownMethodError,
        UnreadableError,
    )
    from halubot.events import Event
    from halubot.evidence.knowledge.named_bases import InMemory, open_knowledge
    from halubot.methods.registry import register
    from halubot.models.model import LanguageModel
    from halubot.models.model_errors import ModelError
    from halubot.models.panel import Panel, open_panel
    from halubot.report import Correction, Edit, Evidence, Fact, Report, Sentence, Source, Triple
    from halubot.run import Run
    from halubot.version import __version__

__all__ = [
    "BrokenLineError",
    "Correction",
    "Edit",
    "Event",
    "Evidence",
    "Fact",
    "HalubotError",
    "InMemory",
    "InputError",
    "KnowledgeError",
    "LanguageModel",
    "MissingExtraError",
    "ModelError",
    "Panel",
    "Plan",
    "Report",
    "Run",
    "Sentence",
    "SettingError",
    "Source",
    "StateError",
    "Triple",
    "UnknownMethodError",
    "UnreadableError",
    "__version__",
    "aask",
    "accept",
    "acheck",
    "acorrect",
    "arehearse",
    "ask",
    "check",
    "correct",
    "open_knowledge",
    "open_panel",
    "register",
    "rehearse",
    "start",
    "start_asking",
]

_HOMES = {
    "halubot.api": ("aask", "acheck", "ask", "check", "start", "start_asking"),
    "halubot.correction_api": ("acorrect", "correct"),
    "halubot.dry_run": ("Plan", "arehearse", "rehearse"),
    "halubot.edits": ("accept",),
    "halubot.errors": (
        "BrokenLineError",
        "HalubotError",
        "InputError",
        "KnowledgeError",
        "MissingExtraError",
        "SettingError",
        "StateError",
        "UnknownMethodError",
        "UnreadableError",
    ),
    "halubot.events": ("Event",),
    "halubot.evidence.knowledge.named_bases": ("InMemory", "open_knowledge"),
    "halubot.methods.registry": ("register",),
    "halubot.models.model": ("LanguageModel",),
    "halubot.models.model_errors": ("ModelError",),
    "halubot.models.panel": ("Panel", "open_panel"),
    "halubot.report": (
        "Correction",
        "Edit",
        "Evidence",
        "Fact",
        "Report",
        "Sentence",
        "Source",
        "Triple",
    ),
    "halubot.version": ("__version__",),
    "halubot.run": ("Run",),
}

if not TYPE_CHECKING:  # type checkers read the imports above and refuse unknown names

    def __getattr__(name):
        from importlib import import_module

        for home, names in _HOMES.items():
            if name in names:
                value = globals()[name] = getattr(import_module(home), name)
                return value
        raise AttributeError(f"module 'halubot' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
