"""Lines and sentences that claim nothing: headings, questions, courtesies."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from halubot.extract import english_words as lex
from halubot.extract import lines as asides
from halubot.extract import lines as table_rows
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
_LINE_LABEL: Final = re.compile(r"[:：][*_\s]*$")
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
    """The sentences of a document that claim nothing; none if all of them do not. Linear in
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
    """Return whether a sentence stands in a heading."""
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
            number = _NUMBER.match(document.plain, start, end)
            start = number.end() if number else start
            if _line_says_something(line, tag(document.plain, start, end)):
                return tuple(span for span in line.spans if span[1] <= start)
            return line.spans
    start, end = line.spans[-1]
    if end - start > _LONGEST or line.text[end - line.first :].strip(_AROUND):
        return ()
    words = tag(document.plain, start, end)
    labels = _LINE_LABEL.search(document.text, max(start, end - 9), end)
    empty = not _line_says_something(line, words) if labels else _cites(words)
    return line.spans[-1:] if empty else ()


def _is_run_in(line: _Line) -> bool:
    """Return True for a line that begins with a title in bold: "**History.** The bridge was"."""
    start, end = line.spans[0]
    if len(line.spans) == 1 or line.text[: start - line.first].strip(_BEFORE):
        return False
    bold = _BOLD.fullmatch(line.document.text[start:end])
    if bold is None or _VALUE.search(_COUNTED.sub("", bold["words"].rstrip(" ."), count=1)):
        return False
    return not _line_says_something(line, tag(line.document.plain, start, end))


def _is_underlined(line: _Line) -> bool:
    return "|" not in line.text and bool(_UNDERLINED.match(line.document.text, line.place[1]))


def _is_bold_title(before: _Line | None, line: _Line, after: _Line | None) -> bool:
    """Return whether a line that is bold as a whole stands above other text; in a list above what
    is indented below it. A value, a sentence, a "Yes" and a line beside another bold one may be an
    answer."""
    bold = _BOLD.fullmatch(line.text)
    if bold is None or after is None or _VALUE.search(_NUMBER.sub("", bold["words"], count=1)):
        return False
    if bold["item"]:
        return len(after.text) - len(after.text.lstrip(" \t>")) > len(bold["indent"])
    return not any(other and _BOLD.fullmatch(other.text) for other in (before, after))


def _cites(words: list[Word]) -> bool:
    """Return whether a line names sources: "Sources: see below"."""
    halves = split_key_and_value(words, -1)
    return halves is not None and all(word.low in _CITING for word in words[: halves.key])


def _line_says_something(line: _Line, words: list[Word]) -> bool:
    """Return whether a title states something: a clause with an object, one about a name ("Rome
    falls"), or the dates of what the text is about."""
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
    told = any(_line_tells(draft) for draft in reading.drafts)
    return told or _opens_with_participle(main) or _is_dated(line, main, beside)


def _opens_with_participle(main: Sequence[Word]) -> bool:
    """Return True for "Born in 1816": what was done, with a number."""
    first = next((k for k, word in enumerate(main) if word.text[0].isalpha()), len(main))
    if first + 2 >= len(main) or main[first].tag not in ("VN", "VD") or main[first + 1].tag != "IN":
        return False
    return any(word.tag in ("CD", "DA") for word in main[first + 2 :])


def _line_tells(draft: Draft) -> bool:
    if draft.tail is None:
        return draft.head.name and draft.head.first == 0
    return _TO_COME.isdisjoint(draft.tail.text.lower().split()[:1])


def _is_dated(line: _Line, main: list[Word], beside: list[asides.Aside]) -> bool:
    """Return whether the main heading is a name with dates: "# Ada Lovelace (1815-1852)"."""
    heading = _HEADING.match(line.text)
    if not heading or heading["marks"] != "#" or len(main) < 2:
        return False
    if any(word.tag != "NP" for word in main):
        return False
    return any(asides.dates(line.document.plain, aside, person=True) for aside in beside)


_CALLS: Final = (
    r"sure|sure thing|certainly|absolutely|of course|yes, of course|no problem|okay|ok|alright"
    r"|got it|understood|hello|hi|hey|greetings|hello there|hi there|welcome"
    r"|(?:thanks|thank you)(?: (?:so|very) much)?(?: for (?:asking|your question|reaching out))?"
    r"|(?:that(?:'s| is) )?(?:a )?(?:good|great|excellent|interesting) question"
    r"|you(?:'re| are) welcome|(?:i(?:'d| would) be |i(?:'m| am) )?(?:happy|glad) to help"
    r"(?: you)?(?: with that)?"
)


_OPENINGS: Final = (
    r"(?:i|we) hope (?:this|that|it|you|the above)\b"
    r"|(?:please )?(?:let me know|feel free|(?:do not|don't) hesitate)\b"
    r"|if (?:you(?: have any|(?: would|'d)? (?:like|want|need) (?:any|more|further|to know|me to))"
    r"|there(?:'s| is) anything else)\b"
    r"|as an? (?:ai|artificial intelligence|(?:large )?language model)\b[^,]*,"
    r" i (?:cannot|can't|can not|do not|don't|am not|am unable)\b"
    r"|i(?:'m| am) (?:(?:just )?an? (?:ai|language model)|unable to|not able to)\b"
    r"|(?:(?:i(?:'m| am) )?(?:very |so )?sorry,? (?:but )?|i apologi[sz]e,? (?:but )?"
    r"|unfortunately,? )?"
    r"i(?: cannot| can't| am unable to|'m unable to| am not able to|'m not able to)"
    r" (?:help|assist)\b"
    r"|i (?:cannot|can't|do not|don't) (?:browse|access|verify|have (?:access|real-time))\b"
    r"|here(?:'s| is| are) what (?:i|we)\b"
)


_COURTESY: Final = re.compile(rf"\W*(?:(?:{_CALLS})[^\w]*$|(?:{_OPENINGS})[^\d]*$)", re.IGNORECASE)


_OPEN: Final = re.compile(
    r"\W*(?:(?:and|but|so|now|then|well),? )*(?:who|whom|whose|what|when|where|which|why|how)\b",
    re.I,
)


_OFFER: Final = re.compile(
    r"\W*(?:and |but |so )?(?:(?:would|do|will|can|could|are|have|shall|should|may) (?:you|i|we)\b"
    r"|is there (?:anything|something|any)\b|any (?:other |more |further )?questions?\b"
    r"|anything else\b|does (?:this|that) (?:help|make sense|answer)\b)",
    re.IGNORECASE,
)


_CURLY: Final = str.maketrans("’", "'")


def courtesies(document: Document) -> frozenset[Span]:
    """The sentences of an English document that claim nothing, told by their words. Linear in the
    length of the text."""
    if not has_rules(document):
        return frozenset()
    return frozenset(span for span in document.sentences if _is_courtesy(document, *span))


def implying(document: Document) -> frozenset[Span]:
    """The questions of an English document that may state something: "Was she born in 1816? Yes.",
    "Did you know that ...", any with a number. Linear in the length of the text."""
    if not has_rules(document):
        return frozenset()
    return frozenset(span for span in document.sentences if _implies(document, *span))


def asks(words: Sequence[Word]) -> bool:
    """Return whether a sentence is a question; one may end in a title that is ("If Are You?")."""
    if words[-1].low != "?":
        return False
    titled = len(words) > 2 and words[-2].tag == "NP" and words[-2].text[0].isupper()
    return not titled or words[0].tag in ("BE", "HV", "DO", "MD", "SB", "RL")


def _is_courtesy(document: Document, start: int, end: int) -> bool:
    if end - start > _LONGEST:
        return False
    said = " ".join(document.plain[start:end].translate(_CURLY).split())
    if said.rstrip("\"')*_ ").endswith("?"):
        words = tag(document.plain, start, end)
        return bool(words) and asks(words) and not _says_something(said, words)
    return _COURTESY.match(said) is not None


def _implies(document: Document, start: int, end: int) -> bool:
    said = " ".join(document.plain[start:end].translate(_CURLY).split())
    if not said.rstrip("\"')*_ ").endswith("?"):
        return False
    words = tag(document.plain, start, end)
    return bool(words) and asks(words) and (end - start > _LONGEST or _says_something(said, words))


def _says_something(said: str, words: Sequence[Word]) -> bool:
    """Return whether a question may state something: it does not begin with a question word or
    speak to the reader, or it holds a number."""
    if any(letter.isdigit() for letter in said):
        return True
    if _OFFER.match(said):
        return False
    return not _OPEN.match(said)
