"""Sentences: cut by `sentencex` inside the blocks of prose, or located if the caller says."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence

import sentencex

from halubot.errors import InputError
from halubot.text.markdown import Place

Span = tuple[int, int]

_WORD = re.compile(r"[^\W_]")
_REST_OF_NUMBER = re.compile(r"\d{1,2} (?:million|billion|trillion)")
_ABBREVIATED = re.compile(r"\b(?:approx|vol|vols|nos|art|sect|op|cap)\.$", re.IGNORECASE)
_ORDINAL = re.compile(
    r"\b(?:am|im|vom|zum|beim|der|die|das|den|dem|des|ab|bis|seit|und)\s\d{1,2}\.$", re.IGNORECASE
)
_MONTH = re.compile(
    r"(?:Jan(?:uar)?|Jänner|Feb(?:ruar)?|März|Apr(?:il)?|Mai|Jun[i.]|Jul[i.]|Aug(?:ust)?"
    r"|Sept?(?:ember)?|Okt(?:ober)?|Nov(?:ember)?|Dez(?:ember)?)(?![^\W\d_])"
)
_ARABIC_TITLE = re.compile(r"(?<![^\W_])[\u0621-\u064a]\.$")
# sentencex takes these for abbreviations wherever they stand: "she was ill. Salt Road was closed".
_WHOLE_WORD = re.compile(
    r"(?<![\w.])(?:arc|ark|art|con|fed|fig|id|ill|may|me|miss|no|ok|ore)\.\s+(?=[A-Z][a-z])"
    r"|(?:\d(?:st|nd|rd|th)?|\b(?:in|of|by|until|till|since|from|to|before|after|during|early|mid|late"
    r"|last|next|this|and|or))\sMay\.\s+(?=[A-Z][a-z])"
)
_INITIALS = re.compile(r"\b[A-Z]\.-(?!C)[A-Z]\.$")  # but for "av. J.-C."
_INITIAL = re.compile(r"\b[A-Z]\.$")
_TITLE = re.compile(
    r"(?<![^\s(«\"“])(?:M|MM|Mme|Mmes|Mlle|Dr|Pr|St|Ste|janv|févr|juill|sept|oct|nov|déc)\.$"
)
_SHORT_WORD = re.compile(r"(?<!\w)[^\W\d_]{1,3}\.$")
_QUOTED = re.compile(r"[」』”’\"]$")
_PARTICLE = re.compile(r"[とをがはにでもへのなだ，、,]")
_NO_QUOTES = str.maketrans(dict.fromkeys("\"'“”‘’„«»()[]「」『』", " "))
_LONG_QUOTATION = 400  # characters
_WINDOW = 3000  # characters cut at once: sentencex may take time quadratic in what it is given
_LONGEST = 12_000  # characters after which even a sentence without an end is cut
_SPACES = re.compile(r"\s+")


def cut_sentences(text: str, plain: str, places: Iterable[Place], language: str) -> Iterator[Span]:
    """The sentences of the blocks, in order. A piece without a letter or digit belongs to the
    sentence before it in the block, or to none."""
    language = "en" if language == "und" else language
    for place in places:
        low = place.start
        spans = _trim(plain, place, _ends(plain, place, language))
        for number, (start, end) in enumerate(spans):
            high = spans[number + 1][0] if number + 1 < len(spans) else place.end
            first = start
            # Marks that touch a sentence belong to it: blank in ``plain``, and not in ``text``.
            while first > low and plain[first - 1] == " " and not text[first - 1].isspace():
                first -= 1
            low = end
            while low < high and plain[low] == " " and not text[low].isspace():
                low += 1
            yield first, low


def _ends(plain: str, place: Place, language: str) -> list[int]:
    """Return the ends of the sentences of a block, the last at its own end."""
    if place.whole:
        return [place.end]
    ends: list[int] = []
    start, width = place.start, _WINDOW
    while start + width < place.end:
        # The end of a window may fall inside a quotation: only what ends well before it counts.
        found = _boundaries(plain, start, start + width, language)
        sure = [end for end in found if end <= start + width * 2 // 3] or found[:-1]
        if not sure and width >= _LONGEST:
            sure = [max(plain.rfind(" ", start, start + width), start + width // 2)]
        ends += sure
        start, width = (sure[-1], _WINDOW) if sure else (start, 2 * width)
    ends += _boundaries(plain, start, place.end, language)
    ends = [end for end in ends if end < place.end and not _goes_on(plain, end, language)]
    if language == "en":
        ends = _cut_after_words(plain, place, ends)
    return _long_quotations_cut(plain, place, [*ends, place.end], language)


def _cut_after_words(plain: str, place: Place, ends: list[int]) -> list[int]:
    """Add the ends after words that sentencex takes for abbreviations ("ill", "3 May"), but not
    inside a quotation or brackets, which it keeps together."""
    found = list(ends)
    for match in _WHOLE_WORD.finditer(plain, place.start, place.end):
        at = bisect_right(found, match.start())
        first = max(found[at - 1] if at else place.start, match.start() - _LONGEST)
        before = plain[first : match.start()]
        closed = all(before.count(a) == before.count(b) for a, b in ("“”", "()", "[]", "«»"))
        if closed and before.count('"') % 2 == 0 and match.end() not in found[at : at + 1]:
            found.insert(at, match.end())
    return found


def _long_quotations_cut(plain: str, place: Place, ends: list[int], language: str) -> list[int]:
    """Cut what sentencex keeps together because it is quoted, if it is very long."""
    found: list[int] = []
    start = place.start
    for end in ends:
        if _LONG_QUOTATION < end - start <= _LONGEST:
            bare = plain[start:end].translate(_NO_QUOTES)
            inner = (start + at for at in _boundaries(bare, 0, len(bare), language))
            found += [at for at in inner if at < end and not _goes_on(plain, at, language)]
        found.append(end)
        start = end
    return found


def _goes_on(plain: str, end: int, language: str) -> bool:
    """Return True if the sentence said to end at ``end`` goes on: after an abbreviation that
    sentencex does not know, a German ordinal, an initial, or a Japanese or Chinese quotation."""
    before, after = plain[max(0, end - 24) : end].rstrip(), plain[end : end + 16].lstrip()
    if language in {"ja", "zh"}:
        return bool(_QUOTED.search(before) and _PARTICLE.match(after))
    if not before.endswith("."):
        return False
    if language == "en":
        # "$ 1. 7 million" was taken apart by a tokenizer.
        parted = before[-2:-1].isdigit() and _REST_OF_NUMBER.match(after)
        return bool(parted) or (bool(_ABBREVIATED.search(before)) and after[:1].isdigit())
    if after[:1] == "-" and _INITIAL.search(before):  # "av. J.-C.", "J.-P. Melville"
        return True
    if language == "de" and _ORDINAL.search(before):
        return True
    if language == "de" and before[-2:-1].isdigit() and _MONTH.match(after):
        return True
    if language == "ar" and _ARABIC_TITLE.search(before):
        return True
    if language == "fr" and (_TITLE.search(before) or _INITIALS.search(before)):
        return True
    return after[:1].islower() and bool(_SHORT_WORD.search(before))


def _boundaries(plain: str, start: int, end: int, language: str) -> list[int]:
    found = sentencex.get_sentence_boundaries(language, plain[start:end])
    return [start + int(boundary["end_index"]) for boundary in found]


def _trim(plain: str, place: Place, ends: list[int]) -> list[Span]:
    """The pieces between ``ends`` without white space; wordless ones join the one before."""
    spans: list[Span] = []
    start = place.start
    for end in ends:
        piece = plain[start:end]
        words = piece.strip()
        if words:
            first = start + len(piece) - len(piece.lstrip())
            if _WORD.search(words):
                spans.append((first, first + len(words)))
            elif spans:
                spans[-1] = (spans[-1][0], first + len(words))
        start = end
    return spans


def locate(text: str, sentences: Sequence[str]) -> tuple[Span, ...]:
    """Return the place of each sentence in ``text``, after the one before it; any white space
    stands for any other. Raises InputError with the sentence's number (from 1) if one is blank or
    is not there."""
    squeezed = _SPACES.sub(" ", text)
    # Where runs of white space end in the squeezed text, and how much was lost by then.
    ends: list[int] = [0]
    lost: list[int] = [0]
    for match in _SPACES.finditer(text):
        total = lost[-1] + len(match[0]) - 1
        if total > lost[-1]:
            ends.append(match.end() - total)
            lost.append(total)

    spans: list[Span] = []
    position = 0
    for number, sentence in enumerate(sentences, 1):
        words = _SPACES.sub(" ", sentence).strip()
        if not words:
            raise InputError(f"sentence {number} is blank")
        found = squeezed.find(words, position)
        if found < 0:
            shown = words if len(words) <= 60 else words[:57] + "..."
            raise InputError(
                f"sentence {number} is not in the text after the one before it: {shown!r}"
            )
        position = found + len(words)
        start = found + lost[bisect_right(ends, found) - 1]
        end = position + lost[bisect_right(ends, position - 1) - 1]
        spans.append((start, end))
    return tuple(spans)


def uncover(text: str, plain: str, spans: Iterable[Span]) -> str:
    """``plain``, with the words of ``text`` again if a whole span had been blanked."""
    pieces: list[str] = []
    position = 0
    for start, end in spans:
        if plain[start:end].isspace():
            pieces += (plain[position:start], text[start:end])
            position = end
    return "".join(pieces) + plain[position:]
