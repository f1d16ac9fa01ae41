"""Canaries: known answers, the same each time, cheap, and no fact that is asked about."""

from __future__ import annotations

import pytest

from halubot.methods.calls.canaries import LONGEST, Canary, plant
from halubot.methods.calls.citation import number_sentences
from halubot.methods.calls.talk import Fields, Talk
from halubot.methods.calls.verification import FACT
from halubot.models.budget import most_tokens
from halubot.models.model import Request
from halubot.models.panel import Panel
from halubot.models.structured import schema_of_each
from halubot.testing import ScriptedModel
from halubot_prompts import Plain

SOURCE = (
    "Ada Lovelace was born in London in 1815. She wrote notes on the Analytical Engine. Her"
    " mentor was Mary Somerville. She died in 1852 and was buried in Hucknall."
)
FACTS = [
    f"Ada Lovelace | wrote | the long letter number {number} to a friend" for number in range(26)
]


def canaries(source: str, facts: list[str]) -> list[Canary]:
    return [one for one in plant(source, facts) if isinstance(one, Canary)]


def test_the_same_call_has_the_same_canaries() -> None:
    assert plant(SOURCE, FACTS) == plant(SOURCE, FACTS)
    assert plant(SOURCE, FACTS) != plant(SOURCE, FACTS[:-1])
    assert [one for one in plant(SOURCE, FACTS) if isinstance(one, int)] == [*range(26)]


@pytest.mark.parametrize("number", range(12))
def test_one_is_quoted_one_exchanged_and_one_about_something_else(number: int) -> None:
    found = canaries(SOURCE, FACTS[: number + 1])
    assert sorted(one.right for one in found) == [False, False, True]
    (right,) = (one.text for one in found if one.right)
    assert all(word in SOURCE for word in right.replace(" | ", " ").split())
    for one in found:
        assert len(one.text) <= LONGEST + 40
        assert one.text not in FACTS
        if not one.right:
            assert any(word.strip("|") not in SOURCE for word in one.text.split())


def test_canaries_stand_in_other_places_in_other_calls() -> None:
    places = {
        at
        for number in range(20)
        for at, one in enumerate(plant(f"{SOURCE} It was {1900 + number}.", FACTS))
        if isinstance(one, Canary)
    }
    assert len(places) > 15


@pytest.mark.parametrize("source", ["", "Yes.", "?!", "阿达·洛芙莱斯1815年生于伦敦。"])
def test_a_source_of_which_little_can_be_read_has_fewer(source: str) -> None:
    found = canaries(source, FACTS)
    assert 1 <= len(found) <= 3
    assert any(not one.right for one in found)


@pytest.mark.parametrize(("facts", "bar"), [(26, 0.10), (8, 0.25)])
def test_they_cost_little(facts: int, bar: float) -> None:
    """In prompt, schema and answer, a sample of 80 words."""
    model = ScriptedModel(lambda request: "")
    talk = Talk(Panel(answer=model, judge=model), lambda event: None)
    source = f"{SOURCE} {'The rest of it tells of other things in other words. ' * 5}"

    def tokens(shown: dict[int, str]) -> int:
        sentences = number_sentences(source)
        fields: Fields = {
            "form": Plain(FACT.form(shown.values())),
            "kind": Plain("another answer"),
            "facts": shown,
            "source": {**sentences},
        }
        schema = schema_of_each(FACT.shape(len(sentences)), tuple(shown))
        request = Request(talk.messages("verify-facts", fields), schema=schema)
        return most_tokens(request).prompt + 9 * len(shown)

    texts = FACTS[:facts]
    placed = plant(source, texts)
    bare = tokens(dict(enumerate(texts)))
    full = tokens(
        {at: one.text if isinstance(one, Canary) else texts[one] for at, one in enumerate(placed)}
    )
    assert full - bare <= bar * bare
