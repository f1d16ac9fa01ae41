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

    def __bool__(self) -> bool:
        """Return whether there is anything to check, or to compare with."""
        return bool(self.text.strip() or self.samples or self.references)

    @classmethod
    def with_sources(cls, inputs: Inputs) -> Self:
        """Return a draft with the sources of a text that was checked, and without the text."""
        from halubot.evidence.knowledge.bases import is_file  # late: the first frame needs no bases

        bases = [one for one in inputs.knowledge if is_file(one)]
        return cls(
            samples=list(inputs.samples),
            names=dict(zip(inputs.samples, inputs.names, strict=False)),  # names may be ()
            references=[*inputs.references, *map(Path, (*inputs.files, *bases))],
            knowledge=tuple(one for one in inputs.knowledge if one not in bases),
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

    def replace_text(self, text: str) -> None:
        """Begins with another text. Two texts are never joined: who left the form with one wants
        the next one alone. What it is compared with stays, and the question, which may be about
        the old text, does not."""
        if text.strip() != self.text.strip():
            self.text, self.question = text, ""
