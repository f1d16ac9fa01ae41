"""The text of an HTML page, paragraph by paragraph, without what surrounds it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from selectolax.lexbor import LexborHTMLParser, LexborNode, SelectolaxError

from halubot.text import word_set
from halubot.text.files import Content
from halubot.text.files.encodings import decode

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
# ARIA landmarks, which pages use that do not use the elements of HTML 5; and what readers wrote, by
# ARIA, by schema.org, and by the elements of services.
_AROUND_BY_ROLE = ", ".join(
    (
        "[role=navigation]", "[role=banner]", "[role=contentinfo]", "[role=search]",
        "[role=complementary]", "[role=menu]", "[role=menubar]", "[role=toolbar]", "[role=dialog]",
        "[role=alertdialog]", "[aria-modal=true]", "[aria-label*=cookie i]",
        "[role=comment]", "[itemprop=comment]", "[itemtype$='schema.org/Comment']",
        "[itemtype$='schema.org/UserComments']", "[aria-label=comments i]",
        "[aria-label$=' comments' i]", "[aria-label^='comments ' i]", "[data-testid^=comments i]",
        "coral-comments", "user-comments", "hyvor-talk-comments", "giscus-widget",
    )
)  # fmt: skip
_HIDDEN = "[hidden], dialog:not([open])"
_UNSEEN = re.compile(
    r"(?:^|;)\s{0,9}(?:display\s{0,9}:\s{0,9}none|visibility\s{0,9}:\s{0,9}hidden)", re.I
)
_NAME_PART = re.compile(r"[a-z]+")
_ALWAYS = word_set(
    "cookie cookies consent gdpr advert advertisement navbox sponsored paywall taboola outbrain"
    # What asks for consent on most pages.
    " adsbygoogle onetrust usercentrics didomi iubenda osano cky cmp truste evidon datenschutz"
)
_IF_SHORT = word_set(
    "nav navbar topnav breadcrumb breadcrumbs footer newsletter subscribe pagination pager masthead"
    " topbar copyright skip"
)
_IF_LINKS = _IF_SHORT | word_set(
    "navigation menu submenu sidebar promo share sharing social related recommended"
)
"""Words in the names of classes and ids. Most mean boilerplate only if the element is short too, or
mostly links: "related" may be a section of a paper, and a menu that of a restaurant."""
_WHERE = "(?:(?:site|page|global|main|app|web|layout|left|right|primary|secondary|l|c|js)-)?"
_PART = (
    "(?:-(?:wrapper|container|inner|area|widgets?|content|box|bottom|top|left|right|main|list))*"
)
_FOOTER = re.compile(rf"{_WHERE}(?:footer|colophon){_PART}")
_BESIDE = re.compile(
    rf"{_WHERE}(?:sidebar|newsletter|modal|popup|pop-up|lightbox){_PART}"
    r"|(?:mega|main|nav|site|top|mobile|side|dropdown)-?menu"
    r"|(?:privacy|legal)-(?:banner|bar|popup|notice|modal)|(?:cc-window|sp-message|qc-cmp)\b.{0,30}"
    r"|(?:newsletter|subscribe|subscription|signup)-(?:sign-?up|form|box|banner|prompt)"
    r"|(?:ads?|adverts?)-(?:slot|unit|box|banner|container|wrapper)s?"
    r"|(?:related|recommended|similar|popular|trending|latest|more|other|top)"
    r"-(?:articles?|posts?|story|stories|content|news|links?|topics?|videos?|products?)"
    rf"{_PART}|(?:you-may-also-like|most-read|most-popular|read-next|up-next|recommendations){_PART}"
)
"""Whole names of elements that stand around a text, however much they say."""
# What readers wrote below a text is no part of it. The names are those that trafilatura goes by,
# and what WordPress, Disqus, other services and schema.org write. "comments-open" may be a class of
# the page.
_COMMENTS = re.compile(
    r"(?!(?:no|has|have|with|without|show|hide|allow|enable|disable|skip)[-_])"
    r"(?:[a-z\d]{1,14}[-_]+){0,2}comments?"
    r"(?:$|[-_]+(?!open|closed|enabled|disabled|allowed|on\b|off\b)|list|area|section|box|thread|form)"
    r"|(?:disqus|dsq)(?:$|[-_])|respond$"
    r"|(?:coral|livefyre|spotim|spot-im|viafoura|hyvor|giscus|utterances|remark42|commento)(?:$|[-_])"
    r"|(?:[a-z\d]{1,14}[-_]+){0,2}(?:(?:leser)?kommentare?(?:liste)?|commentaires?|comentarios?"
    r"|commenti|reacties|guestbook)(?:$|[-_])",
    re.IGNORECASE,
)
# A bare "Comments" may be a chapter of a manual.
_COMMENTS_HEADING = re.compile(
    r"(?:\d[\d.,]*\s+(?:comments?|responses?|replies|kommentare?|commentaires?|comentarios?)\b.{0,150}"
    r"|(?:comments?|kommentare?|commentaires?|comentarios?)\s*\(\d[\d.,]*\)"
    r"|leave a (?:reply|comment)|(?:reader|user)s?['’]? comments"
    r"|join the (?:conversation|discussion))\W*",
    re.IGNORECASE,
)
_HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
_COPYRIGHT = re.compile(
    r"(?:(?:copyright\s*)?(?:©|\(c\))|copyright\s+\d{4}).*|.*\ball rights reserved\b\W*",
    re.IGNORECASE | re.DOTALL,
)
_LAST = 3
"""Paragraphs at the end of a page that may say whose it is."""
_CAMEL = re.compile(r"(?<=[a-z])(?=[A-Z])")
_CONTAINERS = word_set("div section ul ol li dl article aside table form details p")
_SHORT = 200
_MANY_LINKS = 0.5
_MOST_SIDEBAR = 0.5
"""The share of a page's text from which an element is no sidebar, whatever its name."""
_ALL_LINKS = 0.8
_LINKS_OF_A_MENU = 3
_LEVELS = 4
"""Elements above a link that may be a menu of links."""
_MENUS = word_set("div section table p span dl center ul ol tr")
_LEAST_MAIN = 0.25
_LEAST_ARTICLE = 0.5
"""The share of a page's text below which its main element is not believed, or its only article."""
_LEAST_LEFT = 0.05
_BREAK = "\u2029"  # stands for the end of a block until white space has been squeezed
_CELL = "\u2028"
_UNWANTED = str.maketrans({_BREAK: " ", _CELL: " ", "\u00ad": None, "\u200b": None})
_CLOSED_AT_ONCE = re.compile(
    r"<(title|script|style|textarea|iframe|select)\b([^<>]{0,500})/>", re.IGNORECASE
)


def read(data: bytes, request: dict[str, Any]) -> Content:
    """Return the content of an HTML page, in the character set that it declares in its first 4 KB
    if it is no UTF-8."""
    found = _CHARSET.search(data[:4096])
    declared = found[1].decode("ascii", "replace") if found else None
    try:
        return extract(decode(data, "it", declared=declared))
    except SelectolaxError as error:  # it accepts any page: what it lacked was memory
        raise MemoryError from error


def extract(page: str) -> Content:
    """Return the content of an HTML page. Blocks are parted by blank lines, table cells by `` | ``.
    Navigation, headers, footers, asides and scripts are left out, and what is boilerplate by its
    role, by its name, or because it is all links. A page whose text stands only in those has none.
    """
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
    return Content(_without_copyright(_text(_main(tree))), title, headings)


def _find_boilerplate(tree: LexborHTMLParser) -> Iterator[LexborNode]:
    """Yield what nobody sees, and what stands around the text of a page by its role, by the words
    of its class or id, or because it is all links: a menu would pass for evidence."""
    length = _length(tree.body)
    for node in (*tree.css(_HIDDEN), *tree.css("[style]")):
        unseen = _UNSEEN.search(node.attributes.get("style") or "") or node.css_matches(_HIDDEN)
        if unseen and node.tag not in ("html", "body"):
            yield node
    for node in tree.css(_AROUND_BY_ROLE):
        if not _holds_title(node):
            yield node
    for node in tree.css("[class], [id]"):
        if not _holds_title(node) and _is_named_so(node, length):
            yield node
    for node in _many_links(tree):
        if _link_share(node) >= _ALL_LINKS:
            yield node
    for heading in tree.css("h2, h3, h4, h5"):
        if _COMMENTS_HEADING.fullmatch(heading.text().strip()):
            yield from _section_of(heading)


def _is_named_so(node: LexborNode, length: int) -> bool:
    """Return True if an element stands around a text of this ``length`` by the names of its classes
    and its id."""
    named = f"{node.attributes.get('class') or ''} {node.attributes.get('id') or ''}"
    names = [name.replace("_", "-").lower() for name in _CAMEL.sub("-", named).split()]
    # In listings of code a "comment" is a few words, so only elements that hold others count.
    holds = node.tag in _CONTAINERS or "-" in (node.tag or "")
    if (holds and any(map(_COMMENTS.match, names))) or any(map(_FOOTER.fullmatch, names)):
        return True
    if any(map(_BESIDE.fullmatch, names)):
        return _length(node) < _MOST_SIDEBAR * length
    words = {word for name in names for word in _NAME_PART.findall(name)}
    if node.tag == "article" or not words:
        return False
    # Such as "cookienotice".
    if words & _ALWAYS or any("cookie" in word for word in words):
        return True
    short = bool(words & _IF_SHORT) and _length(node) <= _SHORT
    return short or (bool(words & _IF_LINKS) and _link_share(node) >= _MANY_LINKS)


def _many_links(tree: LexborHTMLParser) -> list[LexborNode]:
    """Return the elements that may be a menu: with some links, not far above them."""
    above: dict[int, tuple[LexborNode, int]] = {}
    for link in tree.css("a"):
        node = link.parent
        for _ in range(_LEVELS):
            if node is None:
                break
            above[node.mem_id] = (node, above.get(node.mem_id, (node, 0))[1] + 1)
            node = node.parent
    return [
        node
        for node, links in above.values()
        if links >= _LINKS_OF_A_MENU and (node.tag in _MENUS or "-" in (node.tag or ""))
    ]


def _section_of(heading: LexborNode) -> Iterator[LexborNode]:
    """Yield what stands under a heading: the element that it begins, else what follows until the
    next heading of its level."""
    above, before = heading.parent, heading.prev
    while before is not None and not (before.text() or "").strip():
        before = before.prev
    if before is None and above is not None and not _holds_title(above):
        yield above
        return
    node: LexborNode | None = heading
    while node is not None:
        if node.tag not in ("-text", "_comment"):
            yield node
        node = node.next
        if node is not None and node.tag in _HEADINGS and node.tag <= (heading.tag or ""):
            return


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
    """Return the main element of a page, or the article with its only title, if it has a fair part
    of the text; else its body."""
    mains = tree.css("main, [role=main]")
    if len(mains) == 1 and _length(mains[0]) >= _LEAST_MAIN * _length(tree.body):
        return mains[0]
    articles = [one for one in tree.css("article") if one.css_first("h1") is not None]
    alone = not mains and len(articles) == 1 and len(tree.css("h1")) == 1
    if alone and _length(articles[0]) >= _LEAST_ARTICLE * _length(tree.body):
        return articles[0]
    return tree.body


def _without_copyright(text: str) -> str:
    """Return the text of a page without the last paragraphs if they say whose it is."""
    paragraphs = text.split("\n\n")
    for place in range(len(paragraphs) - 1, max(0, len(paragraphs) - 1 - _LAST), -1):
        if len(paragraphs[place]) <= _SHORT and _COPYRIGHT.fullmatch(paragraphs[place]):
            del paragraphs[place]
    return "\n\n".join(paragraphs)


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
