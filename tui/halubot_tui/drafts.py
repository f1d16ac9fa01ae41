"""What was typed into the form of a check and not sent yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

Given = str | Path
"""A text, or a file or folder."""


@dataclass(slots=True)
class Draft:
    """What was typed into the form and not sent yet."""

    text: str = ""
    question: str = ""
    samples: list[Given] = field(default_factory=list)
    references: list[Given] = field(default_factory=list)
    knowledge: tuple[str, ...] = ()
    method: str = ""

    def add(self, text: str) -> None:
        """Adds to the text; what was there before stays."""
        if text.strip() not in self.text:
            self.text = "\n\n".join(part for part in (self.text, text) if part)
