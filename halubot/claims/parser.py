"""The grammar of an English sentence: words, their tags, and which word depends on which.

A small network (two bidirectional LSTM layers and a biaffine scorer of heads, 1.4 million weights
of 4 to 5 bits). It was trained on treebanks of Universal Dependencies (`training/parser.py`),
whose tags and relations it uses.
"""

from __future__ import annotations

import lzma
import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from importlib import resources
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from zlib import crc32

from halubot.offline import open_onnx
from halubot.text import Span, word_set

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

LONGEST: Final = 120
"""Words read at once; a longer sentence is read in pieces."""
_BATCH: Final = 32


class Token(NamedTuple):
    """A word or mark at ``start:end``. ``head`` is the index of the token it depends on, -1 for the
    one on which all others depend. Tags are those of Universal Dependencies, those of verbs with
    their form: "VERB|Fin" finite, "Imp" imperative, "Inf" infinitive, "Ger" in -ing, "Part"."""

    text: str
    start: int
    end: int
    tag: str = "X"
    head: int = -1
    relation: str = "root"

    @property
    def low(self) -> str:
        return self.text.lower()

    @property
    def kind(self) -> str:
        """The tag without the form of a verb."""
        return self.tag.partition("|")[0]


_TOKEN: Final = re.compile(
    r"https?://\S+[^\s.,;:!?)\]}'\"]"
    r"|[$€£¥₹]?\d+(?:[.,:/–-]\d+)*(?:st|nd|rd|th|s|%|°[CF]?)?(?!-?[^\W_])"
    r"|\w+(?:[-–'’.&/+@_]\w+|(?<=[A-Za-z])\.(?=[ ,;:)]))*"
    r"|[^\w\s]"
)
_CLITIC: Final = re.compile(r"(?:n['’]t|['’](?:s|re|ve|ll|d|m))$", re.IGNORECASE)


def cut_words(plain: str, start: int, end: int) -> Iterator[Span]:
    """Yield the places of the words and marks of a sentence; contractions are cut in two."""
    for match in _TOKEN.finditer(plain, start, end):
        low, high = match.span()
        # The full stop that ends a sentence is no part of its last word.
        if high == end and high - low > 1 and plain[high - 1] == ".":
            high -= 1
        clitic = _CLITIC.search(plain, low, high)
        if clitic and clitic.start() > low:
            yield low, clitic.start()
            low = clitic.start()
        yield low, high
        if high < match.end():
            yield high, match.end()


def parse(plain: str, spans: Sequence[Span]) -> list[list[Token]]:
    """Return the tokens of each span with their tags, heads and relations, in time linear in their
    length. The root of what stands in brackets depends on the word before them, as "aside". Of more
    than `LONGEST` words each piece has a root of its own, which depends on that of the first.

    What is asked for together is parsed in batches, and nothing of the last few texts twice: a
    message is read for what claims nothing, for its facts and for its clauses."""
    known = _parsed(plain)
    new = [span for span in dict.fromkeys(spans) if span not in known]
    known.update(zip(new, _parse(plain, new), strict=True))
    return [known[span] for span in spans]


@lru_cache(maxsize=4)
def _parsed(plain: str) -> dict[Span, list[Token]]:
    return {}


def _parse(plain: str, spans: Sequence[Span]) -> list[list[Token]]:
    words = [list(cut_words(plain, *span)) for span in spans]
    texts = [[plain[a:b] for a, b in one] for one in words]
    jobs: list[_Job] = []
    for owner, own in enumerate(texts):
        for units, anchor in read_units(own) if own else ():
            for first in range(0, len(units), LONGEST):
                jobs.append(_Job(owner, units[first : first + LONGEST], anchor, first > 0))
    read = _read_all([_shown(texts[job.owner], job.units) for job in jobs])
    found = [[Token(plain[a:b], a, b) for a, b in one] for one in words]
    roots: dict[int, int] = {}  # of the first piece of each span
    for job, tokens in zip(jobs, read, strict=True):
        read_tokens = found[job.owner]
        for unit, token in zip(job.units, tokens, strict=True):
            head, relation = token.head, token.relation
            if head >= 0:
                head = job.units[head].shown
            elif job.anchor >= 0 or job.follows:
                head = job.anchor if job.anchor >= 0 else roots[job.owner]
                relation = "parataxis" if job.follows else "aside"
            else:
                roots[job.owner] = unit.shown
            shown = read_tokens[unit.shown]
            read_tokens[unit.shown] = shown._replace(tag=token.tag, head=head, relation=relation)
            for k in unit.others:
                named = read_tokens[k].text[0].isalnum()
                tag, relation = ("PROPN", "flat") if named else ("PUNCT", "punct")
                read_tokens[k] = read_tokens[k]._replace(
                    tag=tag, head=unit.shown, relation=relation
                )
    return found


_QUOTES: Final = frozenset('"“”„«»')
_APOSTROPHES: Final = frozenset("'‘’")
_SENTENCE_MARKS: Final = frozenset(".;")
_OPENING: Final = frozenset("([")
_CLOSING: Final = frozenset(")]")
_LONGEST_TITLE: Final = 14
_SMALL: Final = frozenset(
    {"a", "an", "and", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "with"}
)


class Unit(NamedTuple):
    """What is read as the word ``shown``: that word, and the marks and words of ``others``."""

    shown: int
    others: list[int]


class Piece(NamedTuple):
    """Units that are read as one sentence. ``anchor`` is the word before the bracket in which they
    stand, -1 outside of brackets."""

    units: list[Unit]
    anchor: int


def read_units(texts: Sequence[str]) -> list[Piece]:
    """Return the pieces of a sentence in order, first the one outside of brackets; each word and
    mark is in one unit of one piece."""
    titles = dict(_titles(texts))
    closings = _brackets(texts)
    found = [Piece([], -1)]
    opened: list[int] = []  # marks that belong to the next word
    closing, quoted, k = -1, False, 0
    while k < len(texts):
        units = found[-1 if closing >= 0 else 0].units
        last = titles.get(k, k)
        quotes = texts[k] in _QUOTES
        if last > k:
            shown = max(n for n in range(k, last) if texts[n][0].isalpha())
            units.append(Unit(shown, [*opened, *(n for n in range(k, last + 1) if n != shown)]))
            opened = []
        elif k in closings and closing < 0 and units and closings[k] > k + 1:
            closing = closings[k]
            found.append(Piece([], units[-1].shown))
            opened.append(k)
        elif (quotes and not quoted) or k in closings:
            opened.append(k)
        elif units and (quotes or k in closings.values() or _numbers_name(texts, k)):
            units[-1].others.append(k)
        else:
            units.append(Unit(k, opened))
            opened = []
        quoted ^= quotes and last == k
        if k == closing:
            closing = -1
            units[-1].others.extend(opened)
            opened = []
        k = last + 1
    if opened and found[0].units:
        found[0].units[-1].others.extend(opened)
    elif opened:  # marks alone
        found[0].units.append(Unit(opened[0], opened[1:]))
    return found


def _numbers_name(texts: Sequence[str], k: int) -> bool:
    """Return True for the number of a name: "Apollo 11", "Passage 4", not "Brazil 3 times"."""
    if not texts[k].isdecimal() or len(texts[k]) > 3 or k == 0 or not texts[k - 1][0].isupper():
        return False
    after = texts[k + 1] if k + 1 < len(texts) else "."
    told = k + 2 < len(texts) and texts[k + 2] == "that"
    named = texts[k - 1].isalpha() and usual_tag(texts[k - 1]) in ("", "PROPN", "NOUN")
    return named and (
        told or not after[0].isalpha() or usual_tag(after) not in ("", "NOUN", "ADJ", "PROPN")
    )


def _titles(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield the first and the last mark of each title in quotation marks: words with capitals."""
    for quotes in (_QUOTES, _APOSTROPHES):
        marks = [k for k, text in enumerate(texts) if text in quotes]
        for first, last in zip(marks[::2], marks[1::2], strict=False):
            words = texts[first + 1 : last]
            named = [one for one in words if one[0].isalpha() and one.lower() not in _SMALL]
            capital = named and all(one[0].isupper() for one in named)
            if capital and len(words) <= _LONGEST_TITLE and not _SENTENCE_MARKS & set(words[:-1]):
                yield first, last


def _brackets(texts: Sequence[str]) -> dict[int, int]:
    """Return where each bracket closes, of those that do."""
    opened: list[int] = []
    found: dict[int, int] = {}
    for k, text in enumerate(texts):
        if text in _OPENING:
            opened.append(k)
        elif text in _CLOSING and opened:
            found[opened.pop()] = k
    return found


class _Job(NamedTuple):
    """Units that are read together; ``follows``: they go on with a sentence that was too long."""

    owner: int
    units: Sequence[Unit]
    anchor: int
    follows: bool


def _shown(texts: Sequence[str], units: Sequence[Unit]) -> list[str]:
    """Return the words of units, for a title a name. "The report states that": before "that" it is
    a verb."""
    words = [
        _TITLE if any(texts[k][0].isalpha() for k in unit.others) else texts[unit.shown]
        for unit in units
    ]
    for k in range(1, len(words) - 1):
        if words[k + 1] == "that" and words[k].endswith("s") and words[k] in TELLING:
            words[k] = "says"
    return words


_TITLE: Final = "Carmen"
"""What is read instead of a title in quotation marks, whose last word may be a verb."""
TELLING: Final = word_set(
    "states state stated shows show showed shown mentions mention mentioned notes noted indicates"
    " indicate indicated explains explain explained reveals revealed confirms confirmed"
    " concluded inferred known appears seems clear noting note says say said suggests"
    " suggest suggested found reports"
)
"""Verbs of a source that stands behind what it tells."""


def _read_all(sentences: Sequence[Sequence[str]]) -> list[list[Token]]:
    """Return the tags, heads and relations of the words of each sentence; sentences of the same
    words are read once."""
    order = sorted(dict.fromkeys(map(tuple, sentences)), key=len)
    found: dict[tuple[str, ...], list[Token]] = {}
    for first in range(0, len(order), _BATCH):
        batch = order[first : first + _BATCH]
        for texts, rows in zip(batch, _network().read(batch), strict=True):
            tokens = [
                Token(text, 0, 0, *row)
                for text, row in zip(texts, zip(*rows, strict=True), strict=True)
            ]
            found[texts] = _with_names(tokens)
    return [found[tuple(sentence)] for sentence in sentences]


_COMMON: Final = word_set(
    "the a an in on at by for from with of to and but or nor if when while as after before "
    "since this that these those his her its their our my your he she it they we you i no not "
    "there here what who how why where which according during although because however also "
    "both each all some many most is are was were do does did has have had can may will "
    "another other one two three"
)
"""Words that are no names where a capital begins them."""

_NAMING: Final = frozenset({"flat", "compound", "amod", "nmod", "det", "nummod", "nmod:poss"})


def _with_names(tokens: list[Token]) -> list[Token]:
    """Return the tokens with the words of each name depending on one of them: a rare name may be
    torn apart otherwise ("directed by Sidney | Lumet")."""
    first = 0
    while first < len(tokens):
        last = first
        while last < len(tokens) and _is_name(tokens, last):
            last += 1
        inside = range(first, last)
        # The one nearest to the root, or the others would lead back to themselves.
        top = min(inside, key=lambda k: _depth(tokens, k), default=first)
        for k in inside:
            if last - first > 1:
                tokens[k] = tokens[k]._replace(tag="PROPN")
            if k != top and tokens[k].head not in inside:
                tokens[k] = tokens[k]._replace(head=top, relation="flat")
            elif k != top and tokens[k].relation not in _NAMING:
                tokens[k] = tokens[k]._replace(relation="flat")
        # "by the architect | Charles Garnier": of one head and relation, they are one.
        before = tokens[max(first - 1, 0)]
        if inside and before.kind == "NOUN" and before[4:] == tokens[top][4:]:
            tokens[top] = tokens[top]._replace(head=first - 1, relation="flat")
        first = max(last, first + 1)
    for k, token in enumerate(tokens):
        above = token.head
        while above >= 0 and tokens[above].relation == "flat":
            above = tokens[above].head
        if above >= 0:
            tokens[k] = token._replace(head=above)
    return tokens


def _depth(tokens: Sequence[Token], k: int) -> int:
    depth = 0
    while (k := tokens[k].head) >= 0:
        depth += 1
    return depth


def _is_name(tokens: Sequence[Token], k: int) -> bool:
    token = tokens[k]
    if not token.text[:1].isupper() or token.low in _COMMON or token.kind == "PUNCT":
        return False
    # Each sentence begins with a capital.
    return k > 0 or token.kind == "PROPN" or (len(tokens) > 1 and _is_name(tokens, 1))


WORDS, ENDS, BEGINNINGS, SHAPES, USES = 16384, 2048, 512, 64, 32
"""Rows of the tables of vectors."""
ROOT: Final = "<root>"
_DIGIT: Final = re.compile(r"\d")
_LONG_NUMBER: Final = re.compile(r"0{6,}")


def features(texts: Sequence[str]) -> list[tuple[int, ...]]:
    """Return the rows of each word, after those of the root: two of the word (`WORDS` if it is
    unknown: it is read by its letters), its last three
    letters, its first three, its shape, its usual tag."""
    found = [_features(ROOT, False)]
    for k, text in enumerate(texts):
        # Without digits, and one form for all long numbers: each would stay in the cache.
        found.append(_features(_LONG_NUMBER.sub("00000", _DIGIT.sub("0", text)), k == 0))
    return found


@lru_cache(maxsize=1 << 14)
def _features(text: str, first: bool) -> tuple[int, ...]:
    norm = text.lower().replace("’", "'")
    shape = re.sub(r"[^\W\d_]", "x", re.sub(r"[A-Z]", "X", text.replace("0", "d")))
    shape = re.sub(r"(.)\1+", r"\1\1", shape)[:5] + str(first)
    known = norm in tag_numbers() or text == ROOT
    return (
        _row("a" + norm, WORDS) if known else WORDS,
        _row("b" + norm, WORDS) if known else WORDS,
        _row(norm[-3:], ENDS),
        _row(norm[:3], BEGINNINGS),
        _row(shape, SHAPES),
        tag_numbers().get(norm, 0),
    )


def _row(text: str, rows: int) -> int:
    return crc32(text.encode()) % rows


UNTAGGED: Final = "-"
"""What stands before the words without a usual tag in `data/words.txt`, in place of the tag."""


def usual_tag(word: str) -> str:
    """Return the usual tag of a word, "" if it is rare."""
    number = tag_numbers().get(word.lower())
    return _stored_words()[number - 1][0] if number else ""


@cache
def tag_numbers() -> dict[str, int]:
    """Return the number of the usual tag of each known word: its line in the file from 1, 0 if it
    has none."""
    return {
        word: n * (line[0] != UNTAGGED)
        for n, line in enumerate(_stored_words(), 1)
        for word in line[1:]
    }


@cache
def _stored_words() -> list[list[str]]:
    stored = resources.files("halubot.claims").joinpath("data", "words.txt").read_text("utf-8")
    return [line.split() for line in stored.splitlines()]


class _Network:
    """The trained network, on one thread: sentences are small."""

    def __init__(self) -> None:
        # Here, so that texts in other languages load none of this.
        import numpy as np

        self._np = np
        stored = resources.files("halubot.claims").joinpath("data", "parser.onnx.xz").read_bytes()
        self._session: Any = open_onnx(lzma.decompress(stored))
        names = self._session.get_modelmeta().custom_metadata_map
        self._tags, self._relations = names["tags"].split(), names["relations"].split()

    def read(
        self, texts: Sequence[Sequence[str]]
    ) -> Iterator[tuple[list[str], list[int], list[str]]]:
        """Yield the tags, heads (-1 for the root) and relations of each sentence."""
        np = self._np
        rows = [features(words) for words in texts]
        lengths = np.array([len(row) for row in rows], dtype=np.int32)
        ids = np.zeros((len(rows), lengths.max(), 6), dtype=np.int64)
        for k, row in enumerate(rows):
            ids[k, : len(row)] = row
        beyond = np.arange(lengths.max()) >= lengths[:, None]
        mask = np.where(beyond, np.float32(-1e9), np.float32(0))[:, None]
        given = {"ids": ids, "lengths": lengths, "mask": mask}
        tags, arcs, relations = self._session.run(None, given)
        for k, length in enumerate(lengths.tolist()):
            heads = best_tree(arcs[k, 1:length, :length])
            named = [self._relations[best] for best in relations[k, 1:length]]
            yield (
                [self._tags[best] for best in tags[k, 1:length]],
                [head - 1 for head in heads],
                [
                    # The head may be another one than that of which the network thought.
                    "root" if not head else "parataxis" if name == "root" else name
                    for name, head in zip(named, heads, strict=True)
                ],
            )


_network = cache(_Network)


def best_tree(scores: Floats) -> list[int]:
    """Return the head of each word, 0 for the root and k + 1 for word k: the best by ``scores``,
    with one root and without circles."""
    count = len(scores)
    for k in range(count):
        scores[k, k + 1] = -1e9
    # The word that loses least by being the root: scores of two words cannot be compared.
    root = int((scores[:, 0] - scores[:, 1:].max(-1)).argmax())
    scores[:, 0] = -1e9
    heads = [int(best) + 1 for best in scores[:, 1:].argmax(-1)] if count > 1 else [0]
    heads[root] = 0
    while circle := _circle(heads):
        # The word of the circle that loses least by a head outside of it.
        outside = [k + 1 for k in range(count) if not _leads(heads, k, circle)]
        best = max(
            (
                (scores[k, other] - scores[k, heads[k]], k, other)
                for k in circle
                for other in outside
            ),
            default=(0.0, circle[0], root + 1),
        )
        heads[best[1]] = best[2]
    return heads


def _circle(heads: Sequence[int]) -> list[int]:
    """Return the words of a circle, none if there is none."""
    done: set[int] = set()
    for start in range(len(heads)):
        path: list[int] = []
        k = start
        while k >= 0 and k not in done and k not in path:
            path.append(k)
            k = heads[k] - 1
        if k in path:
            return path[path.index(k) :]
        done.update(path)
    return []


def _leads(heads: Sequence[int], word: int, circle: Sequence[int]) -> bool:
    """Return True if the heads of a word lead into a circle."""
    seen: set[int] = set()
    while word >= 0 and word not in seen:
        if word in circle:
            return True
        seen.add(word)
        word = heads[word] - 1
    return False
