"""What is cited tells its title, place, quote, date and address, in every rendering."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from halubot import check
from halubot.evidence.knowledge.named_bases import InMemory
from halubot.render import items
from halubot.render.html import page
from halubot.render.markdown_report import to_markdown
from halubot.render.terminal import render
from halubot.report import Report, Source
from tests.knowledge import KELLAN, article

ADDRESS = "https://en.wikipedia.org/w/index.php?title=Kellan_Bridge&oldid=17"


def report(location: str = ADDRESS, title: str = "Kellan Bridge") -> Report:
    source = article(title, KELLAN, place="section History", location=location, date="2026-03-01")
    return check(KELLAN.replace("1931", "1932"), knowledge=[InMemory("bridges", [source])])


def shown(made: Report) -> str:
    console = Console(width=100, color_system=None)
    with console.capture() as capture:
        console.print(render(made))
    return capture.get()


def flat(text: str) -> str:
    return " ".join(text.split())


def test_the_terminal() -> None:
    cited = "“The Kellan Bridge was opened in 1931.” — Kellan Bridge, section History, 2026-03-01,"
    lines = flat(shown(report()))
    assert cited in lines
    assert ADDRESS in lines.replace(" ", "")
    assert "The passage says 1931" in lines
    assert "1 passage" in lines


def test_markdown_has_an_address_that_can_be_followed() -> None:
    cited = f"— Kellan Bridge, section History, 2026-03-01, <{ADDRESS}>"
    assert cited in to_markdown(report())


def test_html_links_to_it() -> None:
    markup = page(report())
    link = f'<a href="{ADDRESS.replace("&", "&amp;")}" rel="noreferrer">'
    assert f"<cite>Kellan Bridge, section History, 2026-03-01, {link}" in markup
    assert "K passages of knowledge" in markup
    assert ">K1</th>" in markup


@pytest.mark.parametrize(
    "location",
    [
        "javascript:alert(1)",
        "https://x.org/<img src=x>",
        'https://x.org/" onclick="x',
        "https://x.org/a b",
        "https://user@x.org/",
        "https://x.org/)[@everyone](x",
        "file:///etc/passwd",
        "wiki.zim#A/Ada",
        "/home/ada/notes.md",
    ],
)
def test_nothing_else_is_a_link(location: str) -> None:
    made = report(location)
    assert items.address(location) is None
    assert "<a href=" not in re.sub(r'<a class="key[^>]*>', "", page(made))
    assert f"<{location}>" not in to_markdown(made)
    assert flat(location).split()[0] in flat(shown(made)).replace("\n", "")


@given(st.text())
def test_an_address_holds_nothing_that_ends_a_link(text: str) -> None:
    for location in (text, f"https://x.org/{text}"):
        found = items.address(location)
        assert found is None or not set(found) & set("<>\"' \n\r\t@`*[]\\|")


def test_a_place_that_is_the_title_is_said_once() -> None:
    made = report(title="History")
    assert items.citation(made.sources[0], made) == "History, 2026-03-01"


def test_a_passage_without_a_title_has_a_number() -> None:
    made = check(KELLAN, knowledge=[InMemory("bridges", [KELLAN])])
    assert items.citation(made.sources[0], made) == "passage 1"


def test_the_file_of_a_reference_is_not_repeated() -> None:
    source = Source(id="r1", kind="reference", title="notes.txt", location="/a/notes.txt")
    assert items.location(source) == ""
    assert items.location(source.model_copy(update={"kind": "knowledge"})) == "/a/notes.txt"
