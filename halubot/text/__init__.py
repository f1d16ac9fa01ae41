"""A text as halubot reads it: cleaned, its markup blanked, its language guessed, cut into
sentences."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import sentencex

from halubot.errors import InputError
from halubot.text.markdown import Place, Unread, blocks

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
    spans: list[Span] = []
    position = 0
    for number, sentence in enumerate(sentences, 1):
        words = sentence.split()
        if not words:
            raise InputError(f"sentence {number} is blank")
        found = re.compile(r"\s+".join(map(re.escape, words))).search(text, position)
        if found is None:
            shown = " ".join(words)
            shown = shown if len(shown) <= 60 else shown[:57] + "..."
            raise InputError(
                f"sentence {number} is not in the text after the one before it: {shown!r}"
            )
        spans.append(found.span())
        position = found.end()
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


# Code points of a script and the language most written in it; the order settles ties.
_SCRIPTS = {
    "ja": "\u3040-\u30ff\uff66-\uff9f",
    "ko": "\u1100-\u11ff\uac00-\ud7af",
    "zh": "\u3400-\u4dbf\u4e00-\u9fff\U00020000-\U0002fa1f",
    "ar": "\u0600-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff",
    "he": "\u0590-\u05ff",
    "hi": "\u0900-\u097f",
    "bn": "\u0980-\u09ff",
    "ta": "\u0b80-\u0bff",
    "te": "\u0c00-\u0c7f",
    "th": "\u0e00-\u0e7f",
    "ka": "\u10a0-\u10ff",
    "hy": "\u0530-\u058f",
    "el": "\u0370-\u03ff\u1f00-\u1fff",
    "ru": "\u0400-\u04ff",
}
_FOREIGN = re.compile("|".join(f"([{span}])" for span in _SCRIPTS.values()))
_OTHER_SCRIPT = re.compile("[^\\W\\d_\u0000-\u024f\u1e00-\u1eff]")
_LETTERS = re.compile(r"[^\W\d_]+")
_RUNS = re.compile(r"\w+")
_BEYOND_LATIN = re.compile("[^\u0000-\u024f\u1e00-\u1eff\u2000-\u2bff]")
_NAMES = tuple(_SCRIPTS)
_WORDS: dict[str, tuple[str, ...]] = {}
"""The languages of each function word of `languages.txt`."""
_LATIN: dict[str, None] = {}
"""The languages that are told by such words."""


for _line in Path(__file__).with_name("languages.txt").read_text(encoding="utf-8").splitlines():
    if not _line.startswith("#"):
        _code, _, _words = _line.partition(":")
        _LATIN[_code] = None
        for _word in _words.split():
            _WORDS[_word] = (*_WORDS.get(_word, ()), _code)


_FEWEST = 4  # words of a text that one function word may tell the language of
_SHARED = frozenset({"a", "on", "no"})
_ENOUGH = 5  # words for one of which a function word is enough
_OWN_LETTERS = {
    "de": re.compile("[äöüß]"),
    "fr": re.compile("[êèàùçœ]"),
    "es": re.compile("[ñ¿¡]"),
}
_SAMPLE = 600  # characters from the beginning and from the middle that are looked at


def language(text: str) -> str:
    """The ISO 639-1 code of the language of ``text``, "und" if nothing tells.

    By script outside the Latin one (all Cyrillic is "ru", all Arabic letters "ar": the point
    is how to cut and to compare, not to name every language). Inside it by function words: "en"
    unless another language has half as many again, and at least two different ones. Of a text
    without an English one, a single German, French or Spanish word is enough if it is a fifth of
    it or more; letters that hardly another language has count as a further one.
    """
    sample = text[:_SAMPLE]
    if len(text) > 2 * _SAMPLE:
        middle = len(text) // 2
        sample += " " + text[middle : middle + _SAMPLE]
    if _BEYOND_LATIN.search(sample):
        found = _by_script(sample)
        if found:
            return found
    votes = dict.fromkeys(_LATIN, 0)
    different = dict.fromkeys(_LATIN, 0)
    times = Counter(_RUNS.findall(sample.lower()))
    known = times.keys() & _WORDS.keys()
    # "A", "on" and "no" tell nothing beside a word that is English alone.
    english = any("en" in _WORDS[word] for word in known - _SHARED)
    for word in known:
        for code in ("en",) if english and word in _SHARED else _WORDS[word]:
            votes[code] += times[word]
            different[code] += 1
    best = "en"
    for code, count in votes.items():
        # Names bring "de", "van" and "la" into English.
        if count > 1.5 * votes["en"] and different[code] > 1 and count > votes[best]:
            best = code
    if votes[best]:
        return best
    words = sum(count for word, count in times.items() if word.isalpha())
    for code, letters in _OWN_LETTERS.items():
        votes[code] += bool(votes[code] and letters.search(sample))
    most = max(votes.values())
    likeliest = [code for code, count in votes.items() if count == most]
    short = len(likeliest) == 1 and _FEWEST <= words <= _ENOUGH * most
    return likeliest[0] if short and likeliest[0] in _OWN_LETTERS else "und"


def _by_script(sample: str) -> str | None:
    """The language of the script most of the letters are in, None for the Latin script."""
    counts = Counter(
        _NAMES[match.lastindex - 1] for match in _FOREIGN.finditer(sample) if match.lastindex
    )
    foreign = sum(counts.values())
    unknown = len(_OTHER_SCRIPT.findall(sample)) - foreign
    latin = sum(map(len, _LETTERS.findall(sample))) - foreign - unknown
    # A Chinese, Japanese or Korean character says about as much as two or three letters.
    dense = counts["ja"] + counts["zh"] + counts["ko"]
    if foreign + 1.5 * dense <= latin or foreign == 0:
        return "und" if unknown > latin + foreign else None
    if counts["ja"] * 10 > counts["zh"] and counts["ja"]:
        return "ja"
    return max(counts, key=lambda code: counts[code])


_BAD = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_LINE_BREAK = re.compile(r"[\x0b\x0c\x85]")
# The words of a command to a terminal would be read as a fact: "[31mred".
_OTHER_CONTROL = re.compile(r"\x1b\[[0-9;?]*[@-~]|[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f]")


def clean(text: str) -> tuple[str, tuple[str, ...]]:
    """The text without lone surrogates (each becomes U+FFFD) and without control characters
    (form feed, vertical tab and next line become a line break; the rest, and commands to a
    terminal as a whole, are blank; tab, line feed and carriage return stay), and a note for each
    kind that was met. Cleaning twice changes nothing more."""
    if not _BAD.search(text):
        return text, ()
    notes = []
    text, surrogates = _SURROGATE.subn("\ufffd", text)
    if surrogates:
        notes.append(f"{_count(surrogates, 'lone surrogate')} replaced by U+FFFD")
    text, breaks = _LINE_BREAK.subn("\n", text)
    text, others = _OTHER_CONTROL.subn(lambda found: " " * len(found[0]), text)
    if breaks + others:
        notes.append(f"{_count(breaks + others, 'control character')} blanked")
    return text, tuple(notes)


_TO_UNIFY = re.compile("[\r\u2028\u2029\ufeff]")
_UNIFIED = str.maketrans({"\r": "\n", "\u2028": "\n", "\u2029": "\n", "\ufeff": " "})


def unify(text: str) -> str:
    """The text with every line break written ``\\n``, at the same length: ``\\r\\n`` becomes a
    space and ``\\n``, byte-order marks become spaces."""
    if "\r" in text:
        # At the same length, so that a place in one text is the place in the other.
        text = text.replace("\r\n", " \n")
    return text.translate(_UNIFIED) if _TO_UNIFY.search(text) else text


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


@dataclass(frozen=True, slots=True)
class Document:
    """A text ready to be read. ``sentences`` are in order, disjoint, never blank and without
    white space at their ends; what lies between them is white space, markup or code. A sentence
    holds the marks that touch it (``**Bold** words.[1]`` is one span), so it may begin or end with
    characters that are blank in ``plain``. ``notes`` tell what was changed at the door (lone
    surrogates replaced, control characters blanked). ``language`` is an ISO 639-1 code guessed
    from script and function words, "und" if nothing tells. ``apart`` are lines and sentences
    that claim nothing, if they were set apart (`halubot.claims.set_titles_apart`): they lie
    between
    the sentences too. ``unread`` are stretches whose words are not read, with the reason; the same
    function finds them, and makes sentences of those that lie in none.

    ``plain`` is ``text`` with markup blanked; its line breaks are all ``\\n``, and a tab stands
    between the cells of a table row."""

    text: str
    plain: str
    sentences: tuple[Span, ...]
    language: str = "und"
    notes: tuple[str, ...] = ()
    apart: tuple[Span, ...] = ()
    unread: tuple[Unread, ...] = ()


def read(text: str, *, sentences: Sequence[str] | None = None, markdown: bool = True) -> Document:
    """Read a text. With ``sentences`` the caller's own are located in it, in order, exactly or
    with other white space. With ``markdown=False`` nothing is taken for markup.

    Never fails on a text of its own accord: a blank text has no sentences. Takes time linear
    in the length. Raises InputError if a sentence given is blank, or is not in the text after
    the one before it.
    """
    text, notes = clean(text)
    unified = unify(text)
    plain, places = blocks(unified, markdown=markdown)
    guess = language(plain)
    if sentences is None:
        spans = tuple(cut_sentences(unified, plain, places, guess))
    else:
        spans = locate(unified, [unify(clean(sentence)[0]) for sentence in sentences])
        plain = uncover(unified, plain, spans)
    return Document(text, plain, spans, guess, notes)


def reads_as_english(document: Document) -> bool:
    """Return True for English, and for a text of unknown language in the Latin script."""
    if document.language != "und":
        return document.language == "en"
    letters = [character for character in document.plain[:2000] if character.isalpha()]
    return sum(character < "\u0250" for character in letters) * 2 > len(letters)


def unread_sentences(document: Document) -> dict[int, str]:
    """Return the sentences of which a part is not read, by their indexes, and why."""
    ends = [end for _, end in document.sentences]
    found: dict[int, str] = {}
    for start, end, why in document.unread:
        at = bisect_right(ends, start)
        while at < len(ends) and document.sentences[at][0] < end:
            found.setdefault(at, why)
            at += 1
    return found


def word_set(text: str) -> frozenset[str]:
    """Return the words of a list that is written with spaces between them."""
    return frozenset(text.split())


def merge_spans(plain: str, places: Sequence[Span]) -> tuple[Span, ...]:
    """Places in order, joined if they overlap or only white space lies between."""
    joined: list[Span] = []
    for start, end in sorted(places):
        if joined and (start <= joined[-1][1] or not plain[joined[-1][1] : start].strip()):
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return tuple(joined)
