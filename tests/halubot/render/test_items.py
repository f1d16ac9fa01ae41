"""What is cited tells its title, place, quote, date and address, in every rendering."""

from __future__ import annotations

import re
from collections.abc import Callable

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
from halubot.report import Evidence, Fact, Report, Sentence, Source, Threshold, Triple
from halubot.verdicts import UNDECIDED, UNSPOKEN
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
    assert items.web_address(location) is None
    assert "<a href=" not in re.sub(r'<a class="key[^>]*>', "", page(made))
    assert f"<{location}>" not in to_markdown(made)
    assert flat(location).split()[0] in flat(shown(made)).replace("\n", "")


@given(st.text())
def test_an_address_holds_nothing_that_ends_a_link(text: str) -> None:
    for location in (text, f"https://x.org/{text}"):
        found = items.web_address(location)
        assert found is None or not set(found) & set("<>\"' \n\r\t@`*[]\\|")


@pytest.mark.parametrize("draw", [to_markdown, page, shown])
def test_what_is_rather_wrong_is_listed_before_the_rest_that_is_not_checked(
    draw: Callable[[Report], str],
) -> None:
    text = "Ada was tall. Ada was old. Ada was rich. Ada was ill."
    spans = [(found.start(), found.end()) for found in re.finditer(r"Ada[^.]*\.", text)]
    against = Evidence(source="s1", stance="contradicts", quote="Ada was poor.")
    facts = [
        Fact(
            index=at,
            triple=Triple("Ada", "was", text[start + 8 : end - 1]),
            sentences=(at,),
            spans=((start, end),),
            score=score,
            reason=reason,
            evidence=evidence,
        )
        for at, ((start, end), score, reason, evidence) in enumerate(
            zip(
                spans,
                (0.3, 0.9, 0.2, 0.6),
                (UNDECIDED, UNSPOKEN, UNDECIDED, UNDECIDED),
                ((), (), (against,), ()),
                strict=True,
            )
        )
    ]
    made = Report(
        text=text,
        method="consensus",
        engine="0",
        label="consensus",
        threshold=Threshold(value=0.5, fitted_on="a"),
        sources=(Source(id="s1", kind="sample", text="Ada was poor."),),
        sentences=tuple(
            Sentence(index=at, start=start, end=end, facts=(at,))
            for at, (start, end) in enumerate(spans)
        ),
        facts=tuple(facts),
    )
    listed = flat(draw(made)).split("a source may say otherwise; read these first")[1]
    places = [listed.find(f"Ada was {word}") for word in ("rich", "ill", "tall", "old")]
    assert -1 not in places
    assert places == sorted(places)
    assert "Ada was poor." in listed
