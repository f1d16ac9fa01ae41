"""What a judge is shown of references as one text."""

from __future__ import annotations

import pytest

from halubot.evidence import text_source
from halubot.evidence.context import LONGEST, NO_CONTEXT, Contexts, excerpt
from halubot.report import Source

BRIDGE = "The Kellan Bridge links Osby and Varn. It was opened in 1931."
FILLER = [f"Paragraph {n} tells of wool, salt and rain in the valley." for n in range(400)]


def references(*texts: str) -> list[Source]:
    return [text_source(text, "reference", n) for n, text in enumerate(texts, 1)]


def test_one_short_reference_is_shown_as_it_is() -> None:
    (source,) = references(BRIDGE)
    context = Contexts([source]).of(["When?"])
    assert context.text == BRIDGE
    assert context.parts == ((source, 0, len(BRIDGE)),)


def test_without_references_it_is_empty() -> None:
    assert Contexts([]).of(["When?"]) == NO_CONTEXT
    assert Contexts(references("  \n ")).of(["When?"]) == NO_CONTEXT
    assert Contexts([]).length == 0


def test_of_long_references_the_nearest_passages_are_shown_in_their_order() -> None:
    first = " ".join([*FILLER[:200], "Varn has a mint.", *FILLER[200:]])
    second = " ".join([*FILLER, BRIDGE])
    contexts = Contexts(references(first, second))
    assert contexts.length == len(first) + len(second)
    wanted = ["When was the Kellan Bridge opened?", "Is there a mint in Varn?"]
    context = contexts.of(wanted, 3000)
    assert len(context.text) <= 3000 + len("reference 1\n\n\nreference 2\n")
    assert BRIDGE in context.text
    assert "Varn has a mint." in context.text
    assert context.text.index("mint") < context.text.index("Kellan")
    assert "\n[...]\n" in context.text
    assert list(context.parts) == sorted(context.parts, key=lambda part: (part.source.id, part[1]))
    for source, start, end in context.parts:
        assert (source.text or "")[start:end] in context.text
    assert contexts.of(wanted, 3000) is context


@pytest.mark.parametrize(
    ("quote", "found"),
    [
        ("It was opened in 1931.", "It was opened in 1931."),
        ("it was\n opened  IN 1931", "It was opened in 1931"),
        ("It was opened in 1932.", None),
        (" ", None),
        ("[a-z]+ (.*", None),
    ],
)
def test_the_place_of_a_quote(quote: str, found: str | None) -> None:
    context = Contexts(references("Nothing.", BRIDGE)).of([])
    place = context.find(quote)
    if place is None:
        assert found is None
        return
    assert place.source.id == "r2"
    assert BRIDGE[place.start : place.end] == found


def test_an_excerpt_goes_on_where_two_things_want_the_same_passages() -> None:
    filler = "Quiet rivers passed many stones on their slow way down to a distant sea. " * 9
    first, second, third = (
        "Alpha met gamma. ",
        "Beta met delta. ",
        "Later alpha came alone. ",
    )
    text = "".join(f"{one}{filler}\n\n{filler * 15}\n\n" for one in (first, second, third))
    assert len(text) > LONGEST
    shown = excerpt(text, ["alpha gamma beta", "beta delta alpha"]).text
    assert all(one.strip() in shown for one in (first, second, third))
