"""Is a sentence that a model wrote in place of another one still that sentence?

A small model copies examples, answers with several sentences, or names what nobody spoke of. Such
a text must not take the place of what somebody wrote.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import Final

from halubot.compare.nearby import MOST, cut_windows
from halubot.compare.tokens import Token, content, with_tokens
from halubot.report import Report
from halubot.text import read

SHARED: Final = 1 / 3
"""The least share of a sentence's content words that its new text keeps."""

FEWEST: Final = 5
"""Content words of a sentence below which most of them may be what is corrected."""

_SEPARATOR: Final = re.compile(r"-{3,}|={3,}|`{3}|<{2,}|>{2,}|#{2,}|</?[a-z]+-\w{4,}>|\|{2,}")


class Grounds:
    """What the rewritten sentences of one report may name: what its text, its question and its
    sources name."""

    def __init__(self, report: Report) -> None:
        self._report = report

    @cached_property
    def _known(self) -> frozenset[str]:
        report = self._report
        question = report.question.text if report.question else ""
        texts = [report.text, question]
        for source in report.sources:
            texts += [source.title or "", source.text or ""]
        norms = set[str]()
        for text in texts:
            # Reading takes up to a thousand times the memory of a text: a long one goes in parts.
            whole = len(text) <= MOST
            for start, end in [(0, len(text))] if whole else cut_windows(text):
                for found in with_tokens(read(text[start:end])).tokens:
                    norms.update(token.norm for token in found)
        return frozenset(norms)

    def objection(self, before: str, after: str) -> str | None:
        """Return why a new text cannot take the place of a sentence; None if it can."""
        separator = _SEPARATOR.search(after)
        if separator and separator.group() not in before:
            return f"the model's new text holds {separator.group()!r}"
        if len(read(after).sentences) > max(1, len(read(before).sentences)):
            return "the model's new text is more than one sentence"
        old, new = content(before), content(after)
        kept = {token.norm for token in old} & {token.norm for token in new}
        if len(old) >= FEWEST and len(kept) < SHARED * len({token.norm for token in old}):
            return "the model's new text shares little with the sentence"
        strange = next((token for token in new if self._is_strange(token)), None)
        if strange is not None:
            return f"the model names {strange.text!r}, which neither the text nor a source has"
        return None

    def _is_strange(self, token: Token) -> bool:
        named = token.kind in ("name", "number")
        return named and token.norm not in self._known
