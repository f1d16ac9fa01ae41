"""Words of a text that are not read: in code, comments, front matter, titles of links.

`halubot.text.blocks` and `halubot.text.inline` blank them. They may claim something all the same,
so each is named with the reason, and what holds it is not checked.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

COMMENT: Final = "it stands in a comment, which readers do not see"
FRONT: Final = "it stands in the front matter, which readers do not see"
ASIDE: Final = "it stands in a title or label of a link or tag, which is not read"
CODE: Final = "it stands in code or a formula, which is not read"
ADDRESS: Final = "it stands in a web address, which is not read"


class Unread(NamedTuple):
    """A stretch of a text that says something and is not read, and why."""

    start: int
    end: int
    why: str


_GAP: Final = re.compile(r"\s{8,}")
_WORD: Final = r"[\w'’-]+"
# In code four words in a row are a sentence if they begin with a capital letter, or as a comment
# or a string does: "for x in range" is none.
_HIDDEN: Final = re.compile(
    r"<!--(?P<comment>.*?)(?:-->|\Z)"
    r"|\b(?:title|alt|label|aria-[a-z]{1,20}|placeholder|content|summary|value)\s{0,5}=\s{0,5}"
    r"(?P<quote>[\"'])(?P<attribute>.{0,2000}?)(?P=quote)"
    r"|\(\s{0,9}[^\s()]{0,2000}\s{1,9}(?P<mark>[\"'])(?P<title>.{0,500}?)(?P=mark)\s{0,9}\)"
    r"|\[(?P<label>[^\[\]\n]{1,200})\]:(?P<definition>[^\n]{0,2000})"
    r"|(?:(?:[#*;%\"'“]|//|--)\s{0,3}|(?<![\w.])(?=[A-Z][a-z'’]{0,30}\b))"
    rf"(?P<code>{_WORD}(?:[ ,]{{1,2}}{_WORD}){{3,}}[.!?]?)",
    re.DOTALL,
)
# Readers see an address in the text, not the one behind the words of a link.
_WEB: Final = re.compile(r"(?<![\w(\"'=])(?:https?://|www\.)[^\s<>]{1,2000}")
_SLUG: Final = re.compile(
    r"(?<![^\W_])(?:[^\W\d_]{1,30}+|\d{1,4}+)(?:(?:[-_+]|%20)(?:[^\W\d_]{1,30}+|\d{1,4}+)){3,60}+"
    r"(?![^\W_])"
)
_STATED: Final = re.compile(
    r"(?<![^\W_])(?:\d{1,4}|is|are|was|were|be|has|had|have|did|does|not|never|no)(?![^\W_])", re.I
)
_TWO_WORDS: Final = re.compile(
    r"[^\W\d_]{2,}[^\w\n]{1,20}[^\W_]{2,}|[^\W_]{2,}[^\w\n]{1,20}[^\W\d_]{2,}"
    r"|[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{4,}"
)
FRONT_MATTER: Final = re.compile(
    r"\A---[ \t]*\n(?=[A-Za-z_][\w-]{0,60}:)(?:(?!---|\.\.\.)[^\n]{0,2000}\n){1,200}"
    r"(?:---|\.\.\.)[ \t]*(?=\n|\Z)"
)
"""The lines between two rules at the beginning of a text that begin with a key."""

_WHY: Final = {"comment": COMMENT, "code": CODE}


def find_unread(text: str, plain: str) -> Iterator[Unread]:
    """Yield the stretches of a text that say something and are blank in ``plain``, in order, each
    without what is around its words. Linear in the length of the text."""
    front = FRONT_MATTER.match(text)
    if front is not None:
        yield _trimmed(text, 3, front.end() - 3, FRONT)
    for gap in _GAP.finditer(plain, front.end() if front else 0):
        piece = text[gap.start() : gap.end()]
        if len(piece.strip()) < 8:
            continue
        for web in _WEB.finditer(piece):
            slug = next(filter(_states, _SLUG.finditer(web[0])), None)
            if slug is not None:
                start = gap.start() + web.start()
                yield _trimmed(text, start + slug.start(), start + slug.end(), ADDRESS)
        for found in _HIDDEN.finditer(piece):
            kind = found.lastgroup or ""
            if kind == "definition":
                kind = "label"  # the label is shown nowhere, nor is the title behind the address
                says = _TWO_WORDS.search(found["label"]) or _TWO_WORDS.search(
                    _ADDRESS.sub("", found["definition"])
                )
                start, end = found.start("label"), found.end()
            else:
                kind = next(one for one in _KINDS if found[one] is not None)
                says = _TWO_WORDS.search(found[kind])
                start, end = found.span(kind)
            if says:
                why = _WHY.get(kind, ASIDE)
                yield _trimmed(text, gap.start() + start, gap.start() + end, why)


def _states(slug: re.Match[str]) -> bool:
    """Return True for words in an address that state something, as titles seldom do."""
    return bool(_STATED.search(slug[0].replace("%20", " ")))


_KINDS: Final = ("comment", "attribute", "title", "code")
_ADDRESS: Final = re.compile(r"^\s*\S+")


def _trimmed(text: str, start: int, end: int, why: str) -> Unread:
    words = text[start:end]
    start += len(words) - len(words.lstrip())
    return Unread(start, start + len(words.strip()), why)
