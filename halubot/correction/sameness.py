"""Is a sentence that a model wrote in place of another one still that sentence?

Its edges (emphasis, links, punctuation) are kept, and nothing else may change.
"""

from __future__ import annotations

import re
from functools import cached_property
from itertools import takewhile
from typing import Final

from halubot.compare.tokens import Token, content, with_tokens
from halubot.edits import line_start
from halubot.evidence.context import MOST, cut_windows
from halubot.report import Report, Span
from halubot.text import clean, read

SHARED: Final = 1 / 3
"""The least share of a sentence's content words that its new text keeps."""

FEWEST: Final = 5
"""Content words of a sentence below which most of them may be what is corrected."""

_SEPARATOR: Final = re.compile(r"-{3,}|={3,}|`{3}|<{2,}|>{2,}|#{2,}|</?[a-z]+-\w{4,}>|\|{2,}")


class Grounds:
    """The names and values allowed in the rewritten sentences of one report: those that its text,
    its question and its sources name."""

    def __init__(self, report: Report) -> None:
        self._report = report

    @cached_property
    def _known_words(self) -> frozenset[str]:
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
        """Return the reason why a new text cannot replace a sentence; None if it can."""
        separator = _SEPARATOR.search(after)
        # A small model wrote the example of its prompt, separators and all, into a user's text.
        if separator and separator.group() not in before:
            return f"the model's new text holds {separator.group()!r}"
        # What a model adds is no correction of this sentence.
        if len(read(after).sentences) > max(1, len(read(before).sentences)):
            return "the model's new text is more than one sentence"
        old, new = content(before), content(after)
        kept = {token.norm for token in old} & {token.norm for token in new}
        if len(old) >= FEWEST and len(kept) < SHARED * len({token.norm for token in old}):
            return "the model's new text shares little with the sentence"
        # Names and numbers alone: other words are the model's wording.
        strange = next((token for token in new if self._is_strange(token)), None)
        if strange is not None:
            return f"the model names {strange.text!r}, which neither the text nor a source has"
        return None

    def _is_strange(self, token: Token) -> bool:
        named = token.kind in ("name", "number")
        return named and token.norm not in self._known_words


_QUOTES = '"“”„«»'
_NOTE = r"\[\^?\w{1,20}\](?!\()"
_LINK_END = r"\]\([^()\s]*\)"
_SIGN = rf"\*{{1,3}}|_{{1,3}}|~~|`+|[{_QUOTES}]"
_TOKEN = re.compile(rf"{_NOTE}|{_LINK_END}|{_SIGN}|\[")
_OPENING = re.compile(rf"(?!{_NOTE})(?:{_SIGN}|\[)")
_CLOSING = re.compile(rf"(?:{_NOTE}|{_LINK_END}|{_SIGN})\Z")
_LONGEST_CLOSING = 300
_BLOCK = re.compile(r"\s*((?:(?:[*+>-]|#{1,6})\s+|[`~]{3,}\s*)+)")
_BLOCK_WITHIN = re.compile(r"\n\s*(?:[*+>-]|#{1,6})\s")
_LINE_BREAK = re.compile(r"[\r\n\u2028\u2029]+")


def fit(text: str, span: Span, changed: str) -> str:
    """A new wording as it stands in the place of the sentence ``text[span]``.

    Without control characters and without white space around it; on one line if the sentence
    is; without a mark that would begin a list, a heading, a quotation or a block of code; and with
    the signs at the sentence's edges.

    >>> fit("- **Born in 1816.**", (2, 19), "- Born in\\n1815.")
    '**Born in 1815.**'
    """
    sentence = text[span[0] : span[1]]
    pieces = [piece.strip() for piece in _LINE_BREAK.split(clean(changed)[0])]
    first = line_start(text, span[0])
    if first is not None:
        pieces[0] = _unblock(pieces[0], sentence, text[first : span[0]].strip())
    if _LINE_BREAK.search(sentence) is None:
        return _with_edges(sentence, " ".join(filter(None, pieces)))
    # A line of the new text that looks like a list item would become one.
    if not _BLOCK_WITHIN.search(sentence):
        pieces[1:] = [_unblock(piece) for piece in pieces[1:]]
    return _with_edges(sentence, "\n".join(filter(None, pieces)))


def loose(sentence: str) -> tuple[int, int]:
    """Return how many characters at the beginning and at the end of a sentence are signs that other
    sentences share, and that stay in place taken out.

    >>> loose("**Ada sang.")
    (2, 0)
    """
    lead, trail = _edges(sentence)
    begin = takewhile(lambda token: not any(_pair(token, end) for end in trail), lead)
    end = takewhile(
        lambda token: not (_is_note(token) or any(_pair(begin, token) for begin in lead)),
        reversed(trail),
    )
    return sum(map(len, begin)), sum(map(len, end))


def _unblock(line: str, sentence: str = "", mark: str = "") -> str:
    """A line without the mark that stands before the sentence already, and without one that would
    begin a block if the sentence does not."""
    if mark and re.match(rf"{re.escape(mark)}\s", line):
        line = line[len(mark) :].lstrip()
    block = _BLOCK.match(line)
    return line if block is None or sentence.startswith(block[1]) else line[block.end() :]


def _with_edges(sentence: str, new: str) -> str:
    """The new wording between the signs of the sentence's edges, each there once."""
    lead, trail = _edges(sentence)
    if not new or not (lead or trail):
        return new
    own, mine = _opening(new), _closing(new)
    middle = new[len("".join(own)) : len(new) - len("".join(mine))]
    own = [token for token in own if token not in lead]
    mine = [token for token in mine if token not in trail]
    return "".join((*lead, *own, middle, *mine, *trail))


def _edges(sentence: str) -> tuple[list[str], list[str]]:
    """The signs that begin and that end a sentence, without those whose other half is inside."""
    lead, trail = _opening(sentence), _closing(sentence)
    start, end = len("".join(lead)), len(sentence) - len("".join(trail))
    inside = {found[0] for found in _TOKEN.finditer(sentence, start, max(start, end))}
    opens = takewhile(lambda token: not any(_pair(token, other) for other in inside), lead)
    closes = takewhile(
        lambda token: _is_note(token) or not any(_pair(other, token) for other in inside),
        reversed(trail),
    )
    return list(opens), list(closes)[::-1]


def _opening(text: str) -> list[str]:
    tokens: list[str] = []
    at = 0
    while found := _OPENING.match(text, at):
        tokens.append(found[0])
        at = found.end()
    return tokens


def _closing(text: str) -> list[str]:
    """The tokens at the end, none of them one of the beginning."""
    tokens: list[str] = []
    low = len("".join(_opening(text)))
    # From near the end only: a long line of marks would take time with the square of its length.
    while found := _CLOSING.search(text[max(low, len(text) - _LONGEST_CLOSING) :]):
        tokens.insert(0, found[0])
        text = text[: len(text) - len(found[0])]
    return tokens


def _pair(opening: str, closing: str) -> bool:
    if opening in _QUOTES:
        return closing in _QUOTES
    return closing.startswith("](") if opening == "[" else opening == closing


def _is_note(token: str) -> bool:
    return token[0] == "[" and token[-1] == "]"
