"""A message with planted errors, other answers to the same question, and an article.

The subject is the Eiffel Tower; every text was written for halubot. The samples agree on most
facts, and some are vague or hold a mistake of their own, as answers of a model do.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from importlib.resources import files

from halubot.evidence import text_source
from halubot.report import Source


@dataclass(frozen=True, slots=True)
class Demo:
    """All that `halubot demo` checks: none of it is ever empty."""

    text: str
    question: str
    samples: tuple[str, ...]
    references: tuple[Source, ...]


def load() -> Demo:
    """Reads the demonstration from the package; takes a few milliseconds."""
    folder = files(__name__)

    def text(name: str) -> str:
        return folder.joinpath(name).read_text(encoding="utf-8")

    return Demo(
        text=text("message.txt").strip(),
        question=text("question.txt").strip(),
        samples=tuple(json.loads(line) for line in text("samples.jsonl").splitlines()),
        references=(text_source(text("article.md"), "reference", 1),),
    )


__all__ = ["Demo", "load"]
