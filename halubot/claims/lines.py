"""The lines of a text: what of it claims nothing, and what stands in lists, tables and labels.

Titles, labels, courtesies, questions to the reader and bare names claim nothing.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from halubot.claims.clauses import Tree, cut_clauses, read_clauses
from halubot.claims.parser import Token, parse
from halubot.text import Document, Span, reads_as_english

Kind = Literal["text", "title", "silent", "header", "row"]

_LONGEST: Final = 300
"""Characters of a line that may claim nothing, and of what stands before it."""
_HEADING: Final = re.compile(r"[ \t>]*#{1,6}[ \t]")
_UNDERLINED: Final = re.compile(r"[^\n]{0,20}\n[ \t>]*(?:={2,}|-{2,})[ \t]*(?:\n|$)")
_ITEM: Final = r"(?:[-*+•]|\d{1,3}[.)])[ \t]+"
_LISTED: Final = re.compile(rf"[ \t>]*{_ITEM}")
_BOLD: Final = re.compile(
    rf"(?P<indent>[ \t>]*)(?P<item>{_ITEM})?"
    r"(?P<mark>\*{2,3}|__)(?P<words>(?:(?!(?P=mark)).)+)(?P=mark):?[ \t]*"
)
_NUMBER: Final = re.compile(r"\s*(?:\d{1,3}(?:\.\d{1,3})*[.):]?|[IVX]+[.)])\s+(?=\D)")
# In bold these may be an answer.
_VALUE: Final = re.compile(r"\d|:\s*\w|[.!]\s*$|^\W*(?:yes|no|true|false)\b", re.IGNORECASE)
_COUNTED: Final = re.compile(
    r"(?:step|stage|phase|part|tip|rule|level|option|point|section|chapter|day|week)\s\d{1,2}",
    re.IGNORECASE,
)
_LABELS: Final = re.compile(r"[:：][*_\s]*$")
_CITING: Final = re.compile(
    r"\W*(?:sources?|references?|citations?)(?: and \w+)?\s*:", re.IGNORECASE
)
_TO_COME: Final = frozenset({"following", "follows", "below"})
_KEY: Final = re.compile(
    r"(?P<key>[^:.,!?()\n]{1,60}?)(?P<mark>:|\s[–—-](?=\s[^\n]{0,40}\d))\s+(?=\S)"
)
_END: Final = re.compile(r"[.!?:;,…][\"'”’»)\]*_]*\s*$")
_QUANTITY: Final = re.compile(r"\W*(?:about |approx\. |ca\. )?[\d¼½¾⅓⅔/.,–-]+\D*$|\D*$")
_LINK: Final = re.compile(
    r"\s*(?:however|therefore|additionally|moreover|furthermore|overall|specifically|similarly|finally"
    r"|meanwhile|otherwise|instead|thus|hence|also|yes|no|of course|note that|please note that"
    r"|remember that|as you know|most likely|it depends|in (?:summary|short|fact|addition"
    r"|conclusion|other words|general|total|contrast)|for (?:example|instance)|as a result"
    r"|on the other hand"
    r"|(?:based on|according to) the (?:\w+ )?(?:context|passages?|texts?|information|documents?"
    r"|articles?|sources?)(?: (?:provided|given|above))?),\s+"
    r"|\s*(?:and|but|so|or|yet)\s+(?=\w)",
    re.IGNORECASE,
)
"""Words at the beginning of a sentence that claim nothing."""
_RULE: Final = re.compile(r"[^\n]{0,20}\n\s{0,3}\|?[ \t]*:?-{2,}[-:| \t]*(?:\n|$)")
_FEWEST_RUN_IN: Final = 2  # one alone may be an answer in bold: "**Paris.** It lies on the Seine"
_LABEL: Final = 6  # words of a label; what is longer says what the items below it are
_FEW: Final = 3  # words of a title in a language whose statements cannot be told
_UNPARTED: Final = frozenset({"zh", "ja", "th"})  # languages that do not part their words


class Line(NamedTuple):
    """A sentence in its line. ``sentence`` is its index, -1 if it was set apart; ``words`` is what
    of it is read; ``label`` stands before it and a colon. ``leads``: it ends in a colon."""

    span: Span
    sentence: int
    kind: Kind
    words: Span
    label: Span | None
    listed: bool
    leads: bool
    cells: list[Span]


class _Row(NamedTuple):
    """The sentences of a line, and the line from its beginning at ``first`` to its end."""

    document: Document
    first: int
    text: str
    spans: tuple[Span, ...]

    @property
    def before(self) -> str:
        return self.text[: self.spans[0][0] - self.first]


def read_lines(document: Document) -> list[Line]:
    """Return the sentences of an English document and what was set apart, in order."""
    apart = frozenset(document.apart) or find_claimless(document)
    places = [(span, k) for k, span in enumerate(document.sentences)]
    places += [(span, -1) for span in document.apart]
    return [_line(document, span, k, apart) for span, k in sorted(places)]


def _line(document: Document, span: Span, sentence: int, apart: frozenset[Span]) -> Line:
    start, end = span
    row = _row_of(document, span)
    bars = find_cells(document, span) if "|" in row.text else []
    leads = bool(_LABELS.search(document.text, max(start, end - 9), end))
    kind: Kind = "text"
    if len(bars) > 1:
        kind = "header" if is_header(document, end) else "row"
    elif _HEADING.match(row.text) or _UNDERLINED.match(document.text, end):
        kind = "title" if span in apart else "text"
    elif (
        (span in apart and not leads)
        or asks(document.plain[start:end])
        or is_courtesy(document.plain[start:end])
    ):
        kind = "silent"
    label = _label(document, row, span) if kind == "text" else None
    first = label[1] if label else start
    while link := _LINK.match(document.plain, first, end):
        first = link.end()
    words = (first, end)
    listed = bool(_LISTED.match(row.before)) and not row.before.strip("-*+•0123456789.) \t>")
    return Line(span, sentence, kind, words, label and label[0], listed, leads, bars)


def _label(document: Document, row: _Row, span: Span) -> tuple[Span, int] | None:
    """Return the place of a label at the beginning of a line, and where its value begins."""
    match = _KEY.match(document.plain, *span)
    if match is None or row.before.strip("-*+•>0123456789.) \t"):
        return None
    key = match["key"]
    (tokens,) = parse(document.plain, [(span[0], span[0] + len(key))])
    # "He said: no" has a verb before its colon and is a sentence.
    if not tokens or len(tokens) > 7 or any(t.tag.endswith(("|Fin", "|Imp")) for t in tokens):
        return None
    return (tokens[0].start, tokens[-1].end), match.end()


def find_claimless(document: Document) -> frozenset[Span]:
    """Return the sentences that claim nothing: titles, labels, bare names, questions and courtesies
    to the reader; none if all of them do not. Linear in the length of the text."""
    found = set(find_titles(document, bare=True))
    if reads_as_english(document):
        found.update(
            s for s in document.sentences if s[1] - s[0] <= _LONGEST and _is_polite(document, s)
        )
    return frozenset(found) if len(found) < len(document.sentences) else frozenset()


def find_titles(document: Document, *, bare: bool = False) -> frozenset[Span]:
    """Return the sentences that are titles and labels; with ``bare`` also lines of a name or an
    ingredient, which claim nothing in a message but are evidence in somebody's notes ("Granite
    towers"). Linear in the length of the text."""
    rows: list[_Row] = []
    for span in document.sentences:
        row = _row_of(document, span)
        if rows and rows[-1].first == row.first:
            row = row._replace(spans=(*rows.pop().spans, span))
        rows.append(row)
    found: set[Span] = set()
    english = reads_as_english(document)
    if english:
        # All at once: one call for each of many short lines takes ten times as long.
        short = [row for row in rows if len(row.text) <= _LONGEST and not _END.search(row.text)]
        short += [row for row in rows if _LABELS.search(row.text)]
        ends = (span for row in short for span in dict.fromkeys((row.spans[0], row.spans[-1])))
        parse(document.plain, [one for one in ends if one[1] - one[0] <= _LONGEST])
    completed = False
    for before, row, after in zip([None, *rows], rows, [*rows[1:], None], strict=False):
        empty = _titles(before, row, after)
        if english:
            listed = bool(_LISTED.match(row.before))
            if not listed:
                completed = False
            if bare and not empty and not completed and _is_bare(row):
                empty = row.spans
            if _LABELS.search(row.text):
                lead = _tree(document, row.spans[-1])
                states = any(token.tag.endswith("|Fin") for token in lead.tokens)
                completed = states or len(lead.tokens) > _LABEL
        found.update(empty)
    if english and len(rows) > 1 and _is_headline(rows[0], rows[1]):
        found.update(rows[0].spans)
    opening = [row.spans[0] for row in rows if _is_run_in(row)]
    if len(opening) >= _FEWEST_RUN_IN:
        found.update(opening)
    return frozenset(found)


def find_asked(document: Document) -> frozenset[Span]:
    """Return the questions of an English document that may state something: "Was she born in 1816?
    Yes", "Did you know that ...", any with a number."""
    if not reads_as_english(document):
        return frozenset()
    said = ((span, asks(document.plain[slice(*span)])) for span in document.sentences)
    return frozenset(span for span, kind in said if kind == "implying")


def _is_polite(document: Document, span: Span) -> bool:
    said = document.plain[slice(*span)]
    return asks(said) == "open" or is_courtesy(said) or _exclaims(document, span)


def _exclaims(document: Document, span: Span) -> bool:
    """Return True for an exclamation without a verb, a name, a number and a denial: "What a great
    plan!"."""
    if not document.plain[slice(*span)].rstrip("\"')*_ ").endswith("!"):
        return False
    telling, denying = ("VERB", "AUX", "PROPN", "NUM"), ("no", "not", "never", "nothing")
    tokens = _tree(document, span).tokens
    return not any(one.tag.startswith(telling) or one.low in denying for one in tokens)


def _row_of(document: Document, span: Span) -> _Row:
    text, (start, end) = document.text, span
    low, high = max(0, start - _LONGEST), end + _LONGEST
    first = text.rfind("\n", low, start) + 1 or low
    last = text.find("\n", end, high)
    return _Row(document, first, text[first : last if last >= 0 else high], (span,))


def _titles(before: _Row | None, row: _Row, after: _Row | None) -> tuple[Span, ...]:
    """Return the sentences of a line that are titles or labels."""
    document, (start, end) = row.document, (row.spans[0][0], row.spans[-1][1])
    if len(row.text) <= _LONGEST:
        if "|" in row.text and is_header(document, end):
            return row.spans
        titled = _HEADING.match(row.text) or (
            "|" not in row.text and _UNDERLINED.match(document.text, end)
        )
        if titled or _is_bold_title(before, row, after):
            number = _NUMBER.match(document.plain, start, end)
            start = number.end() if number else start
            if not _states(document, (start, end)):
                return row.spans
            return tuple(span for span in row.spans if span[1] <= start)
    last = row.spans[-1]
    if last[1] - last[0] > _LONGEST or row.text[last[1] - row.first :].strip("*_#:| \t"):
        return ()
    if _LABELS.search(document.text, max(last[0], last[1] - 9), last[1]):
        return () if _states(document, last, leads=True) else row.spans[-1:]
    return row.spans[-1:] if _CITING.match(document.plain, *last) and "http" not in row.text else ()


def _is_bold_title(before: _Row | None, row: _Row, after: _Row | None) -> bool:
    """Return True if a line that is bold as a whole stands above other text; in a list above what
    is indented below it. A value, a sentence, a "Yes" and a line beside another bold one may be an
    answer."""
    bold = _BOLD.fullmatch(row.text)
    if bold is None or after is None or _VALUE.search(_NUMBER.sub("", bold["words"], count=1)):
        return False
    if bold["item"]:
        return len(after.text) - len(after.text.lstrip(" \t>")) > len(bold["indent"])
    return not any(other and _BOLD.fullmatch(other.text) for other in (before, after))


def _is_run_in(row: _Row) -> bool:
    """Return True for a line that begins with a title in bold: "**History.** The bridge was"."""
    start, end = row.spans[0]
    if len(row.spans) == 1 or row.before.strip("*_>- +\t0123456789.)"):
        return False
    bold = _BOLD.fullmatch(row.document.text[start:end])
    if bold is None or _VALUE.search(_COUNTED.sub("", bold["words"].rstrip(" ."), count=1)):
        return False
    return not _states(row.document, (start, end))


def _is_bare(row: _Row) -> bool:
    """Return True for a line of a name or an ingredient: no verb, no mark at its end, and no number
    but a quantity at its beginning."""
    document, (start, end) = row.document, row.spans[0]
    if len(row.spans) > 1 or end - start > 80 or _END.search(row.text) or "|" in row.text:
        return False
    if len(row.text) > _LONGEST:  # a part of a long line
        return False
    if _BOLD.match(row.text) or not _QUANTITY.match(document.plain, start, end):
        return False
    tree = _tree(document, (start, end))
    return not any(t.tag.startswith(("VERB", "AUX")) for t in tree.tokens) and not _KEY.match(
        document.plain, start, end
    )


def _is_headline(row: _Row, after: _Row) -> bool:
    """Return True for the first line of a text if it states nothing and stands apart from the rest,
    as a title does: "Notes on canned food". In the sources of 140 answers (5,659 sentences) it
    finds four, all of them titles."""
    document, (start, end) = row.document, row.spans[0]
    if len(row.spans) > 1 or end - start > 80 or _END.search(row.text) or _LISTED.match(row.text):
        return False
    if _BOLD.match(row.text) or _VALUE.search(row.text):
        return False
    apart = document.text[row.first + len(row.text) : after.first].count("\n") > 1
    return apart and not _states(document, (start, end))


def _tree(document: Document, span: Span) -> Tree:
    return Tree(document.plain, parse(document.plain, [span])[0] or [Token("", *span)])


def _states(document: Document, span: Span, *, leads: bool = False) -> bool:
    """Return True if a title or label states something: a clause with an object or about a name, or
    what was done and when ("Born in 1816")."""
    plain = document.plain
    if not reads_as_english(document):
        said = re.findall(r"\w+", plain[slice(*span)])
        long = len("".join(said)) > 2 * _FEW if document.language in _UNPARTED else len(said) > _FEW
        return long or any(letter.isdigit() for word in said for letter in word)
    tree = _tree(document, span)
    tokens = tree.tokens
    first = tokens[0].low
    if first in ("how", "why", "what", "who", "when", "where", "which", "here") or asks(
        plain[slice(*span)]
    ):
        return False
    if leads and (first == "according" or not _TO_COME.isdisjoint(t.low for t in tokens)):
        return False
    dated = any(len(t.text) >= 4 and t.text[:4].isdigit() for t in tokens)
    if dated and (
        tokens[0].tag == "VERB|Part" or (tokens[0].kind == "PROPN" and "(" in plain[slice(*span)])
    ):
        return True
    return any(
        triple.tail or tree.tokens[triple.head[-1]].kind == "PROPN"
        for _, triples in read_clauses(tree, cut_clauses(tree))
        for triple in triples
        if triple.head and (triple.relation or triple.implied)
    )


def find_cells(document: Document, span: Span) -> list[Span]:
    """Return the places of a row's cells, trimmed; an empty cell keeps its place in the row. One
    place if the sentence is no row."""
    # An escaped bar is still there in ``plain``; one that parts cells is blank.
    start, end = span
    bars = [k for k in range(start, end) if document.text[k] == "|" and document.plain[k].isspace()]
    found: list[Span] = []
    for first, following in pairwise([start, *(k + 1 for k in bars), end + 1]):
        cell = document.plain[first : following - 1]
        left = first + len(cell) - len(cell.lstrip())
        found.append((left, max(left, left + len(cell.strip()))))
    return found


def is_header(document: Document, end: int) -> bool:
    """Return True if the line that ends near ``end`` stands above a table's rule."""
    return _RULE.match(document.text, end) is not None


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
    re.IGNORECASE,
)
_OFFER: Final = re.compile(
    r"\W*(?:and |but |so )?(?:(?:would|do|will|can|could|are|have|shall|should|may) (?:you|i|we)\b"
    r"|is there (?:anything|something|any)\b|any (?:other |more |further )?questions?\b"
    r"|anything else\b|does (?:this|that) (?:help|make sense|answer)\b)",
    re.IGNORECASE,
)
_INVERTED: Final = re.compile(
    r"\W*(?:is|are|was|were|am|do|does|did|has|have|had|can|could|will|would|shall|should|may|might"
    r"|must|isn't|aren't|wasn't|don't|doesn't|didn't)\b",
    re.IGNORECASE,
)
_TITLED: Final = re.compile(r"\b[A-Z][\w'’]* [A-Z][\w'’]*\?[\"'”’)*_]*$")
_CURLY: Final = str.maketrans("’", "'")


def is_courtesy(said: str) -> bool:
    """Return True for a sentence that only speaks to the reader: "I hope this helps!"."""
    return _COURTESY.match(" ".join(said.translate(_CURLY).split())) is not None


def asks(said: str) -> Literal["", "open", "implying"]:
    """Return what a question does: "open" ones and offers to the reader state nothing, all others,
    and all with a number, may imply something. "" is returned for what is no question; a statement
    may end in the title of a film that is one ("Who Framed Roger Rabbit?")."""
    said = " ".join(said.translate(_CURLY).split())
    if not said.rstrip("\"')*_ ").endswith("?"):
        return ""
    led = _OPEN.match(said) or _OFFER.match(said)
    titled = _TITLED.search(said) and not led and said[:1].isupper() and " " in said
    if titled and not _INVERTED.match(said):
        return ""
    return "open" if led and not any(letter.isdigit() for letter in said) else "implying"
