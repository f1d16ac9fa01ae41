"""What was typed and not sent yet, as it is kept."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Self

from halubot.report import Frozen

if TYPE_CHECKING:
    from halubot_tui.drafts import Draft


class Given(Frozen):
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
    samples: tuple[Given, ...] = ()
    references: tuple[Given, ...] = ()
    knowledge: tuple[str, ...] = ()
    method: str = ""

    @classmethod
    def of(cls, text: str, files: tuple[Path, ...], form: Draft) -> Self:
        """What was typed in both places."""
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
        """What stood in the form."""
        from halubot_tui.drafts import Draft

        return Draft(
            text=self.checked,
            question=self.question,
            samples=[Path(one.file) if one.file else one.text for one in self.samples],
            references=[Path(one.file) if one.file else one.text for one in self.references],
            knowledge=self.knowledge,
            method=self.method,
        )


def _read_given(one: str | Path) -> Given:
    return Given(file=str(one)) if isinstance(one, Path) else Given(text=one)
