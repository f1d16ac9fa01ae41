"""Small dialogs: a question with yes and no, and whether a fact is right or wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Static

from halubot.feedback import Says
from halubot_tui.widgets.key_bar import KeyBar

if TYPE_CHECKING:
    from textual.app import ComposeResult
    from textual.binding import BindingType


class ConfirmDialog(ModalScreen[bool]):
    """A question; Enter or y is yes, Esc or n is no."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("enter,y", "answer(True)", "yes"),
        Binding("escape,n", "answer(False)", "no"),
    ]

    def __init__(self, question: str) -> None:
        super().__init__()
        self._question = question

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog small"):
            yield Static(self._question, markup=False)
            yield KeyBar()

    def action_answer(self, answer: bool) -> None:
        self.dismiss(answer)


class OwnVerdictDialog(ModalScreen[Says]):
    """Whether a fact is right or wrong; Esc says nothing."""

    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("r", "dismiss('right')", "it is right"),
        Binding("w", "dismiss('wrong')", "it is wrong"),
        Binding("escape", "dismiss", "cancel"),
    ]

    def __init__(self, fact: str) -> None:
        super().__init__()
        self._fact = fact

    def compose(self) -> ComposeResult:
        about = "What you say takes the place of the verdict, also in reports and later checks."
        with Vertical(classes="dialog small"):
            yield Static(f"{self._fact}\n\n{about}", markup=False)
            yield KeyBar()
