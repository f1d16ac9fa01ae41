"""Works that a message cites: DOIs, numbers of arXiv and PubMed, ISBNs, links, references in
prose. Finding them, and what their form alone tells, takes no network."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Literal

from halubot.report import Span
from halubot.text import Document

Kind = Literal["doi", "arxiv", "isbn", "pubmed", "link", "prose"]

MOST: Final = 40
"""Citations of one message that are looked at."""

_NEAR: Final = 40
"""Characters between a reference in prose and a number that belongs to it, at most."""

_LINE: Final = 120
"""The same for one with a title, as lists of references have it."""

_NAME = r"[^\W\d_a-z][\w’'\-]*[^\W\d_]"
_YEAR = r"(?P<year>1[89]\d\d|20\d\d)[a-z]?"
_PATTERNS: Final[tuple[tuple[Kind, re.Pattern[str]], ...]] = (
    (
        "doi",
        re.compile(
            r"(?:https?://(?:dx\.)?doi\.org/|doi:?\s*)?(?P<id>10\.\d{4,9}/[^\s\"<>{}|\\^`\]]+)",
            re.I,
        ),
    ),
    (
        "arxiv",
        re.compile(
            r"(?:https?://arxiv\.org/(?:abs|pdf)/|arxiv:?\s*)"
            r"(?P<id>\d{4}\.\d{4,5}|[a-z\-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?(?:\.pdf)?",
            re.I,
        ),
    ),
    (
        "pubmed",
        re.compile(
            r"(?:https?://pubmed\.ncbi\.nlm\.nih\.gov/|(?:pmid|pubmed(?: id)?):?\s*)"
            r"(?P<id>\d{1,8})/?",
            re.I,
        ),
    ),
    (
        "isbn",
        re.compile(r"isbn(?:-1[03])?:?\s*(?P<id>(?:\d[\- ]?){9,12}[\dX])", re.I),
    ),
    ("link", re.compile(r"(?P<id>https?://[^\s<>\"\]]+)", re.I)),
)
# "Smith et al., 2019, Nature", "(Smith & Doe, 2019)", "Smith, J. (2019). A title. Nature."
_ET_AL = re.compile(rf"(?P<authors>{_NAME})(?:,? et al\.?),? ?\(?{_YEAR}\)?")
_TWO = re.compile(rf"(?P<authors>{_NAME} (?:and|&) {_NAME}),? ?\(?{_YEAR}\)?")
_FULL = re.compile(
    rf"(?P<authors>{_NAME}, (?:[A-Z]\.[ \-]?){{1,3}}(?:,? (?:and |& )?{_NAME}, (?:[A-Z]\.[ \-]?)"
    rf"{{1,3}})*)(?:,? et al\.)?,? ?\({_YEAR}\)\.? (?P<title>[^.?!\n]{{8,200}}[.?!])"
)
_JOURNAL = re.compile(r"[,.]? ?(?:in )?[*_]?(?P<journal>[A-Z][\w&\- ]{2,60}?)[*_]?(?=[,.;)\n]|$)")
_QUOTED = re.compile(r"[\"“”«*_](?P<title>[^\"“”«»*_\n]{8,200})[\"”»*_],?\s*(?:by\s*)?\(?$")
_SURNAME = re.compile(_NAME)
_CLOSERS: Final = {")": "(", "]": "[", "}": "{"}


@dataclass(frozen=True, slots=True)
class Citation:
    """A cited work. ``span`` are its words in the text, ``parts`` those of them that say nothing
    else and are no claim. ``sentence`` is the index of the sentence that cites it. ``id`` is "" for
    a reference in prose. ``authors`` are surnames; what is not said is empty or None."""

    kind: Kind
    id: str
    span: Span
    parts: tuple[Span, ...]
    sentence: int
    authors: tuple[str, ...] = ()
    year: int | None = None
    title: str = ""
    journal: str = ""

    @property
    def name(self) -> str:
        """What it is called: its number, its address, or its authors and year."""
        if self.kind == "prose":
            return f"{', '.join(self.authors)} {self.year or ''}".strip()
        before = {"doi": "doi:", "arxiv": "arXiv:", "pubmed": "PMID ", "isbn": "ISBN ", "link": ""}
        return f"{before[self.kind]}{self.id}"

    def fault(self) -> str | None:
        """Return what is wrong with its form alone; None if nothing is."""
        if self.kind == "isbn" and not _is_isbn(self.id):
            return "its check digit is wrong: there is no such ISBN"
        if self.kind == "arxiv" and "/" not in self.id and not 1 <= int(self.id[2:4]) <= 12:
            return (
                f"arXiv numbers begin with a year and a month, and there is no month {self.id[2:4]}"
            )
        return None


def find_citations(message: Document) -> tuple[Citation, ...]:
    """Return the works that a message cites, in the order of the text, at most `MOST`."""
    numbers = list(_numbers(message))
    found: list[Citation] = []
    for prose in _prose(message):
        own = [one for one in numbers if _belongs(message.text, prose, one)]
        if not own:
            found.append(prose)
            continue
        number = min(own, key=lambda one: abs(one.span[0] - prose.span[1]))
        numbers.remove(number)
        found.append(_joined(prose, number))
    ordered = sorted([*found, *numbers], key=lambda one: one.span)
    return tuple(ordered[:MOST])


def _joined(prose: Citation, number: Citation) -> Citation:
    """One citation of both: the number tells which work is meant, the prose what it should say."""
    span = min(prose.span[0], number.span[0]), max(prose.span[1], number.span[1])
    whole = prose.parts == (prose.span,)
    return replace(
        prose,
        kind=number.kind,
        id=number.id,
        span=span,
        parts=(span,) if whole else (*prose.parts, *number.parts),
        title=prose.title or number.title,
    )


def _numbers(message: Document) -> Iterator[Citation]:
    text = message.text
    taken: list[Span] = []
    for kind, pattern in _PATTERNS:
        for match in pattern.finditer(text):
            start, end = match.span()
            end = start + len(_trimmed(text[start:end]))
            index = _sentence_of(message, start)
            if index is None or any(start < b and a < end for a, b in taken):
                continue
            taken.append((start, end))
            number = _trimmed(match["id"])[: end - match.start("id")]
            if kind == "isbn":
                number = re.sub(r"[\- ]", "", number).upper()
            if kind == "doi":
                number = number.lower()
            before = _QUOTED.search(text, max(message.sentences[index][0], start - 240), start)
            title = " ".join(before["title"].split()) if before else ""
            yield Citation(kind, number, (start, end), ((start, end),), index, title=title)


def _prose(message: Document) -> Iterator[Citation]:
    text, taken = message.text, list[Span]()
    for pattern in (_FULL, _ET_AL, _TWO):
        for match in pattern.finditer(text):
            start, end = match.span()
            # The bracket behind "(Smith & Doe, 2019)" was opened before it.
            end -= text[end - 1] == ")" and "(" not in match[0]
            index = _sentence_of(message, start)
            if index is None or any(start < b and a < end for a, b in taken):
                continue
            groups = match.groupdict()
            surnames = _SURNAME.findall(match["authors"])
            title = " ".join((groups.get("title") or "").strip(" .").split())
            whole = text[start - 1 : start] in "([" or pattern is _FULL
            before = _QUOTED.search(text, max(0, start - 240), start)
            if not title and before:
                title = " ".join(before["title"].split())
            journal = ""
            if (whole or text[end - 1] != ")") and (
                after := _JOURNAL.match(text, end, min(len(text), end + 70))
            ):
                journal, end = after["journal"].strip(), after.end()
            if pattern is _TWO and not (whole or text[end - 1] == ")" or title or journal):
                continue  # "Tom and Anna 2019" cites nothing
            taken.append((start, end))
            # The authors of "Smith et al. (2019) found" are the subject of a claim.
            year_at = match.start("year")
            own = (start, end) if whole else (year_at - (text[year_at - 1] == "("), end)
            yield Citation(
                "prose",
                "",
                (start, end),
                (own,),
                index,
                tuple(one for one in surnames if one.lower() not in ("and", "et", "al")),
                int(match["year"]),
                title,
                journal,
            )


def _belongs(text: str, prose: Citation, number: Citation) -> bool:
    """Return True if a number stands so near a reference that it is the same work's."""
    between = text[min(prose.span[1], number.span[1]) : max(prose.span[0], number.span[0])]
    if prose.title and prose.span[0] < number.span[0]:
        return len(between) <= _LINE and "\n" not in between
    return prose.sentence == number.sentence and len(between) <= _NEAR


def _sentence_of(message: Document, at: int) -> int | None:
    """Return the sentence that holds a place, else the last one that begins before it."""
    before = [index for index, (start, _) in enumerate(message.sentences) if start <= at]
    return before[-1] if before else None


def _trimmed(written: str) -> str:
    """Return a number or an address without the punctuation that follows it."""
    while written:
        last = written[-1]
        opener = _CLOSERS.get(last)
        # A DOI may end with a bracket that it opened itself.
        if opener is not None and written.count(opener) >= written.count(last):
            return written
        if opener is None and last not in ".,;:!?'\"”’*_":
            return written
        written = written[:-1]
    return written


def _is_isbn(number: str) -> bool:
    if re.fullmatch(r"\d{9}[\dX]", number):
        digits = [10 if digit == "X" else int(digit) for digit in number]
        return sum((10 - at) * digit for at, digit in enumerate(digits)) % 11 == 0
    if re.fullmatch(r"97[89]\d{10}", number):
        return sum(int(digit) * (3 if at % 2 else 1) for at, digit in enumerate(number)) % 10 == 0
    return False


def without_citations(message: Document, found: tuple[Citation, ...]) -> Document:
    """Return the message with the parts of citations blank, so that they are no claims of their
    own; offsets stay."""
    plain = list(message.plain)
    for citation in found:
        for start, end in citation.parts:
            plain[start:end] = " " * (end - start)
    for start, end in {message.sentences[one.sentence] for one in found}:
        for match in _EMPTIED.finditer("".join(plain[start:end])):
            plain[start + match.start() : start + match.end()] = " " * len(match[0])
        # "See ... and ..." claims nothing.
        if _POINTER.fullmatch("".join(plain[start:end])):
            plain[start:end] = " " * (end - start)
    return replace(message, plain="".join(plain))


_EMPTIED: Final = re.compile(r"[(\[]\s*[)\]]")
"""Brackets of which a citation was all."""

_POINTER: Final = re.compile(
    r"\W*(?:see|cf|read|source|sources|reference|references|available at|retrieved from|via)"
    r"(?: also)?(?:\W|and|or|at|in)*(?:\sfor\s.*)?",
    re.I | re.S,
)
