"""Everything that can be done, once: from here come the keys, the command palette and the help.

The method that does an action has its name, with ``action_`` before it and ``_`` for ``-``; it
belongs to the screen or widget of its ``place``. A person may choose other keys (setting ``keys``).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from halubot_tui.action import Action, Group, Place
from halubot_tui.message_actions import MESSAGE_ACTIONS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.binding import BindingType
    from textual.dom import DOMNode
    from textual.screen import Screen

__all__ = [
    "ACTIONS",
    "READING",
    "Action",
    "Group",
    "Place",
    "bindings",
    "commands",
    "doer",
    "find_action",
    "of",
]

READING: Final[Sequence[Place]] = ("app", "main", "conversation", "inspector")
"""The places that are at hand where one reads and writes."""

ACTIONS: Final[Sequence[Action]] = (
    *MESSAGE_ACTIONS,
    Action(
        "sessions",
        "f7",
        "Sessions",
        "Open, search, rename or delete a session.",
        "Session",
        "app",
        footer=True,
    ),
    Action(
        "find",
        "ctrl+f",
        "Find",
        "Find words in the texts of this session and of all others.",
        "Session",
        "app",
    ),
    Action("open-session", "enter", "Open", "Open this session.", "Session", "list", footer=True),
    Action(
        "rename", "f2", "Rename", "Give this session another name.", "Session", "list", footer=True
    ),
    Action(
        "delete",
        "delete,ctrl+d",
        "Delete",
        "Delete this session; F5 takes it back until the list is left.",
        "Session",
        "list",
        footer=True,
    ),
    Action(
        "undelete",
        "f5,ctrl+z",
        "Undo",
        "Take back the session that was deleted last.",
        "Session",
        "list",
        footer=True,
    ),
    Action("new-session", "ctrl+n", "New session", "Begin a new session.", "Session", "app"),
    Action(
        "settings",
        "f8",
        "Settings",
        "Choose model, method, samples, threshold, budget, theme and keys.",
        "halubot",
        "app",
        footer=True,
    ),
    Action("theme", "ctrl+t", "Theme", "Change between the themes.", "View", "app"),
    Action(
        "help",
        "f1,question_mark",
        "Help",
        "Say what can be done here, and with which keys.",
        "halubot",
        "app",
        footer=True,
    ),
    Action(
        "command-palette",
        "ctrl+p",
        "Commands",
        "Find an action by its name.",
        "halubot",
        "app",
        palette=False,
        priority=True,
    ),
    Action(
        "demo",
        "",
        "Example",
        "Open an example in a session of its own: a text with planted errors, checked against other"
        " answers and an article.",
        "halubot",
        "app",
    ),
    Action(
        "resume",
        "ctrl+r",
        "Continue",
        "Continue where you stopped: open the session that was open last.",
        "Session",
        "app",
        footer=True,
    ),
    Action(
        "example",
        "f3",
        "Example",
        "Open an example in a session of its own; what you typed here is kept.",
        "halubot",
        "form",
        footer=True,
        palette=False,
    ),
    Action(
        "back",
        "escape",
        "Back",
        "Close this; what was typed is kept.",
        "View",
        "form",
        footer=True,
        palette=False,
    ),
    Action(
        "add",
        "enter",
        "Add",
        "Add what is written to the list.",
        "Text",
        "form",
        palette=False,
        priority=True,
    ),
    Action(
        "take-out",
        "delete,backspace",
        "Take out",
        "Take the marked entry out of the list.",
        "Text",
        "form",
        palette=False,
    ),
    Action(
        "check-now",
        "f2",
        "Check",
        "Check the text with what is given.",
        "Text",
        "form",
        footer=True,
        palette=False,
    ),
    Action(
        "same-sources",
        "f6",
        "Same sources",
        "Compare with the same answers and documents as the text before.",
        "Text",
        "form",
        footer=True,
        palette=False,
    ),
    Action(
        "save",
        "f8",
        "Save",
        "Save the settings, and use them from now on.",
        "halubot",
        "form",
        footer=True,
        palette=False,
    ),
    Action(
        "next-tab",
        "f7",
        "Next tab",
        "Go on to the next tab of the settings.",
        "halubot",
        "form",
        footer=True,
        palette=False,
    ),
    Action(
        "find-setting",
        "ctrl+f",
        "Find",
        "Find a setting by its name or by what it does.",
        "halubot",
        "form",
        footer=True,
        palette=False,
    ),
    Action(
        "test-model",
        "f5",
        "Test call",
        "Have the model answer once, and show how long that takes.",
        "halubot",
        "form",
        footer=True,
        palette=False,
    ),
    Action(
        "choose",
        "f6,m",
        "More methods",
        "Choose more methods that judge the text too.",
        "Text",
        "compare",
        footer=True,
        palette=False,
    ),
    Action(
        "compare-now",
        "f6",
        "Compare",
        "Have the marked methods judge the text too.",
        "Text",
        "form",
        footer=True,
        palette=False,
    ),
    Action(
        "keep-word",
        "f4,f10",
        "Keep",
        "Keep what you say of the fact.",
        "Facts",
        "form",
        footer=True,
        palette=False,
    ),
    Action(
        "write-file",
        "f9",
        "Save",
        "Write the file.",
        "Text",
        "form",
        footer=True,
        palette=False,
    ),
    Action(
        "quit",
        "ctrl+q",
        "Quit",
        "Leave; everything is saved.",
        "halubot",
        "app",
        footer=True,
        priority=True,
    ),
)
"""All actions, in the order of the help."""

_NAMED: Final = {action.id: action for action in ACTIONS}


def of(place: Place) -> Iterator[Action]:
    """The actions of a place, in order."""
    return (action for action in ACTIONS if action.place == place)


def bindings(place: Place) -> list[BindingType]:
    """The keys of a place."""
    return [action.binding() for action in of(place)]


def find_action(name: str) -> Action:
    """The action of that name. Raises KeyError."""
    return _NAMED[name]


def commands() -> Iterator[Action]:
    """The actions that can be asked for by name where one reads and writes, in order."""
    return (action for action in ACTIONS if action.palette and action.place in READING)


def doer(screen: Screen[Any], action: Action) -> DOMNode | None:
    """Who does an action on that screen; None if it can only be done elsewhere."""
    node: DOMNode = screen
    if action.place == "app":
        node = screen.app
    elif action.place in ("conversation", "inspector", "composer"):
        found = screen.query(f"#{action.place}")
        if not found:
            return None
        node = found.first()
    can = hasattr(node, f"action_{action.method}") and node.check_action(action.method, ())
    return node if can else None
