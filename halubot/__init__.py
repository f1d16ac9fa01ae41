"""halubot checks what a language model told you, fact by fact, and corrects it.

Entrances
    check, acheck         check a text, wait for the `Report`
    correct, acorrect     check a text, correct what is doubted, check the corrected text
    start                 start a check on the running event loop; returns a `Run` to watch
    Run                   a check under way: its events, its report so far, its cancelling

What a report is made of
    Report                everything known of one message; `docs/report.md` is its contract
    Sentence, Fact        the units that carry a verdict; Triple is a fact's head, relation, tail
    Source, Evidence      a text compared with, and what it says of one fact
    Correction, Edit      the corrected text and its changes
    Event                 what happens in a run, one class an event in `halubot.events`

Methods of your own
    register              makes a method known by its name

Errors
    HalubotError          the root of the tree in `halubot.errors`; catches them all
    InputError, UnreadableError, BrokenLineError, SettingError, UnknownMethodError,
    MissingExtraError

Importing halubot loads nothing else: each name is looked up when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from halubot.checking import acheck, acorrect, check, correct, start
    from halubot.errors import (
        BrokenLineError,
        HalubotError,
        InputError,
        MissingExtraError,
        SettingError,
        UnknownMethodError,
        UnreadableError,
    )
    from halubot.events import Event
    from halubot.facts import (
        Correction,
        Edit,
        Evidence,
        Fact,
        Report,
        Sentence,
        Source,
        Triple,
    )
    from halubot.methods.registry import register
    from halubot.run import Run

__version__ = "0.1.0"

__all__ = [
    "BrokenLineError",
    "Correction",
    "Edit",
    "Event",
    "Evidence",
    "Fact",
    "HalubotError",
    "InputError",
    "MissingExtraError",
    "Report",
    "Run",
    "Sentence",
    "SettingError",
    "Source",
    "Triple",
    "UnknownMethodError",
    "UnreadableError",
    "__version__",
    "acheck",
    "acorrect",
    "check",
    "correct",
    "register",
    "start",
]

_HOMES = {
    "halubot.checking": ("acheck", "acorrect", "check", "correct", "start"),
    "halubot.errors": (
        "BrokenLineError",
        "HalubotError",
        "InputError",
        "MissingExtraError",
        "SettingError",
        "UnknownMethodError",
        "UnreadableError",
    ),
    "halubot.events": ("Event",),
    "halubot.facts": (
        "Correction",
        "Edit",
        "Evidence",
        "Fact",
        "Report",
        "Sentence",
        "Source",
        "Triple",
    ),
    "halubot.methods.registry": ("register",),
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
