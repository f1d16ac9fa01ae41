"""One thing that can be done in the app: its keys, its names, and its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from textual.binding import Binding

Place = Literal[
    "app", "main", "conversation", "inspector", "composer", "correction", "compare", "list", "form"
]
Group = Literal["Text", "Facts", "Correction", "Session", "View", "halubot"]


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
