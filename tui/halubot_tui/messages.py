"""The messages between the parts of the app."""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual.message import Message

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from halubot.jobs import News
    from halubot_tui.actions import Action
    from halubot_tui.turns import Inputs


class Heard(Message):
    """Something was heard of a job."""

    def __init__(self, news: News) -> None:
        super().__init__()
        self.news = news


class Sent(Message):
    """A person sent a question or a text."""

    def __init__(self, inputs: Inputs) -> None:
        super().__init__()
        self.inputs = inputs


class Offered(Message):
    """A person gave a file with no word to it: it is to be checked."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path


class Walked(Message):
    """A person who writes nothing went so many facts on, or back."""

    def __init__(self, by: int) -> None:
        super().__init__()
        self.by = by


class Paged(Message):
    """A person who writes nothing went a page on in what is read, or back."""

    def __init__(self, by: int) -> None:
        super().__init__()
        self.by = by


class Commanded(Message):
    """A person wants something done, by its name."""

    def __init__(self, action: Action) -> None:
        super().__init__()
        self.action = action


class Selected(Message):
    """A message was selected, and of it the entry with this number in its list, or none. If the
    app selects by itself it does not ``bring`` that in sight: what one reads stays in place."""

    def __init__(self, turn: str, entry: int | None = None, *, bring: bool = True) -> None:
        super().__init__()
        self.turn = turn
        self.entry = entry
        self.bring = bring


class Decided(Message):
    """A person decided on edits of a message's correction; None opens one again."""

    def __init__(self, turn: str, decisions: Mapping[int, bool | str | None]) -> None:
        super().__init__()
        self.turn = turn
        self.decisions = decisions


class Finished(Message):
    """A person wants the text as it was decided on checked again."""

    def __init__(self, turn: str) -> None:
        super().__init__()
        self.turn = turn


class Stopped(Message):
    """A person wants the work on a message's correction stopped."""

    def __init__(self, turn: str) -> None:
        super().__init__()
        self.turn = turn
