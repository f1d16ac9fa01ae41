"""Drafts: what was typed into the composer or a form and not sent yet, and as it is kept."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Self

from halubot.render.captions import number
from halubot.render.inert import one_line
from halubot.report import Frozen

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
    references: list[Given] = field(default_factory=list)
    knowledge: tuple[str, ...] = ()
    method: str = ""

    @classmethod
    def with_sources(cls, inputs: Inputs) -> Self:
        """Return a draft with the sources of a text that was checked, and without the text."""
        zims = [one for one in inputs.knowledge if one.lower().endswith(".zim")]
        return cls(
            samples=list(inputs.samples),
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


class GivenText(Frozen):
    """A text, or the path of a file or folder, that is in a list of the form."""

    text: str = ""
    file: str = ""


class Unsent(Frozen):
    """What stands in the composer, with the files given there; and, from ``checked`` on, what
    stands in the form."""

    text: str = ""
    files: tuple[str, ...] = ()
    checked: str = ""
    question: str = ""
    samples: tuple[GivenText, ...] = ()
    references: tuple[GivenText, ...] = ()
    knowledge: tuple[str, ...] = ()
    method: str = ""

    @classmethod
    def of(cls, text: str, files: tuple[Path, ...], form: Draft) -> Self:
        """Return what was typed in both places."""
        return cls(
            text=text,
            files=tuple(map(str, files)),
            checked=form.text,
            question=form.question,
            samples=tuple(map(_read_given, form.samples)),
            references=tuple(map(_read_given, form.references)),
            knowledge=form.knowledge,
            method=form.method,
        )

    def __bool__(self) -> bool:
        words = (self.text, self.checked, self.question)
        rest = (self.files, self.samples, self.references, self.knowledge)
        return any(map(str.strip, words)) or any(rest)

    @property
    def form(self) -> Draft:
        """Return what stood in the form."""

        return Draft(
            text=self.checked,
            question=self.question,
            samples=[Path(one.file) if one.file else one.text for one in self.samples],
            references=[Path(one.file) if one.file else one.text for one in self.references],
            knowledge=self.knowledge,
            method=self.method,
        )


def _read_given(one: str | Path) -> GivenText:
    return GivenText(file=str(one)) if isinstance(one, Path) else GivenText(text=one)
