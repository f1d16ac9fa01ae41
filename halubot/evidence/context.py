"""The parts of long references that are compared, and those that a judge is shown as one text."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import chain, groupby, zip_longest
from typing import Final, NamedTuple

from halubot.claims import read_source
from halubot.compare.tokens import Worded, content, content_norms, with_tokens
from halubot.evidence.retrieval import Index, Passage, terms
from halubot.report import Source
from halubot.text import Document, Span, clean

LONGEST = 24_000
"""Characters of a context."""


LEFT_OUT = "\n[...]\n"
"""Stands between passages that do not follow one another."""


_PASSAGE: Final = 300
"""Characters that a passage seldom has fewer than: so many are looked for as could fit."""


class Part(NamedTuple):
    """A piece of a source that is shown: ``source.text[start:end]``."""

    source: Source
    start: int
    end: int


class Context(NamedTuple):
    """The text that is shown, and the parts it was put together from, in their order."""

    text: str
    parts: tuple[Part, ...]

    def find(self, quote: str) -> Part | None:
        """Return the place of a quote in the first part that holds it, apart from case and white
        space; None for a quote that is blank or stands nowhere."""
        words = [re.escape(word) for word in quote.split()]
        if not words:
            return None
        # A judge copies with other breaks and capitals than the source has.
        wanted = re.compile(r"\s+".join(words), re.IGNORECASE)
        for source, start, end in self.parts:
            found = wanted.search(source.text or "", start, end)
            if found is not None:
                return Part(source, *found.span())
        return None


NO_CONTEXT: Final = Context("", ())


class Contexts:
    """The contexts that some references make. ``of`` may be called from any thread, and reads long
    references when it first needs to: call it off the loop."""

    def __init__(self, references: Sequence[Source]) -> None:
        self._references = [source for source in references if (source.text or "").strip()]
        self.length = sum(len(source.text or "") for source in self._references)
        """Characters of all of them."""
        self._made: dict[tuple[tuple[str, ...], int], Context] = {}
        self._lock = threading.Lock()

    def of(self, wanted: Sequence[str], longest: int = LONGEST) -> Context:
        """The references whole, if they are short. Else their passages that are nearest to each
        thing wanted, in turn, as many as fit into ``longest`` characters, in the order of the
        references; the beginnings of the references if no passage shares a word with any. If
        there are several references each is headed by its title. Empty without references."""
        key = (tuple(wanted), longest)
        # Repeats and halves ask for the same context at the same time, from several threads.
        with self._lock:
            if key not in self._made:
                self._made[key] = self._write_parts(self._parts(wanted, longest))
            return self._made[key]

    def share(self, wanted: Sequence[str]) -> float:
        """Return the largest share of the content words of anything wanted that the nearest passage
        holds, in [0, 1]."""
        return max(map(self._share, wanted), default=0.0)

    def _share(self, wanted: str) -> float:
        words = content(wanted)
        found = self._index.search(" ".join(word.text for word in words), 1)
        if not found:
            return 0.0
        own = content_norms(words)
        return len(own & content_norms(content(found[0].text))) / len(own)

    @cached_property
    def _index(self) -> Index:
        # Only once it is needed: an index takes seconds for 10 MB.
        return Index(self._references)

    def _parts(self, wanted: Sequence[str], longest: int) -> list[Part]:
        whole = [Part(source, 0, len(source.text or "")) for source in self._references]
        if self.length <= longest:
            return whole
        # In turn below: a wish that shares words with much must not take all the room.
        rows = [self._index.search(one, max(1, longest // _PASSAGE)) for one in wanted]
        places = {id(source): place for place, source in enumerate(self._references)}
        found = chain.from_iterable(zip_longest(*rows))
        chosen = [
            (places[id(one.source)], one.start, one.end)
            for one in _fill(found, longest, len(LEFT_OUT))
        ]
        if not chosen:
            share = longest // len(whole)
            return [Part(one.source, 0, min(one.end, share)) for one in whole if share]
        return [Part(self._references[at], start, end) for at, start, end in sorted(chosen)]

    def _write_parts(self, parts: Sequence[Part]) -> Context:
        pieces: list[str] = []
        for _, group in groupby(parts, key=lambda part: id(part.source)):
            own = list(group)
            title = own[0].source.title if len(self._references) > 1 else ""
            pieces.append("".join([f"{title}\n" if title else "", *_join(own)]))
        return Context("\n\n".join(pieces), tuple(parts))


def _join(parts: Sequence[Part]) -> Iterator[str]:
    """The parts of one source, with a sign if something was left out between two of them."""
    text = parts[0].source.text or ""
    done = parts[0].start
    for _, start, end in parts:
        yield LEFT_OUT if text[done:start].strip() else text[done:start]
        yield text[start:end]
        done = end


MOST: Final = 300_000
"""Characters of all texts together that are read whole."""

WINDOW: Final = 1_000
"""Characters of a window at most."""

_NEAREST: Final = 3
"""Windows that are looked for beside each sentence of the message."""

_COMMON: Final = 200
"""Windows after which those that hold a word are not counted: it is common."""

_END: Final = re.compile(r"[.!?。][\s]")


def read_near(message: Document, texts: Sequence[str], most: int = MOST) -> list[Worded]:
    """Read texts as they are compared with a message, each at its own places. If they have more
    than ``most`` characters together, all but about as many are blank: those windows are kept that
    are nearest to a sentence, or to a word of the message. Takes time linear in the length of the
    texts."""
    if sum(map(len, texts)) <= most:
        return [with_tokens(read_source(text)) for text in texts]
    windows = [(n, *span) for n, text in enumerate(texts) for span in cut_windows(text)]
    kept: list[list[Span]] = [[] for _ in texts]
    for at in sorted(_choose_windows(message, texts, windows, most)):
        number, start, end = windows[at]
        spans = kept[number]
        if spans and spans[-1][1] == start:
            spans[-1] = spans[-1][0], end
        else:
            spans.append((start, end))
    return [_read_parts(text, spans) for text, spans in zip(texts, kept, strict=True)]


def _choose_windows(
    message: Document, texts: Sequence[str], windows: Sequence[tuple[int, int, int]], most: int
) -> set[int]:
    """The numbers of the windows that are read."""
    cut = (texts[number][start:end] for number, start, end in windows)
    index = Index(
        [Source(id=str(at), kind="reference", text=text) for at, text in enumerate(cut)], None
    )
    rows = [index.search(message.plain[slice(*span)], _NEAREST) for span in message.sentences]
    best, *others = zip_longest(*rows) if any(rows) else [()]
    # Before the second best of a sentence comes one window for each word that would be missing.
    holding = sorted((index.search(word, _COMMON) for word in terms(message.plain)), key=len)
    words = (held[0] for held in holding if held)
    found = _fill(chain(best, words, *others), most)
    return {int(one.source.id) for one in found}


def _fill(found: Iterable[Passage | None], room: int, around: int = 0) -> Iterator[Passage]:
    """The passages, each once, that fit into so many characters, ``around`` for each beside its
    own."""
    taken: set[tuple[int, int]] = set()
    for one in filter(None, found):
        place, size = (id(one.source), one.start), one.end - one.start + around
        if place not in taken and size <= room:
            taken.add(place)
            room -= size
            yield one


def cut_windows(text: str) -> Iterator[Span]:
    """The windows of a text, which end after a line, a sentence or a word, if there is one."""
    start = 0
    while start < len(text):
        end = min(len(text), start + WINDOW)
        if end < len(text):
            half = start + WINDOW // 2
            sentences = [match.end() for match in _END.finditer(text, half, end)]
            line, word = (text.rfind(sign, half, end) + 1 for sign in "\n ")
            breaks = (line, *sentences[-1:], word)
            end = next((found for found in breaks if found > half), end)
        yield start, end
        start = end


def _read_parts(text: str, spans: Sequence[Span]) -> Worded:
    """Read some parts of a text, at their places in it; all else is blank."""
    pieces: list[str] = []
    sentences: list[Span] = []
    language, position = "und", 0
    for start, end in spans:
        part = read_source(text[start:end])
        pieces += (" " * (start - position), part.plain)
        sentences += [(first + start, last + start) for first, last in part.sentences]
        language = part.language if language == "und" else language
        position = end
    pieces.append(" " * (len(text) - position))
    return with_tokens(Document(clean(text)[0], "".join(pieces), tuple(sentences), language))
