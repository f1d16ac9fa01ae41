"""What sources have beside the entries of a report: what is near, marked and offered."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from halubot.correction.alternatives import find_beside
from halubot.correction.suggestions import Beside, telling_part
from halubot.events import fold
from halubot.evidence import text_source
from halubot.render.items import listing
from halubot.report import Evidence
from halubot_tui.corrections import entry_key
from tests.halubot_tui.canned import events_of

if TYPE_CHECKING:
    import pytest


def test_the_nearest_sentences_of_sources_are_found() -> None:
    text = "The moon is green. Xyzzy. The grey moon has 3 rings."
    told = (
        "# The moon\n\nThe moon is grey. The moon has 5 rings.",
        "Notes on the green moon\n\nNothing of it.",
    )
    sources = [text_source(one, "reference", n) for n, one in enumerate(told, start=1)]
    report = fold(events_of(text, sources))
    found = {entry_key(entry): beside for entry, beside in find_beside(report)}
    assert found["f0"].near[0] == ("r1", "The moon is grey.")
    assert found["f1"] == Beside()
    assert found["f2"].values == ("5",)
    assert text[slice(*found["f2"].place or (0, 0))] == "3"
    quoted = {words for beside in found.values() for _, words in beside.near}
    assert not quoted & {"The moon", "Notes on the green moon"}


def beside(text: str, *sources: str, **judged: Any) -> Beside:
    """What sources have beside the only fact of a text, which is judged so."""
    given = [text_source(one, "reference", n) for n, one in enumerate(sources, start=1)]
    report = fold(events_of(text, given))
    (fact,) = report.facts
    against = [
        Evidence(source="r1", stance="contradicts", end=len(sources[0]), quote=sources[0], **judged)
    ]
    words = fact.model_copy(
        update={
            "evidence": tuple(against) if judged else (),
            "verdict": "contradicted" if judged else "not_checked",
            "spans": ((0, len(text) - 1),),
        }
    )
    ((_, found),) = find_beside(report.model_copy(update={"facts": (words,)}))
    return found


def marked(text: str, found: Beside) -> str:
    """The words of a text that are marked."""
    return text[slice(*found.place or (0, 0))]


def test_a_word_of_opposite_meaning_is_marked_with_the_one_of_the_quote() -> None:
    text = "The ash raised the average temperature."
    found = beside(text, "The eruption lowered the average temperature.", value="lowered")
    assert (marked(text, found), found.values) == ("raised", ("lowered",))


def test_the_sentence_that_decides_comes_before_one_with_more_of_the_words(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("HALUBOT_VERIFIER")
    text = "Only three of the men who had stayed behind died."
    first = "After months on drifting ice the party took to three boats and landed in April."
    near = f"{first} Not one of them had died."
    assert beside(text, near).near[0][1] == "Not one of them had died."


def test_of_a_long_quote_the_sentence_that_says_it_is_shown() -> None:
    told = "A policeman on Rodrigues reported the roar of guns."
    long = f"In the strait stands what is left of it. {told} The island was gone."
    entry = listing(fold(events_of("The blast was heard on Rodrigues.", [])))[0]
    assert telling_part(long, entry, None, 80) == told
    assert telling_part(long, entry, "gone", 80) == "The island was gone."
    assert telling_part(long, entry, None, 200) == long
