"""Text around the text of a page is no evidence, however the page was made."""

from __future__ import annotations

import pytest

from halubot.text.files.pdf import remove_running_lines
from halubot.text.files.webpage import extract

TEXT = (
    "<h1>The Bridge</h1><p>The Kellan Bridge was opened in 1931 and links Osby to Varn. It was"
    " built by Ohm, who drew each of its nine arches.</p><p>In 1940 it was closed for repairs.</p>"
)
SAID = ("opened in 1931", "closed for repairs")
COOKIES = "<p>We and our 842 partners use cookies since 2018.</p><p>Accept</p>"
COMMENTS = (
    "<p>Bob: I was there, it was opened in 1944!</p><p>Ann: No, in 1955, my father built it.</p>"
)
FOOTER = (
    "<p>Kellan Bridges Ltd, founded in 1902, is registered in England and Wales under number"
    " 1234567. Registered office: 12 High Street, Osby. Member of the Guild of Bridge Owners since"
    " 1877. Reproduction in whole or in part without permission is prohibited.</p>"
)
TEASERS = (
    "<article><h3><a href=x>The Dam</a></h3><p>It was opened in 1954 by the king.</p></article>"
    "<article><h3><a href=x>The Mill</a></h3><p>It stood from 1877 by the river.</p></article>"
)
LINKS = ("Home", "Founded in 1902", "Dams since 1820", "Contact")
LINKED = [f"<a href=/{n}>{name}</a>" for n, name in enumerate(LINKS)]
MENUS = {
    "links in a box": f"<div>{' '.join(LINKED)}</div>",
    "links in boxes": f"<div>{''.join(f'<div><i>{link}</i></div>' for link in LINKED)}</div>",
    "cells": f"<table><tr>{''.join(f'<td>{link}</td>' for link in LINKED)}</tr></table>",
    "a made-up element": f"<site-nav>{' '.join(LINKED)}</site-nav>",
    "with words": f"<div class='mainMenu'>{LINKED[0]}<p>Our dams of 1902</p></div>",
}
NAMES = {
    COOKIES: (
        *("cookieBanner", "cookienotice", "CybotCookiebotDialog", "onetrust-banner-sdk"),
        *("cc-window", "gdprPopup", "didomi-host", "usercentrics-root", "cky-consent-bar"),
        *("qc-cmp2-ui", "datenschutz-hinweis", "privacy-banner"),
    ),
    COMMENTS: (
        *("comments", "readerComments", "comments__container", "Comments_root__x1", "coral-thread"),
        *("spotim-conversation", "hyvor-talk-view", "kommentarliste", "leserkommentare"),
        *("commentaires", "comentarios", "reacties", "livefyre", "disqus_thread", "dsq-comments"),
        *("userCommentList", "CommentSection", "article__comments", "respond"),
    ),
    FOOTER: ("footer", "site-footer", "pageFooter", "footer-wrapper", "l-footer", "colophon"),
    TEASERS: (
        *("related-posts", "relatedPosts", "recommended-articles", "more-stories", "most-read"),
        *("you-may-also-like", "sidebar", "sidebar-right", "newsletter-signup", "ad-slot"),
        *("sponsored-content", "modal", "taboola-below"),
    ),
}
OTHERS = {
    "cookies by ARIA": f"<div aria-label='Cookie consent'>{COOKIES}</div>",
    "a box in front": f"<div aria-modal=true>{COOKIES}</div>",
    "comments by ARIA": f"<section aria-label='User comments'>{COMMENTS}</section>",
    "comments of a service": f"<coral-comments>{COMMENTS}</coral-comments>",
    "comments by their heading": f"<div><h3>2 Comments</h3><div>{COMMENTS}</div></div>",
    "comments to the end": f"<h3>Leave a reply</h3>{COMMENTS}",
    "one comment": "<p class='comment-text'>Bob: it was opened in 1944!</p>",
    "a list of comments": f"<ul class='post-comments'><li>{COMMENTS}</li></ul>",
    "a marked comment": f"<div itemtype='https://schema.org/Comment'>{COMMENTS}</div>",
    "marked comments": f"<div itemtype='http://schema.org/UserComments'>{COMMENTS}</div>",
    "a comment by its role": f"<div role=comment>{COMMENTS}</div>",
    "a form for comments": f"<form id=commentform>{COMMENTS}</form>",
    "a menu by its role": "<div role=navigation><a href=x>Bridges of 1902</a></div>",
    "links to others": "<div class=related><ul><li><a href=q>The Dam, opened in 1954</a></li>"
    "<li><a href=q>The Mill, opened in 1877</a></li></ul></div>",
    "a copyright": "<p>Copyright © 1902-1977 Kellan Ltd.</p><p>All rights reserved.</p>",
}
YEARS = ("842", "1944", "1955", "1902", "1877", "1954", "1820")


def text_with(around: str) -> str:
    """The text of a page with something before and behind what it says."""
    page = f"<html><body class='comments-open'>{around}<div>{TEXT}</div>{around}</body></html>"
    return extract(page).text


@pytest.mark.parametrize("name", MENUS)
def test_menus(name: str) -> None:
    assert_text_alone(text_with(MENUS[name]))


@pytest.mark.parametrize("kind", ["class", "id"])
def test_what_its_name_betrays(kind: str) -> None:
    for inner, names in NAMES.items():
        for name in names:
            assert_text_alone(text_with(f"<div {kind}='x {name}'><div>{inner}</div></div>"), name)


@pytest.mark.parametrize("name", OTHERS)
def test_other_surroundings(name: str) -> None:
    page = f"<html><body><div>{TEXT}</div>{OTHERS[name]}</body></html>"
    assert_text_alone(extract(page).text)


def assert_text_alone(text: str, around: str = "") -> None:
    assert all(said in text for said in SAID), around
    assert not [year for year in YEARS if year in text], around


@pytest.mark.parametrize(
    "kept",
    [
        "<div class=commentary><p>Line 12 was written in 1822.</p></div>",
        "<section id=related-work><h2>Related work</h2><p>Ohm saw it in 1822.</p></section>",
        "<p><a>Ohm</a>, <a>Varn</a> and <a>Osby</a> were named in the act of 1822.</p>",
        "<ul><li><a>Ohm</a>, built in 1822</li><li><a>Karl</a>, new</li><li><a>Lund</a></li></ul>",
        "<table><tr><td><a>Ohm Bridge</a></td><td>1822</td></tr></table>",
        "<div class=menu><h2>Menu</h2><p>Soup of 1822, 12 crowns</p></div>",
        "<section id=discussion><h2>Discussion</h2><p>The results of 1822 hold.</p></section>",
        "<h2>Comments on the act</h2><p>The act of 1822 was praised.</p>",
        "<h2>Comments</h2><p>A comment begins with a sign that was chosen in 1822.</p>",
        "<section class=modal-verbs><p>In 1822 grammarians wrote of can.</p></section>",
        "<section class=survey-responses><p>In 1822, 40 per cent said yes.</p></section>",
        "<p>The Copyright Act of 1822 reserves all rights to its author.</p>",
    ],
)
def test_text_stays_whatever_it_is_called(kept: str) -> None:
    text = extract(f"<html><body><div>{TEXT}</div>{kept}</body></html>").text
    assert "1822" in text
    assert all(said in text for said in SAID)


def pages(count: int, head: str, foot: str) -> list[str]:
    """Pages with lines of their own between those at their edges, in which # is the page."""
    return [
        "\n".join(
            [
                *head.replace("#", str(number)).split("\n"),
                f"Bridge {number * 7} was built in {1800 + number * 3}",
                f"by {number * number + 40} masons from the hills, and",
                *(f"arch {chr(65 + n)} rests on {number * number + n} stones," for n in range(9)),
                f"it was {number * 11} metres long in all.",
                *foot.replace("#", str(number)).split("\n"),
            ]
        )
        for number in range(1, count + 1)
    ]


@pytest.mark.parametrize(
    ("head", "foot"),
    [
        ("Kellan Bridges", "Founded in 1902\n12 High Street, Osby\nGuild member since 1877"),
        ("Report of 1902\nDraft\nFor the council\nNot for sale since 1877", "Page # of 9"),
        ("Kellan | #", "Founded in 1902\nOsby\nCall 1877\nAll rights reserved\n- # -"),
    ],
)
def test_lines_on_each_page_of_a_pdf(head: str, foot: str) -> None:
    for number, page in enumerate(remove_running_lines(pages(9, head, foot)), 1):
        assert page.split("\n")[0] == f"Bridge {number * 7} was built in {1800 + number * 3}"
        assert page.split("\n")[-1] == f"it was {number * 11} metres long in all."
