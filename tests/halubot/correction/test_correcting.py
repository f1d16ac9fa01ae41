"""A text is corrected where its sources agree on better, and nowhere else."""

from __future__ import annotations

import pytest

from halubot import api, correct
from halubot.correction.corrector import (
    IN_MARKUP,
    IN_TABLE,
    NO_AGREEMENT,
    NOT_BORNE_OUT,
    TOO_MUCH,
    OnDoubt,
    make_correction,
    withdraw,
)
from halubot.edits import apply_edits
from halubot.report import Correction, Report


def correction(report: Report) -> Correction:
    assert report.correction is not None
    return report.correction


WRONG = "Ada Lovelace was born in London in 1816. She wrote the first program."
RIGHT = "Ada Lovelace was born in London in 1815. She wrote the first program."


def test_a_value_gives_way_to_the_one_most_samples_have() -> None:
    made = correction(correct(WRONG, samples=[RIGHT] * 4 + [WRONG]))
    assert made.text == RIGHT
    (edit,) = made.edits
    assert (edit.before, edit.after, edit.action) == ("1816", "1815", "changed")
    assert edit.sentence == 0
    assert made.report is not None
    assert not made.report.doubted()


@pytest.mark.parametrize(
    ("before", "given", "after"),
    [
        ("480 kilometres", "4,800 km", "4,800 kilometres"),
        ("18 years", "twenty-eight years", "28 years"),
        ("20 metres", "half a million metres", "500,000 metres"),
        ("three minutes", "five minutes", "five minutes"),
        ("90 seconds", "ninety minutes", "90 minutes"),
    ],
)
def test_a_value_is_written_as_the_text_writes_it(before: str, given: str, after: str) -> None:
    text = f"The whole course takes or measures {before} in all."
    made = correction(correct(text, references=[text.replace(before, given)]))
    assert made.text == text.replace(before, after)


def test_another_value_in_the_sentence_is_no_obstacle() -> None:
    text = "The tower is 330 metres tall, and its iron frame weighs 9,500 tonnes."
    made = correction(correct(text, references=[text.replace("9,500", "7,300")]))
    assert made.text == text.replace("9,500", "7,300")
    text = "Roast the meat until it has 74 °C (165 °F) inside."
    assert correction(correct(text, references=[text.replace("74", "84")])).text == text


def test_a_date_is_as_exact_as_the_text_has_it() -> None:
    text = "Work on the bridge began in January 1885."
    given = "Work on the bridge began on 28 January 1887."
    made = correction(correct(text, references=[given]))
    assert made.text == text.replace("1885", "1887")


def test_what_the_sentence_has_already_is_not_put_in_again() -> None:
    text = "The dose was set by Anna Berg and Carl Lund at the University of Bergen."
    given = "Carl Lund and Anna Berg set the dose at the University of Oslo."
    made = correction(correct(text, references=[given]))
    assert made.text in {text, text.replace("Bergen", "Oslo")}


def test_a_reference_decides_against_the_samples() -> None:
    made = correction(correct(WRONG, samples=[WRONG] * 5, references=[RIGHT]))
    assert made.text == RIGHT


def test_nothing_doubted_nothing_changed() -> None:
    report = correct(RIGHT, samples=[RIGHT] * 3)
    assert correction(report) == Correction(text=RIGHT, edits=())


def test_nothing_to_compare_with_nothing_changed() -> None:
    report = correct(RIGHT)
    assert correction(report).text == RIGHT
    assert {fact.verdict for fact in report.facts} == {"not_checked"}


def test_what_there_is_no_time_for_is_not_corrected() -> None:
    report = api.check(WRONG, samples=[RIGHT] * 4)
    corrected = correct(report, deadline=1e-9)
    assert correction(corrected) == Correction(text=WRONG, edits=())
    problem = corrected.problems[-1]
    assert problem.what == "the text was not corrected"
    assert "deadline" in problem.why


def test_a_report_made_before_is_corrected_with_its_own_sources() -> None:
    report = api.check(WRONG, samples=[RIGHT] * 4, threshold=0.4)
    corrected = correct(report)
    assert correction(corrected).text == RIGHT
    again = correction(corrected).report
    assert again is not None
    assert again.sources == report.sources
    assert again.threshold == report.threshold


UNSETTLED = "Ada Hill was born in London. She moved to Norway in 1830. She was born in London."
ELSEWHERE = [f"Ada Hill was born in London. She moved to Norway in {1840 + n}." for n in range(4)]


@pytest.mark.parametrize(
    ("on_doubt", "text", "action"),
    [
        ("mark", UNSETTLED, "kept"),
        ("hedge", UNSETTLED.replace("1830", "1830 (unconfirmed)"), "hedged"),
    ],
)
def test_what_no_source_settles_is_listed_removed_or_hedged(
    on_doubt: OnDoubt, text: str, action: str
) -> None:
    made = correction(correct(UNSETTLED, samples=ELSEWHERE, on_doubt=on_doubt))
    assert made.text == text
    (edit,) = made.edits
    assert edit.action == action
    assert edit.reason == (NO_AGREEMENT if action == "kept" else None)
    if on_doubt == "mark":
        assert made == correction(correct(UNSETTLED, samples=ELSEWHERE))
        assert made.report is None


@pytest.mark.parametrize("on_doubt", ["mark", "remove", "hedge"])
@pytest.mark.parametrize(
    ("text", "reference"),
    [
        (
            "The filter should be replaced as soon as possible.",
            "The filter should not be replaced before the pump has stopped.",
        ),
        (
            "The general's letter had convinced him that the war was lost.",
            "The letter of the minister had not convinced him.",
        ),
        ("He signed the new terms.", "He has not signed the new terms yet."),
        ("Ada sold the house.", "Ada did not sell the house."),
    ],
)
def test_a_not_is_never_put_in_by_itself(text: str, reference: str, on_doubt: OnDoubt) -> None:
    made = correction(correct(text, references=[reference], on_doubt=on_doubt))
    assert " not " not in made.text
    assert "changed" not in {edit.action for edit in made.edits}


def test_the_date_of_another_event_takes_no_place() -> None:
    text = "The Panama Canal opened on 15 August 1914."
    others = (
        "The United States took over the work on 4 May 1904."
        " The treaty was signed on 18 November 1903."
    )
    assert correction(correct(text, references=[others])).text == text
    samples = ["The treaty on the canal was signed on 18 November 1903."] * 4
    assert correction(correct(text, samples=samples)).text == text


LINED = (
    "1. Ada Hill was born in London.\n2. She moved to Norway in 1830.\n3. She died in Kent in 1870."
    "\n\n| Name | Died |\n|---|---|\n| Ada Hill | 1870 |\n\n" + "Ada Hill was born in London. " * 9
).strip()
LINED_ELSEWHERE = [
    f"Ada Hill was born in London. She moved to Norway in {1840 + n}. She died in Kent in"
    f" {1880 + n}."
    for n in range(4)
]


@pytest.mark.parametrize("on_doubt", ["mark", "remove", "hedge"])
def test_numbers_of_a_list_and_cells_of_a_table_stay(on_doubt: OnDoubt) -> None:
    report = correct(LINED, samples=LINED_ELSEWHERE, on_doubt=on_doubt)
    made = correction(report)
    assert len(report.doubted()) >= 3
    assert made.text == LINED
    reasons = {edit.reason for edit in made.edits}
    assert reasons == ({NO_AGREEMENT, IN_TABLE} if on_doubt == "mark" else {IN_MARKUP})


def test_a_settled_value_is_put_right_in_a_list_and_never_in_a_table() -> None:
    right = "Ada Hill moved to Norway in 1840. She died in Kent in 1880. She was born in London."
    made = correction(correct(LINED, references=[right]))
    items, table = LINED.split("|", 1)
    assert made.text == items.replace("1830", "1840").replace("1870", "1880") + "|" + table
    assert IN_TABLE in {edit.reason for edit in made.edits}


@pytest.fixture(scope="module")
def all_doubted() -> Report:
    """Twelve sentences, of each of which a fact is in doubt."""
    text = " ".join(f"Ada Hill moved to Norway in {year}." for year in range(1830, 1842))
    samples = [f"Ada Hill moved to Norway in {1850 + n}." for n in range(4)]
    report = api.check(text, samples=samples)
    assert len(report.doubted()) >= len(report.sentences) == 12
    return report


@pytest.mark.parametrize(
    ("on_doubt", "most", "left"),
    [
        ("remove", 0.0, "all"),
        ("remove", 0.05, "some"),
        ("remove", 1.0, "none"),
        ("hedge", 0.0, "all"),
        ("hedge", 0.05, "some"),
        ("hedge", 1.0, "none"),
    ],
)
def test_no_more_than_a_share_of_the_text_is_removed_or_hedged(
    all_doubted: Report, on_doubt: OnDoubt, most: float, left: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("halubot.correction.corrector.MOST_CHANGED", most)
    report = all_doubted
    made = make_correction(report, on_doubt=on_doubt)
    touched = [edit for edit in made.edits if edit.action != "kept"]
    kept = [edit for edit in made.edits if edit.action == "kept"]
    doubted = sum(max(edit.end - edit.start, len("1830")) for edit in touched)
    assert doubted <= most * len(report.text)
    facts = {index for edit in made.edits for index in edit.facts}
    assert facts == {fact.index for fact in report.doubted()}
    assert {edit.reason for edit in kept} <= {TOO_MUCH}
    assert (bool(touched), bool(kept)) == (left != "all", left != "none")


@pytest.mark.parametrize(
    ("text", "sample"),
    [
        (
            "`x = 1816` In 1850, she published her notes. Ada Hill was born in Kent in 1815.",
            "Ada Hill was born in Kent in 1815. In 1843, she published her notes.",
        ),
        (
            f"The engine had 900 parts and was sold. {RIGHT}",
            f"{RIGHT} The engine had 25,000 parts and was never built.",
        ),
    ],
)
def test_a_clause_is_hedged_once_though_its_fact_ends_elsewhere_when_it_is_read_again(
    text: str, sample: str
) -> None:
    once = correction(correct(text, samples=[sample], on_doubt="hedge")).text
    assert once.count("(unconfirmed)") == 1
    assert correction(correct(once, samples=[sample], on_doubt="hedge")).text == once


def test_a_change_that_no_source_supports_is_withdrawn() -> None:
    text = "Ada Lovelace was born in London in 1816. She died in 1850."
    right = "Ada Lovelace was born in London in 1815. She died in 1852."
    report = api.check(text, references=[right])
    made = make_correction(report)
    assert made.text == right
    worse = [
        edit.model_copy(update={"after": "1849"}) if edit.before == "1850" else edit
        for edit in made.edits
    ]
    proposed = Correction(text=apply_edits(text, worse), edits=tuple(worse))
    again = api.check(proposed.text, references=[right])
    left = withdraw(report, proposed, again)
    assert left.text == "Ada Lovelace was born in London in 1815. She died in 1850."
    first, second = left.edits
    assert (first.action, first.after) == ("changed", "1815")
    assert (second.action, second.before, second.after) == ("kept", "1850", "1850")
    assert second.reason == NOT_BORNE_OUT


@pytest.mark.parametrize("text", [RIGHT, WRONG, UNSETTLED])
def test_sources_that_speak_of_something_else_change_nothing(text: str) -> None:
    elsewhere = "The harbour of Genoa handles two million containers a year."
    made = correction(correct(text, references=[elsewhere], on_doubt="remove"))
    assert made.text == text
