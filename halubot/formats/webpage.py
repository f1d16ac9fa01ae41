"""The text of an HTML page, paragraph by paragraph, without what surrounds it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from halubot.formats.protocol import Content

if TYPE_CHECKING:
    from selectolax.lexbor import LexborHTMLParser, LexborNode

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
# ARIA landmarks, which pages use that do not use the elements of HTML 5.
_ROLES = ", ".join(
    f"[role={role}]"
    for role in (
        *("navigation", "banner", "contentinfo", "search", "complementary", "menu", "menubar"),
        *("dialog", "alertdialog", "toolbar"),
    )
)
_HIDDEN = "[hidden], dialog:not([open])"
_UNSEEN = re.compile(
    r"(?:^|;)\s{0,9}(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden)", re.I
)
_NAME_PART = re.compile(r"[a-z]+")
_ALWAYS = frozenset({"cookie", "cookies", "consent", "gdpr", "advert", "advertisement", "navbox"})
_IF_SHORT = frozenset(
    {
        *("nav", "navbar", "breadcrumb", "breadcrumbs", "footer", "newsletter", "subscribe"),
        *("pagination", "pager", "masthead", "topbar", "copyright"),
    }
)
_IF_LINKS = _IF_SHORT | {
    *("navigation", "menu", "submenu", "sidebar", "sponsored", "promo", "share", "sharing"),
    *("social", "related", "recommended"),
}
"""Words in the names of classes and ids. Most mean boilerplate only if the element is short too, or
mostly links: "related" may be a section of a paper, and a menu that of a restaurant."""
# What readers wrote below a text is no part of it. The names are those that trafilatura goes by,
# and what WordPress, Disqus and schema.org write. "comments-open" may be a class of the page.
_COMMENTS = re.compile(
    r"(?!(?:no|has|have|with|without|show|hide|allow|enable|disable|skip)[-_])"
    r"(?:[a-z\d]{1,14}[-_]+){0,2}comments?"
    r"(?:$|[-_]+(?!open|closed|enabled|disabled|allowed|on\b|off\b)|list|area|section|box|thread|form)"
    r"|(?:disqus|dsq)(?:$|[-_])|respond$",
    re.IGNORECASE,
)
_COMMENTED = ", ".join(
    (
        *("[role=comment]", "[itemprop=comment]", "[itemtype$='schema.org/Comment']"),
        *("[itemtype$='schema.org/UserComments']", "[aria-label=comments i]"),
    )
)
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_CONTAINERS = frozenset(
    {"div", "section", "ul", "ol", "li", "dl", "article", "aside", "table", "form"}
)
_SHORT = 200
_MANY_LINKS = 0.5
_ALL_LINKS = 0.9
_LINKS_OF_A_MENU = 3
_LEAST_MAIN = 0.25
"""The share of a page's text below which its main element is not believed."""
_LEAST_LEFT = 0.05
_BREAK = "\u2029"  # stands for the end of a block until white space has been squeezed
_CELL = "\u2028"
_UNWANTED = str.maketrans({_BREAK: " ", _CELL: " ", "\u00ad": None, "\u200b": None})
_CLOSED_AT_ONCE = re.compile(
    r"<(title|script|style|textarea|iframe|select)\b([^<>]{0,500})/>", re.IGNORECASE
)


def charset(data: bytes) -> str | None:
    """The character set that a page declares in its first 4 KB, None if it does not."""
    found = _CHARSET.search(data[:4096])
    return found[1].decode("ascii", "replace") if found else None


def extract(page: str) -> Content:
    """Return the content of an HTML page. Blocks are parted by blank lines, table cells by `` | ``.
    Navigation, headers, footers, asides and scripts are left out, and what is boilerplate by its
    role, by its name, or because it is all links. A page whose text stands only in those has none.
    """
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
    before = _length(tree.body)
    for node in _outermost(_find_boilerplate(tree)):
        node.decompose()
    if _length(tree.body) < _LEAST_LEFT * before:
        # The names of its parts mislead: better too much than nothing.
        tree = LexborHTMLParser(page)
        tree.strip_tags(list(_AROUND))
    return Content(_text(_main(tree)), title, headings)


def _find_boilerplate(tree: LexborHTMLParser) -> Iterator[LexborNode]:
    """Yield what nobody sees, and what stands around the text of a page by its role, by the words
    of its class or id, or because it is all links: a menu would pass for evidence."""
    for node in (*tree.css(_HIDDEN), *tree.css("[style]")):
        unseen = _UNSEEN.search(node.attributes.get("style") or "") or node.css_matches(_HIDDEN)
        if unseen and node.tag not in ("html", "body"):
            yield node
    for node in tree.css(_ROLES):
        if not _holds_main(node):
            yield node
    for node in tree.css(_COMMENTED):
        if not _holds_title(node):
            yield node
    for node in tree.css("[class], [id]"):
        if _is_comment(node):
            yield node
            continue
        names = f"{node.attributes.get('class') or ''} {node.attributes.get('id') or ''}"
        words = set(_NAME_PART.findall(names.lower()))
        if not words & (_ALWAYS | _IF_LINKS) or _holds_main(node):
            continue
        short = bool(words & _IF_SHORT) and _length(node) <= _SHORT
        if words & _ALWAYS or short or _link_share(node) >= _MANY_LINKS:
            yield node
    for node in tree.css("ul, ol"):
        if len(node.css("a")) >= _LINKS_OF_A_MENU and _link_share(node) >= _ALL_LINKS:
            yield node


def _outermost(found: Iterable[LexborNode]) -> list[LexborNode]:
    """Return the nodes that are in none of the others, each once: what is in one is freed with it,
    and must not be touched again."""
    nodes = {node.mem_id: node for node in found}
    kept = []
    for node in nodes.values():
        above = node.parent
        while above is not None and above.mem_id not in nodes:
            above = above.parent
        if above is None:
            kept.append(node)
    return kept


def _main(tree: LexborHTMLParser) -> LexborNode | None:
    """Return the main element of a page if it has a fair part of the text, else its body."""
    mains = tree.css("main, [role=main]")
    believed = len(mains) == 1 and _length(mains[0]) >= _LEAST_MAIN * _length(tree.body)
    return mains[0] if believed else tree.body


def _holds_main(node: LexborNode) -> bool:
    own = node.tag in ("html", "body", "main", "article", "h1")
    return own or node.css_first("main, article, h1") is not None


def _is_comment(node: LexborNode) -> bool:
    """Return whether an element holds what readers wrote, by its names. In listings of code a
    "comment" is a few words, so only elements that hold others count."""
    if node.tag not in _CONTAINERS:
        return False
    names = f"{node.attributes.get('class') or ''} {node.attributes.get('id') or ''}".split()
    if not any(_COMMENTS.match(_CAMEL.sub("-", name)) for name in names):
        return False
    return not _holds_title(node)


def _holds_title(node: LexborNode) -> bool:
    return node.tag in ("html", "body", "main") or node.css_first("main, h1") is not None


def _length(node: LexborNode | None) -> int:
    return len(node.text().strip()) if node is not None else 0


def _link_share(node: LexborNode) -> float:
    """Return how much of the text of an element is links."""
    return sum(_length(link) for link in node.css("a")) / max(1, _length(node))


def _text(root: LexborNode | None) -> str:
    """Return the text below an element, block by block."""
    if root is None:
        return ""
    for node in root.css("td > p:only-child, th > p:only-child"):
        node.unwrap()  # a cell of one paragraph is still a cell
    for node in root.css(_BLOCKS):
        node.insert_before(_BREAK)
        node.insert_after(_BREAK)
    for node in root.css("td, th"):
        node.insert_after(_CELL)
    words = re.sub(r"[^\S\u2028\u2029]+", " ", root.text().replace("\u00ad", ""))
    words = re.sub(r"[ \u2028]*\u2029[\s\u2028\u2029]*", "\n\n", words)
    words = re.sub(r" *\u2028[ \u2028]*", " | ", words)
    return words.strip()
