"""Drafts: what was typed into a form and not sent yet."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from halubot.render.captions import number
from halubot.render.inert import one_line

if TYPE_CHECKING:
    from halubot_tui.turns import Inputs

Given = str | Path
"""A text, or a file or folder."""


@dataclass(slots=True)
class Draft:
    """The input typed into the form and not sent yet."""

    text: str = ""
    question: str = ""
    samples: list[Given] = field(default_factory=list)
    names: dict[str, str] = field(default_factory=dict)
    """The names of the files that samples were read from, by their texts."""
    references: list[Given] = field(default_factory=list)
    knowledge: tuple[str, ...] = ()
    method: str = ""

    @classmethod
    def with_sources(cls, inputs: Inputs) -> Self:
        """Return a draft with the sources of a text that was checked, and without the text."""
        zims = [one for one in inputs.knowledge if one.lower().endswith(".zim")]
        return cls(
            samples=list(inputs.samples),
            names=dict(zip(inputs.samples, inputs.names, strict=False)),  # names may be ()
            references=[*inputs.references, *map(Path, (*inputs.files, *zims))],
            knowledge=tuple(one for one in inputs.knowledge if one not in zims),
        )

    @property
    def sources(self) -> str:
        """Return what it is to be compared with, in words; "" for nothing."""
        parts: list[str] = []
        if self.samples:
            parts.append(number(len(self.samples), "other answer"))
        files = [one_line(one.name) for one in self.references if isinstance(one, Path)]
        if texts := len(self.references) - len(files):
            parts.append(number(texts, "document"))
        return ", ".join([*parts, *files, *map(one_line, self.knowledge)])

    def add(self, text: str) -> None:
        """Adds to the text; what was there before stays."""
        if text.strip() not in self.text:
            self.text = "\n\n".join(part for part in (self.text, text) if part)
