"""Lines that claim nothing: headings, titles in bold, the head of a table, "Sources:".

A heading that states something ("# Ada was born in 1816") is a sentence like any other.
"""

from __future__ import annotations

import re
from typing import Final, NamedTuple

from halubot.extract import asides, table_rows
from halubot.extract import english_words as lex
from halubot.extract.clause_reader import Reading
from halubot.extract.drafts import Draft
from halubot.extract.languages import has_rules
from halubot.extract.lines import split_key_and_value
from halubot.extract.mentions import Mentions
from halubot.extract.tagger import tag
from halubot.extract.tokenizer import Word
from halubot.text import Document, Span

_LONGEST: Final = 300  # characters of such a line, and of what stands before it
_MARKS: Final = ("#", "**", "__", "|", ":", "：", "\n==", "\n--")
_HEADING: Final = re.compile(r"[ \t>]*(?P<marks>#{1,6})[ \t]")
_UNDERLINED: Final = re.compile(r"[^\n]{0,20}\n[ \t>]*(?:={2,}|-{2,})[ \t]*(?:\n|$)")
_BOLD: Final = re.compile(
    r"(?P<indent>[ \t>]*)(?P<item>(?:[-*+]|\d{1,3}[.)])[ \t]+)?"
    r"(?P<mark>\*{2,3}|__)(?P<words>(?:(?!(?P=mark)).)+)(?P=mark):?[ \t]*"
)
_NUMBER: Final = re.compile(r"\s*(?:\d{1,3}(?:\.\d{1,3})*[.):]?|[IVX]+[.)])\s+(?=\D)")
# In bold these may be an answer.
_VALUE: Final = re.compile(r"\d|:\s*\w|[.!]\s*$|^\W*(?:yes|no|true|false)\b", re.IGNORECASE)
_LABEL: Final = re.compile(r"[:：][*_\s]*$")
_CITING: Final = lex.words("source sources reference references citation citations and")
_TO_COME: Final = lex.words("following follows below")
_AROUND: Final = "*_#:| \t"  # marks that may end a line
_BEFORE: Final = "*_>- +\t0123456789.)"  # marks that may begin a line
_FEWEST_RUN_IN: Final = 2  # one alone may be an answer in bold: "**Paris.** It lies on the Seine"
_COUNTED: Final = re.compile(
    r"(?:step|stage|phase|part|tip|rule|level|option|point|section|chapter|day|week)\s\d{1,2}",
    re.IGNORECASE,
)
_FEW: Final = 3  # words of a title in a language whose statements cannot be told
_UNPARTED: Final = frozenset({"zh", "ja", "th"})  # languages that do not part their words


class _Line(NamedTuple):
    """A line of text, from the beginning of the one on which its first sentence begins to the end
    of that on which its last one ends; with the places of these sentences."""

    document: Document
    first: int
    text: str
    spans: tuple[Span, ...]

    @property
    def place(self) -> Span:
        return self.spans[0][0], self.spans[-1][1]


def titles(document: Document) -> frozenset[Span]:
    """The sentences of a document that claim nothing; none where all of them do not. Linear in
    the length of the text."""
    if not any(mark in document.text for mark in _MARKS):
        return frozenset()
    lines: list[_Line] = []
    for span in document.sentences:
        line = _line(document, *span)
        if lines and lines[-1].first == line.first:
            line = line._replace(spans=(*lines.pop().spans, span))
        lines.append(line)
    around = zip([None, *lines], lines, [*lines[1:], None], strict=False)
    found = [span for before, line, after in around for span in _empty(before, line, after)]
    opening = [line.spans[0] for line in lines if _is_run_in(line)]
    if len(opening) >= _FEWEST_RUN_IN:
        found += opening
    return frozenset(found) if len(found) < len(document.sentences) else frozenset()


def is_heading(document: Document, start: int, end: int) -> bool:
    """Whether a sentence stands in a heading."""
    line = _line(document, start, end)
    return bool(_HEADING.match(line.text)) or _is_underlined(line)


def _line(document: Document, start: int, end: int) -> _Line:
    text = document.text
    low, high = max(0, start - _LONGEST), end + _LONGEST
    first = text.rfind("\n", low, start) + 1 or low
    last = text.find("\n", end, high)
    return _Line(document, first, text[first : last if last >= 0 else high], ((start, end),))


def _empty(before: _Line | None, line: _Line, after: _Line | None) -> tuple[Span, ...]:
    """The sentences of a line between those two that claim nothing."""
    document, (start, end) = line.document, line.place
    if len(line.text) <= _LONGEST:
        if "|" in line.text and table_rows.is_header(document, end):
            return line.spans
        titled = _HEADING.match(line.text) or _is_underlined(line)
        if titled or _is_bold_title(before, line, after):
            return () if _states(line, tag(document.plain, start, end)) else line.spans
    start, end = line.spans[-1]
    if end - start > _LONGEST or line.text[end - line.first :].strip(_AROUND):
        return ()
    words = tag(document.plain, start, end)
    labels = _LABEL.search(document.text, max(start, end - 9), end)
    empty = not _states(line, words) if labels else _cites(words)
    return line.spans[-1:] if empty else ()


def _is_run_in(line: _Line) -> bool:
    """Return True for a line that begins with a title in bold: "**History.** The bridge was"."""
    start, end = line.spans[0]
    if len(line.spans) == 1 or line.text[: start - line.first].strip(_BEFORE):
        return False
    bold = _BOLD.fullmatch(line.document.text[start:end])
    if bold is None or _VALUE.search(_COUNTED.sub("", bold["words"].rstrip(" ."), count=1)):
        return False
    return not _states(line, tag(line.document.plain, start, end))


def _is_underlined(line: _Line) -> bool:
    return "|" not in line.text and bool(_UNDERLINED.match(line.document.text, line.place[1]))


def _is_bold_title(before: _Line | None, line: _Line, after: _Line | None) -> bool:
    """Whether a line that is bold as a whole stands above other text; in a list above what is
    indented below it. A value, a sentence, a "Yes" and a line beside another bold one may be an
    answer."""
    bold = _BOLD.fullmatch(line.text)
    if bold is None or after is None or _VALUE.search(_NUMBER.sub("", bold["words"], count=1)):
        return False
    if bold["item"]:
        return len(after.text) - len(after.text.lstrip(" \t>")) > len(bold["indent"])
    return not any(other and _BOLD.fullmatch(other.text) for other in (before, after))


def _cites(words: list[Word]) -> bool:
    """Whether a line names sources: "Sources: see below"."""
    halves = split_key_and_value(words, -1)
    return halves is not None and all(word.low in _CITING for word in words[: halves.key])


def _states(line: _Line, words: list[Word]) -> bool:
    """Whether a title states something: a clause with an object, one about a name ("Rome falls"),
    or the dates of what the text is about."""
    document = line.document
    if not has_rules(document):
        said = [word.text for word in words if word.text[0].isalnum()]
        long = len("".join(said)) > 2 * _FEW if document.language in _UNPARTED else len(said) > _FEW
        return long or any(letter.isdigit() for word in said for letter in word)
    if words and words[-1].low == "?":
        return False
    main, beside = asides.part(words)
    reading = Reading(document.plain, main, Mentions(None))
    reading.read()
    return any(_tells(draft) for draft in reading.drafts) or _is_dated(line, main, beside)


def _tells(draft: Draft) -> bool:
    if draft.tail is None:
        return draft.head.name and draft.head.first == 0
    return _TO_COME.isdisjoint(draft.tail.text.lower().split()[:1])


def _is_dated(line: _Line, main: list[Word], beside: list[asides.Aside]) -> bool:
    """Whether the main heading is a name with dates: "# Ada Lovelace (1815-1852)"."""
    heading = _HEADING.match(line.text)
    if not heading or heading["marks"] != "#" or len(main) < 2:
        return False
    if any(word.tag != "NP" for word in main):
        return False
    return any(asides.dates(line.document.plain, aside, person=True) for aside in beside)
