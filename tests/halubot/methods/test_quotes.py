"""Evidence of a judge's stance: the quote is the source's own, exactly."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from halubot import check
from halubot.claims import extract
from halubot.methods.quotes import Quotes
from halubot.report import Evidence, Source, Stance
from halubot.text import read

MESSAGE = read("Ada Weir was born in Ulm in 1828. She wrote a treatise on tuning forks.")
FACTS = extract(MESSAGE)
BORN = next(fact.index for fact in FACTS if fact.triple.tail == "1828")
WROTE = next(fact.index for fact in FACTS if "treatise" in fact.triple.tail)
QUOTES = Quotes(MESSAGE, FACTS, None)


def evidence(text: str | None, index: int, stance: Stance) -> Evidence:
    source = Source(id="s1", kind="sample", text=text)
    return QUOTES.evidence(source, {index: stance})[index]


def test_the_place_and_the_rival_value_of_the_comparison() -> None:
    text = "She lived long. Ada Weir was born in Ulm in 1829."
    found = evidence(text, BORN, "contradicts")
    assert (found.stance, found.value) == ("contradicts", "1829")
    assert found.quote == text[found.start : found.end] == "Ada Weir was born in Ulm in 1829."
    assert found.note == "the judge: contradicts"


def test_the_sentence_with_most_of_its_words_where_the_comparison_has_no_place() -> None:
    text = "Nobody knows her. Of tuning forks Weir had much to tell in print. The end."
    found = evidence(text, WROTE, "supports")
    assert found.quote == "Of tuning forks Weir had much to tell in print."
    assert found.value is None
    # The comparison contradicts and the judge supports: the judge's word, without a rival value.
    found = evidence("Ada Weir was born in Ulm in 1829.", BORN, "supports")
    assert (found.stance, found.value) == ("supports", None)
    assert found.quote == "Ada Weir was born in Ulm in 1829."


def test_no_quote_where_there_is_none() -> None:
    silent = Evidence(source="s1", stance="silent")
    assert evidence("Ada Weir was born in Ulm in 1829.", BORN, "silent") == silent
    for text in ("", None, "東京。", "Nothing else."):
        found = evidence(text, BORN, "supports")
        assert (found.stance, found.start, found.end, found.quote) == ("supports", 0, 0, "")


@given(
    st.lists(st.text(max_size=12) | st.sampled_from(["Ada", "1828.", "Weir", "Ulm"]), max_size=12),
    st.sampled_from(["supports", "contradicts", "silent"]),
)
def test_a_quote_is_the_text_at_its_place(pieces: list[str], stance: Stance) -> None:
    text = read(" ".join(pieces)).text
    for index in (BORN, WROTE):
        found = evidence(text, index, stance)
        assert found.stance == stance
        assert found.quote == text[found.start : found.end]
        assert not (stance == "silent" and found.quote)


def test_the_quote_that_says_most_in_fewest_words_comes_first() -> None:
    samples = [
        "As I recall it, many otters rest in the kelp, on their backs I think, when night falls.",
        "Otters sleep on their backs in kelp, as every visitor of the aquarium can see at night.",
        "Nobody has seen them asleep.",
        "Otters sleep on their backs in kelp.",
    ]
    report = check("Otters sleep on their backs in kelp.", samples=samples)
    (fact,) = report.facts
    told = [(one.source, one.note) for one in fact.evidence if one.stance == "supports"]
    assert told == [("s4", "says so too"), ("s2", "says so too"), ("s1", "says nearly so")]
