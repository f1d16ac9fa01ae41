"""The remainder of a text, which no triple holds: what of it claims nothing, and what is a claim.

Headings, questions and courtesies claim nothing. Imperatives, advice, conditions, labels of a list
and asides do, but the rules for triples (`halubot.claims.english`) leave them out: such words are
cut at clause marks, and, if they are many, before prepositions, so that each piece is one claim.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Final, NamedTuple

from halubot.claims import english_words as lex
from halubot.claims import lines
from halubot.claims.clause_reader import Reading
from halubot.claims.english_words import Word
from halubot.claims.lines import split_key_and_value
from halubot.claims.mentions import Mentions
from halubot.claims.predicates import Draft
from halubot.claims.tagger import tag
from halubot.report import Fact, Parts, Triple
from halubot.text import Document, Span, merge_spans, reads_as_english

_LONGEST: Final = 300  # characters of a line that may claim nothing, and of what stands before it
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
    rows: list[_Line] = []
    for span in document.sentences:
        line = _line(document, *span)
        if rows and rows[-1].first == line.first:
            line = line._replace(spans=(*rows.pop().spans, span))
        rows.append(line)
    around = zip([None, *rows], rows, [*rows[1:], None], strict=False)
    found = [span for before, line, after in around for span in _empty(before, line, after)]
    opening = [line.spans[0] for line in rows if _is_run_in(line)]
    if len(opening) >= _FEWEST_RUN_IN:
        found += opening
    return frozenset(found) if len(found) < len(document.sentences) else frozenset()


def is_heading(document: Document, start: int, end: int) -> bool:
    """Return True if a sentence stands in a heading."""
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
        if "|" in line.text and lines.is_header(document, end):
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
    """Return True if a line that is bold as a whole stands above other text; in a list above what
    is indented below it. A value, a sentence, a "Yes" and a line beside another bold one may be an
    answer."""
    bold = _BOLD.fullmatch(line.text)
    if bold is None or after is None or _VALUE.search(_NUMBER.sub("", bold["words"], count=1)):
        return False
    if bold["item"]:
        return len(after.text) - len(after.text.lstrip(" \t>")) > len(bold["indent"])
    return not any(other and _BOLD.fullmatch(other.text) for other in (before, after))


def _cites(words: list[Word]) -> bool:
    """Return True if a line names sources: "Sources: see below"."""
    halves = split_key_and_value(words, -1)
    return halves is not None and all(word.low in _CITING for word in words[: halves.key])


def _line_says_something(line: _Line, words: list[Word]) -> bool:
    """Return True if a title states something: a clause with an object, one about a name ("Rome
    falls"), or the dates of what the text is about."""
    document = line.document
    if not reads_as_english(document):
        said = [word.text for word in words if word.text[0].isalnum()]
        long = len("".join(said)) > 2 * _FEW if document.language in _UNPARTED else len(said) > _FEW
        return long or any(letter.isdigit() for word in said for letter in word)
    if words and words[-1].low == "?":
        return False
    main, beside = lines.part(words)
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


def _is_dated(line: _Line, main: list[Word], beside: list[lines.Aside]) -> bool:
    """Return True if the main heading is a name with dates: "# Ada Lovelace (1815-1852)"."""
    heading = _HEADING.match(line.text)
    if not heading or heading["marks"] != "#" or len(main) < 2:
        return False
    if any(word.tag != "NP" for word in main):
        return False
    return any(lines.dates(line.document.plain, aside, person=True) for aside in beside)


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
    if not reads_as_english(document):
        return frozenset()
    return frozenset(span for span in document.sentences if _is_courtesy(document, *span))


def implying(document: Document) -> frozenset[Span]:
    """The questions of an English document that may state something: "Was she born in 1816? Yes.",
    "Did you know that ...", any with a number. Linear in the length of the text."""
    if not reads_as_english(document):
        return frozenset()
    return frozenset(span for span in document.sentences if _implies(document, *span))


def asks(words: Sequence[Word]) -> bool:
    """Return True if a sentence is a question; one may end in a title that is ("If Are You?")."""
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
    """Return True if a question may state something: it does not begin with a question word or
    speak to the reader, or it holds a number."""
    if any(letter.isdigit() for letter in said):
        return True
    if _OFFER.match(said):
        return False
    return not _OPEN.match(said)


_CONTENT: Final = frozenset({"NN", "NP", "JJ", "VB", "VZ", "VD", "VN", "VG", "CD", "DA", "NG"})
_CLAIMING: Final = _CONTENT - {"NG"}
_VERBS: Final = frozenset({"VB", "VZ", "VD", "VN"})
_ENDS: Final = frozenset(
    {",", ";", ":", ".", "!", "?", "(", ")", "–", "SB", "RL", "…", "[", "]", "|", "/"}
)
_LED: Final = frozenset({"IN", "TO"})
_TRAILING: Final = frozenset({"IN", "TO", "CC", "DT", "PS", "BE", "HV", "DO", "RL", "SB", "GE"})
_MEANT: Final = frozenset({"NN", "PR", "IN"})
"""What stands before a relative clause that belongs to it: a noun, "something", "in"."""
_MOST_WORDS: Final = 3
"""Content words of a piece that is not cut before a preposition."""
_MOST_ADDED: Final = 3
"""Content words that are added to the fact before them."""
_LIMITS: Final = lex.words(
    "only never always usually often sometimes rarely seldom hardly twice once mostly mainly nearly"
    " almost upstairs downstairs indoors outdoors clockwise anticlockwise early late first last"
    " cannot immediately daily weekly monthly yearly hourly"
)
_TOLD: Final = "states?|stated|says?|said|suggests?|mentions?|mentioned|indicates?|notes?|reports?"
_LEAD_IN: Final = re.compile(
    r"it(?:'s| is) (?:also )?(?:important|worth|essential|useful|good|best) (?:to )?"
    r"(?:note|noting|know|knowing|remember|remembering|mention|mentioning)(?: that)?"
    r"|(?:the|this|these) (?:passage|text|document|article|source|reference)s? (?:also )?"
    rf"(?:{_TOLD})(?: that)?"
    r"|(?:please )?(?:remember|note|keep in mind|bear in mind|mind you)(?: that)?"
    r"|(?:it|that|this)(?: all)? depends|(?:most|very|more than) likely|as you (?:may |might )?know"
    r"|(?:for|as an) (?:example|instance)|in (?:total|all|short|fact|general|addition|brief|summary"
    r"|other words|that case|this case)|of course|by the way|on the (?:other|one) hand|as a rule"
    r"|by and large|(?:at|in) any (?:rate|case)|on the whole|as a matter of fact|as for .+"
    r"|at (?:first|last|least)|as (?:long|soon|far)|so far|yes|no"
    r"|here is (?:a|the) (?:short )?summary|\d{1,2}",
    re.IGNORECASE,
)
"""Words that introduce a claim or link two, and claim nothing themselves."""
_LABEL: Final = re.compile(
    r"(?:\*{1,3}|_{1,2})[^*_:\n]{1,60}(?::(?:\*{1,3}|_{1,2})|(?:\*{1,3}|_{1,2}):)(?=\s)"
)
"""A run-in title in bold or italics: "**How to take it:** swallow it whole"."""


def with_remainder(document: Document, facts: Sequence[Fact]) -> list[Fact]:
    """Return the facts given, and after them, numbered on, claims for the words of each sentence
    that no fact holds. A few words that only add to a fact, and stand after it, go to that fact
    ("than your hand" to "the burn is bigger"). Questions and courtesies claim nothing, also if
    they are all that a text says. Linear.
    """
    # They are sentences only if the text has no other, and claim nothing even then.
    empty = courtesies(document) | implying(document)
    held: list[list[Span]] = [[] for _ in document.sentences]
    found = list(facts)
    ends: dict[int, int] = {}
    for fact in facts:
        ends[fact.spans[-1][1]] = fact.index
        for sentence in fact.sentences:
            held[sentence] += fact.spans
    for sentence, span in enumerate(document.sentences):
        if span in empty:
            continue
        # "**Storage:** keep it dry" claims what stands behind the label.
        label = _LABEL.match(document.text, *span)
        for first, last, verb, adds in _pieces(document.plain, span, sorted(held[sentence])):
            if label and last <= label.end() < span[1]:
                continue
            text = " ".join(document.plain[first:last].split())
            before = ends.get(len(document.plain[:first].rstrip())) if adds else None
            # "Bigger than your hand" is one claim: alone, "than your hand" would be compared with
            # nothing.
            if before is not None:
                found[before] = _with_words(document.plain, found[before], (first, last), text)
                continue
            found.append(
                Fact(
                    index=len(found),
                    triple=Triple("", verb, text),
                    sentences=(sentence,),
                    spans=((first, last),),
                    parts=Parts(tail=(first, last)),
                    negated=False,
                )
            )
    return found


def _with_words(plain: str, fact: Fact, place: Span, text: str) -> Fact:
    """Return a fact with the words that follow it as the end of its tail."""
    own = fact.triple
    tail = fact.parts.tail
    follows = tail is not None and not plain[tail[1] : place[0]].strip()
    return fact.model_copy(
        update={
            "triple": Triple(own.head, own.relation, f"{own.tail} {text}".strip()),
            "spans": merge_spans(plain, (*fact.spans, place)),
            "parts": fact.parts.model_copy(
                update={"tail": (tail[0], place[1]) if tail and follows else tail}
            ),
        }
    )


def _pieces(plain: str, span: Span, held: Sequence[Span]) -> Iterator[tuple[int, int, str, bool]]:
    """The places of the pieces of a sentence, with the verb before each that another holds, and
    whether a piece only adds to what stands before it: few words after a preposition or "than"."""
    words = tag(plain, *span)
    for run in _runs(words, held):
        verb = ""
        for piece in _cut_text(run):
            if not _claims(plain, piece):
                continue
            few = sum(map(_tells, piece)) <= _MOST_ADDED and len(piece) > 1
            adds = few and (piece[0].tag == "IN" or piece[0].low == "than")
            adds = adds and not any(word.tag in _VERBS for word in piece)
            yield piece[0].start, piece[-1].end, verb, adds
            verb = next((word.low for word in piece if word.tag in _VERBS), verb)


def _claims(plain: str, piece: Sequence[Word]) -> bool:
    """Return False for what only leads to another claim: no content word, a participle alone
    ("born" before a date that a fact holds), a phrase such as "It is important to note"."""
    if not any(word.tag in _CLAIMING for word in piece):
        return False
    if len(piece) == 1 and piece[0].tag == "VN":
        return False
    return not _LEAD_IN.fullmatch(" ".join(plain[piece[0].start : piece[-1].end].split()))


def _runs(words: Sequence[Word], held: Sequence[Span]) -> Iterator[list[Word]]:
    """Stretches of words that no fact holds, without clause marks."""
    starts = [start for start, _ in held]
    # The furthest end so far, not the own one: spans may lie inside each other. So each word is
    # looked up in logarithmic time; 200 kB of lines of one letter took 17 s, and take 2.8 s.
    ends = list(accumulate((end for _, end in held), max))
    run: list[Word] = []
    for word in words:
        at = bisect_left(starts, word.end) - 1
        covered = at >= 0 and word.start < ends[at]
        # The sign of a plural's genitive is no clause mark: "four weeks' notice".
        mark = word.tag != "GE" and not any(c.isalnum() for c in word.text)
        # Without a comma a relative clause tells which one is meant.
        if word.tag == "RL" and not covered and run and run[-1].tag in _MEANT:
            run.append(word)
        elif covered or mark or word.tag in _ENDS:
            yield run
            # "If", "who" and the like belong to the clause behind them, and change what it claims.
            run = [word] if word.tag in ("SB", "RL") and not covered else []
        else:
            run.append(word)
    yield run


def _cut_text(run: Sequence[Word]) -> Iterator[list[Word]]:
    """A run in pieces, each trimmed of function words that lead nowhere."""
    piece: list[Word] = []
    told, left = 0, sum(map(_tells, run))
    for word, following in zip(run, [*run[1:], None], strict=False):
        left -= _tells(word)
        if word.tag == "RL":
            told = 0
        relates = following is not None and following.tag == "RL"  # "in which"
        # One word left alone ("or proof | of funds") claims nothing.
        leads = word.tag == "CC" or (word.tag in _LED and not relates and word.low != "than")
        if told >= _MOST_WORDS and left > 1 and leads:
            yield _trim(piece)
            piece, told = [], 0
        piece.append(word)
        told += _tells(word)
    yield _trim(piece)


def _trim(piece: list[Word]) -> list[Word]:
    first, last = 0, len(piece)
    while first < last and piece[first].tag in ("CC", "GE", "RL"):
        first += 1
    while last > first and piece[last - 1].tag in _TRAILING:
        last -= 1
    return piece[first:last]


def _tells(word: Word) -> bool:
    return word.tag in _CONTENT or word.low in _LIMITS
