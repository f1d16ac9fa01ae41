"""The material that a message is compared with: samples, references, knowledge and the web.

What reads files is in `halubot.evidence.files`, what cuts texts into passages and finds them in
`halubot.evidence.retrieval`.
"""

from __future__ import annotations

import hashlib
import re
from typing import Final

from halubot.report import Source, SourceKind
from halubot.text import clean
from halubot.text.markdown import blank_marks

MOST_CHARACTERS: Final = 10_000_000
"""Characters of all references together; the report holds them too."""

HEADING: Final = re.compile(r"^ {0,3}#{1,6}[ \t]+(\S[^\n]*?)[ \t#]*$", re.MULTILINE)
"""A Markdown heading, with its words."""


def text_source(
    text: str, kind: SourceKind, index: int, *, title: str = "", location: str = ""
) -> Source:
    """A text as a source. ``index`` counts from 1 and makes the id: "s1", "r1", "k1". Without a
    title it is the first Markdown heading of a reference, else "sample 1". ``hash`` is the first
    16 hexadecimal digits of the SHA-256 of the cleaned text. A blank text is accepted."""
    text, title = clean(text)[0], clean(title)[0]
    if not title and kind == "reference":
        title = heading(text)
    return Source(
        id=f"{kind[0]}{index}",
        kind=kind,
        title=title or f"{kind} {index}",
        location=clean(location)[0],
        text=text,
        hash=hashlib.sha256(text.encode()).hexdigest()[:16],
    )


def heading(text: str) -> str:
    """The first Markdown heading near the top of a text, without its marks, or ""."""
    # Near the top only: a heading farther down names a section.
    found = HEADING.search(text, 0, 10_000)
    return " ".join(blank_marks(clean(found[1])[0]).split()) if found else ""
