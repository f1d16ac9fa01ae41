"""The text of an HTML page, paragraph by paragraph, without what surrounds it."""

from __future__ import annotations

import re

from halubot.formats.protocol import Content

_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s{0,9}=\s{0,9}[\"']?\s{0,9}([\w.:-]{1,40})", re.I)
_AROUND = (
    "script", "style", "nav", "header", "footer", "aside", "noscript", "template", "svg", "head",
    "iframe", "button", "select", "textarea",
)  # fmt: skip
_BLOCKS = (
    "p, div, section, article, main, h1, h2, h3, h4, h5, h6, ul, ol, li, dl, dt, dd, table,"
    " caption, tr, blockquote, pre, figure, figcaption, hr, br, details, summary, address, form,"
    " fieldset"
)
_BREAK = "\u2029"  # stands for the end of a block until white space has been squeezed
_CELL = "\u2028"
_UNWANTED = str.maketrans({_BREAK: " ", _CELL: " ", "\u00ad": None, "\u200b": None})
_CLOSED_AT_ONCE = re.compile(
    r"<(title|script|style|textarea|iframe|select)\b([^<>]{0,500})/>", re.IGNORECASE
)


def charset(data: bytes) -> str | None:
    """The character set that a page declares in its first 4 KB, None where it does not."""
    found = _CHARSET.search(data[:4096])
    return found[1].decode("ascii", "replace") if found else None


def extract(page: str) -> Content:
    """Return the content of an HTML page. Blocks are parted by
    blank lines, table cells by `` | ``; navigation, headers, footers, asides and scripts are
    left out. A page whose text stands only in those has none."""
    from selectolax.lexbor import SelectolaxError

    try:
        return _content(page)
    except SelectolaxError as error:  # it accepts any page: what it lacked was memory
        raise MemoryError from error


def _content(page: str) -> Content:
    from selectolax.lexbor import LexborHTMLParser

    # XHTML may close at once what HTML would take to run on to the end.
    page = _CLOSED_AT_ONCE.sub(r"<\1\2></\1>", page.translate(_UNWANTED))
    tree = LexborHTMLParser(page)
    named = tree.css_first("head title") or tree.css_first("h1")
    title = " ".join(named.text().split()) if named else ""
    headings = frozenset(" ".join(one.text().split()) for one in tree.css("h2, h3, h4, h5, h6"))
    tree.strip_tags(list(_AROUND))
    if tree.body is None:
        return Content("", title)
    for node in tree.css("td > p:only-child, th > p:only-child"):
        node.unwrap()  # a cell of one paragraph is still a cell
    for node in tree.css(_BLOCKS):
        node.insert_before(_BREAK)
        node.insert_after(_BREAK)
    for node in tree.css("td, th"):
        node.insert_after(_CELL)
    words = re.sub(r"[^\S\u2028\u2029]+", " ", tree.body.text().replace("\u00ad", ""))
    words = re.sub(r"[ \u2028]*\u2029[\s\u2028\u2029]*", "\n\n", words)
    words = re.sub(r" *\u2028[ \u2028]*", " | ", words)
    return Content(words.strip(), title, headings)
