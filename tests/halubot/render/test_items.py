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
from halubot.report import Report
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


def test_markdown_has_an_address_that_can_be_followed() -> None:
    cited = f"— Kellan Bridge, section History, 2026-03-01, <{ADDRESS}>"
    assert cited in to_markdown(report())


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
