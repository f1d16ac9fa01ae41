"""Everything that can be done, once: from here come the keys, the command palette and the help.

The method that does an action has its name, with ``action_`` before it and ``_`` for ``-``; it
belongs to the screen or widget of its ``place``. A person may choose other keys (setting ``keys``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

from textual.binding import Binding, BindingType

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from textual.dom import DOMNode
    from textual.screen import Screen

Place = Literal[
    "app", "main", "conversation", "inspector", "composer", "correction", "compare", "list", "form"
]
Group = Literal["Message", "Facts", "Correction", "Session", "View", "halubot"]

READING: Final[Sequence[Place]] = ("app", "main", "conversation", "inspector")
"""The places that are at hand where one reads and writes."""


@dataclass(frozen=True, slots=True)
class Action:
    """One thing that can be done: its keys, what the footer calls it, and what it does in a
    sentence. ``footer`` says whether the footer shows it, ``palette`` whether the palette does."""

    id: str
    keys: str
    label: str
    about: str
    group: Group
    place: Place
    footer: bool = False
    palette: bool = True
    priority: bool = False

    @property
    def method(self) -> str:
        """The name of the method that does it, ``action_`` left out."""
        return self.id.replace("-", "_")

    def binding(self) -> Binding:
        """Its keys as Textual binds them; without keys it is bound to none that exist."""
        return Binding(
            self.keys or "f24",
            self.method,
            self.label,
            show=self.footer,
            tooltip=self.about,
            id=self.id,
            priority=self.priority,
        )

    def elsewhere(self) -> Binding:
        """The keys of an action of the app on a screen that hides those of the app."""
        tooltip = self.about
        return Binding(self.keys, f"app.{self.method}", self.label, tooltip=tooltip, id=self.id)


ACTIONS: Final[Sequence[Action]] = (
    Action(
        "send",
        "enter",
        "Send",
        "Ask the question, or run the command, that is written.",
        "Message",
        "composer",
        palette=False,
        priority=True,
    ),
    Action(
        "new-line",
        "shift+enter,alt+enter",
        "New line",
        "Begin a new line in what is written; a backslash before Enter does that everywhere.",
        "Message",
        "composer",
        palette=False,
        priority=True,
    ),
    Action(
        "complete",
        "tab",
        "Complete",
        "Write out the command that is suggested.",
        "Message",
        "composer",
        palette=False,
        priority=True,
    ),
    Action(
        "earlier",
        "up",
        "Earlier",
        "Go back to what was written before, from the first line.",
        "Message",
        "composer",
        palette=False,
        priority=True,
    ),
    Action(
        "later",
        "down",
        "Later",
        "Go on to what was written after it, from the last line.",
        "Message",
        "composer",
        palette=False,
        priority=True,
    ),
    Action(
        "check-text",
        "f2",
        "Check",
        "Check a text of your own against samples, references or a model.",
        "Message",
        "app",
        footer=True,
    ),
    Action(
        "stop",
        "x,ctrl+g",
        "Stop",
        "Stop the work on the selected message. What is known is kept; F5 checks it again.",
        "Message",
        "app",
        footer=True,
    ),
    Action(
        "again",
        "f5",
        "Check again",
        "Check the selected message again, with the present settings.",
        "Message",
        "app",
    ),
    Action(
        "compare",
        "f6",
        "Compare",
        "Check the same message by several methods, side by side.",
        "Message",
        "app",
    ),
    Action(
        "export",
        "f9",
        "Export",
        "Save the message or the session as Markdown, HTML, JSON or SVG.",
        "Message",
        "app",
    ),
    Action(
        "copy",
        "y,ctrl+y",
        "Copy",
        "Copy the selected message; a file is the sure way.",
        "Message",
        "app",
    ),
    Action(
        "write",
        "escape",
        "Write",
        "Go back to where one writes. Nothing is stopped by it.",
        "View",
        "main",
        palette=False,
    ),
    Action(
        "next-part",
        "tab",
        "Next part",
        "Go on to the next part: what one reads, what is known of it, where one writes. Shift+Tab"
        " goes back.",
        "View",
        "main",
        palette=False,
    ),
    Action(
        "previous-message",
        "ctrl+up,left_square_bracket",
        "Previous message",
        "Go to the message before.",
        "View",
        "main",
    ),
    Action(
        "next-message",
        "ctrl+down,right_square_bracket",
        "Next message",
        "Go to the message after.",
        "View",
        "main",
    ),
    Action(
        "next-fact",
        "n",
        "Next fact",
        "Go to the next doubted fact.",
        "Facts",
        "conversation",
        footer=True,
    ),
    Action(
        "previous-fact",
        "p",
        "Previous fact",
        "Go to the doubted fact before.",
        "Facts",
        "conversation",
    ),
    Action(
        "inspect",
        "f3",
        "Inspect",
        "Show the facts of the message and what speaks for and against each.",
        "Facts",
        "main",
        footer=True,
    ),
    Action(
        "sort-facts",
        "s",
        "Sort",
        "Sort the facts by doubt, or as they stand in the text.",
        "Facts",
        "inspector",
    ),
    Action(
        "view-facts",
        "1",
        "Facts",
        "List the facts, with who says what of the one that is looked at.",
        "Facts",
        "inspector",
    ),
    Action(
        "view-matrix",
        "2",
        "Matrix",
        "Show what each source says of each fact, side by side.",
        "Facts",
        "inspector",
    ),
    Action(
        "view-sources",
        "3",
        "Sources",
        "Read the samples and references in full, with what they say marked.",
        "Facts",
        "inspector",
    ),
    Action(
        "view-graph",
        "4",
        "Graph",
        "Draw the facts as a graph of what is said of what.",
        "Facts",
        "inspector",
    ),
    Action(
        "view-details",
        "5",
        "How",
        "Tell what the method did: its steps, citations, votes and figures.",
        "Facts",
        "inspector",
    ),
    Action(
        "view-why",
        "6",
        "Why",
        "Show which sentences of the sources were compared with this one, and how their words were"
        " paired.",
        "Facts",
        "inspector",
    ),
    Action(
        "disagree",
        "d",
        "Disagree",
        "Say that this verdict is wrong, with a note.",
        "Facts",
        "app",
        footer=True,
    ),
    Action(
        "correct",
        "f4",
        "Correct",
        "Correct what is doubted, edit by edit.",
        "Correction",
        "app",
        footer=True,
    ),
    Action(
        "stop-correcting",
        "x,ctrl+g",
        "Stop",
        "Stop the work on the correction; c begins it again.",
        "Correction",
        "correction",
        footer=True,
        palette=False,
    ),
    Action(
        "stop-comparing",
        "x,ctrl+g",
        "Stop",
        "Stop the methods that are still at work; what others found is kept.",
        "Message",
        "compare",
        footer=True,
        palette=False,
    ),
    Action("accept", "a", "Accept", "Make this change.", "Correction", "correction", footer=True),
    Action(
        "reject",
        "r",
        "Reject",
        "Leave the text as it is here.",
        "Correction",
        "correction",
        footer=True,
    ),
    Action(
        "edit", "e", "Edit", "Write the change by hand.", "Correction", "correction", footer=True
    ),
    Action(
        "undo",
        "u,ctrl+z",
        "Undo",
        "Take back the latest decision.",
        "Correction",
        "correction",
        footer=True,
    ),
    Action(
        "accept-all",
        "A",
        "All",
        "Make all changes that are not decided.",
        "Correction",
        "correction",
        footer=True,
    ),
    Action(
        "finish",
        "c,f10",
        "Check",
        "Take the corrected text and check it again.",
        "Correction",
        "correction",
        footer=True,
    ),
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
        "Find words in the messages of this session and of all others.",
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
        "Message",
        "form",
        palette=False,
        priority=True,
    ),
    Action(
        "take-out",
        "delete,backspace",
        "Take out",
        "Take the marked entry out of the list.",
        "Message",
        "form",
        palette=False,
    ),
    Action(
        "check-now",
        "f2",
        "Check",
        "Check the text with what is given.",
        "Message",
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
        "Choose more methods that judge the message too.",
        "Message",
        "compare",
        footer=True,
        palette=False,
    ),
    Action(
        "compare-now",
        "f6",
        "Compare",
        "Have the marked methods judge the message too.",
        "Message",
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
        "Message",
        "form",
        footer=True,
        palette=False,
    ),
    Action(
        "quit", "ctrl+q", "Quit", "Leave; everything is saved.", "halubot", "app", priority=True
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
    """Who does an action on that screen; None where it can only be done elsewhere."""
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
