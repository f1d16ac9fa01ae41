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
    from halubot.api import aask as aask
    from halubot.api import acheck as acheck
    from halubot.api import ask as ask
    from halubot.api import check as check
    from halubot.api import start as start
    from halubot.api import start_asking as start_asking
    from halubot.correction_api import acorrect as acorrect
    from halubot.correction_api import correct as correct
    from halubot.dry_run import Plan as Plan
    from halubot.dry_run import arehearse as arehearse
    from halubot.dry_run import rehearse as rehearse
    from halubot.edits import accept as accept
    from halubot.errors import BrokenLineError as BrokenLineError
    from halubot.errors import HalubotError as HalubotError
    from halubot.errors import InputError as InputError
    from halubot.errors import KnowledgeError as KnowledgeError
    from halubot.errors import MissingExtraError as MissingExtraError
    from halubot.errors import SettingError as SettingError
    from halubot.errors import StateError as StateError
    from halubot.errors import UnknownMethodError as UnknownMethodError
    from halubot.errors import UnreadableError as UnreadableError
    from halubot.events import Event as Event
    from halubot.evidence.knowledge.named_bases import InMemory as InMemory
    from halubot.evidence.knowledge.named_bases import open_knowledge as open_knowledge
    from halubot.methods.registry import register as register
    from halubot.models.model import LanguageModel as LanguageModel
    from halubot.models.model_errors import ModelError as ModelError
    from halubot.models.panel import Panel as Panel
    from halubot.models.panel import open_panel as open_panel
    from halubot.report import Correction as Correction
    from halubot.report import Edit as Edit
    from halubot.report import Evidence as Evidence
    from halubot.report import Fact as Fact
    from halubot.report import Report as Report
    from halubot.report import Sentence as Sentence
    from halubot.report import Source as Source
    from halubot.report import Triple as Triple
    from halubot.run import Run as Run
    from halubot.version import __version__ as __version__

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

__all__ = sorted(name for names in _HOMES.values() for name in names)  # noqa: PLE0605 - a list

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
