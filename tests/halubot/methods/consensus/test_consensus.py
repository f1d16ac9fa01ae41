"""What samples and references say becomes verdicts, in the same way for every message."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot import api
from halubot.claims import read_message
from halubot.compare.tokens import with_tokens
from halubot.methods.consensus.comparison import join_texts, settle_together, weigh
from halubot.methods.consensus.consensus import SPLIT, UNSEEN, verdict_of
from halubot.methods.consensus.log_odds import Heard, count_stances
from halubot.render.markdown_report import to_markdown
from halubot.report import DOUBTED, Fact, Report, Stance
from halubot.verdicts import UNDECIDED, UNSPOKEN
from halubot.verifier.stances import Finding

MESSAGE = "Ada Lovelace was born in London in 1816. She wrote the first program."
RIGHT = "Ada Lovelace was born in London in 1815. She wrote the first program."


def about(report: Report, word: str) -> Fact:
    """The one fact whose tail holds the word."""
    (fact,) = [fact for fact in report.facts if word in fact.triple.tail]
    return fact


def test_samples_contradict_one_detail_and_support_the_rest() -> None:
    report = api.check(MESSAGE, samples=[RIGHT] * 6)
    wrong = about(report, "1816")
    assert wrong.verdict == "contradicted"
    assert wrong.basis == ("samples",)
    assert {item.value for item in wrong.evidence} == {"1815"}
    assert about(report, "London").verdict == "supported"
    assert about(report, "program").verdict == "supported"
    assert [sentence.verdict for sentence in report.sentences] == ["contradicted", "supported"]


def test_every_source_has_its_say_on_every_fact() -> None:
    report = api.check(MESSAGE, samples=[RIGHT, "She liked horses."], references=[MESSAGE])
    for fact in report.facts:
        assert [item.source for item in fact.evidence] == ["s1", "s2", "r1"]
        for item in fact.evidence:
            text = report.source(item.source).text or ""
            assert text[item.start : item.end] == item.quote
            assert (item.stance == "silent") == (item.quote == "")


def test_a_reference_outweighs_all_samples() -> None:
    doubted = api.check(RIGHT, samples=[MESSAGE] * 20)
    assert about(doubted, "1815").verdict == "contradicted"
    report = api.check(RIGHT, samples=[MESSAGE] * 20, references=[RIGHT])
    fact = about(report, "1815")
    assert fact.verdict == "supported"
    assert fact.basis == ("samples", "references")
    assert fact.count("contradicts") == 20
    other = api.check(MESSAGE, samples=[MESSAGE] * 20, references=[RIGHT])
    assert about(other, "1816").verdict == "contradicted"


def test_references_that_disagree_say_so() -> None:
    report = api.check(RIGHT, references=[RIGHT, MESSAGE])
    fact = about(report, "1815")
    assert fact.reason == "the references disagree with each other"
    assert [one.stance for one in fact.evidence] == ["supports", "contradicts"]
    assert all("181" in one.quote for one in fact.evidence)


def test_samples_that_are_evenly_divided_leave_a_doubt() -> None:
    wrong, right = "Ada Lovelace was born in 1816.", "Ada Lovelace was born in 1815."
    report = api.check(wrong, samples=[wrong, wrong, right, right])
    assert [fact.verdict for fact in report.facts] == ["doubtful"]
    assert report.facts[0].reason == SPLIT
    report = api.check(wrong, samples=[wrong, wrong, wrong, right])
    assert not DOUBTED.intersection(fact.verdict for fact in report.facts)


def test_what_no_sample_speaks_of_is_not_checked() -> None:
    text = "Ada Lovelace was born in London. She owned eleven parrots in Norway."
    samples = ["Ada Lovelace was born in London. She wrote a program."] * 5
    report = api.check(text, samples=samples)
    assert [sentence.verdict for sentence in report.sentences] == ["supported", "not_checked"]
    assert {fact.reason for fact in report.facts if fact.verdict == "not_checked"} == {UNSPOKEN}
    assert report.sentences[1].score is not None


def test_that_nothing_speaks_of_it_is_said_only_where_no_source_has_its_words() -> None:
    text = "Roughly 18,000 individual parts are joined by 2.5 million rivets. Bananas are yellow."
    report = api.check(text, references=["18,038 separate pieces were joined together."])
    reasons = [fact.reason for fact in report.facts if fact.verdict == "not_checked"]
    assert reasons == [UNDECIDED, UNSPOKEN]


PARROTS = "Ada Lovelace was born in London. She owned eleven parrots at her house."
NO_NUMBER = "Ada Lovelace was born in London. She owned parrots at her house."


def test_a_value_that_many_samples_lack_is_doubted() -> None:
    report = api.check(PARROTS, samples=[NO_NUMBER] * 10)
    assert [sentence.verdict for sentence in report.sentences] == ["supported", "doubtful"]
    fact = about(report, "eleven parrots")
    assert fact.reason == UNSEEN
    assert [report.text[start:end] for start, end in fact.spans] == ["eleven"]
    few = api.check(PARROTS, samples=[NO_NUMBER] * 9)
    assert about(few, "eleven parrots").verdict == "not_checked"


@pytest.mark.parametrize(
    ("samples", "spoken", "displaced", "score", "doubted"),
    [
        (0, 1, 1, 0.9, True),
        (0, 1, 1, 0.89, False),
        (0, 2, 1, 0.99, False),  # one has the same date, or none
        (5, 2, 2, 0.9, True),
        (5, 1, 1, 0.99, False),  # one of several samples
        (0, 0, 0, 0.99, False),  # no source speaks of it
    ],
)
def test_a_date_is_doubted_if_each_source_that_speaks_has_another(
    samples: int, spoken: int, displaced: int, score: float, doubted: bool
) -> None:
    said = Heard(
        count_stances(["silent"] * samples),
        count_stances([] if samples else ["silent"] * 2),
        near=2,
        spoken=spoken,
        missed=spoken,
        displaced=displaced,
    )
    expected = ("doubtful", UNSEEN) if doubted else ("not_checked", UNDECIDED)
    assert verdict_of(said, score=score, threshold=0.5) == expected


@pytest.mark.parametrize(
    ("supports", "silent", "borne_out", "verdict"),
    [
        (1, 2, False, "not_checked"),
        (1, 2, True, "supported"),
        (2, 1, False, "supported"),
        (1, 0, False, "supported"),
        (0, 3, True, "not_checked"),
    ],
)
def test_one_of_several_samples_supports_what_all_bear_out(
    supports: int, silent: int, borne_out: bool, verdict: str
) -> None:
    """One alone may seem to say what it does not."""
    samples: dict[Stance, int] = {"supports": supports, "contradicts": 0, "silent": silent}
    said = Heard(samples=samples, references=count_stances([]), borne_out=borne_out)
    assert verdict_of(said)[0] == verdict


def test_the_threshold_moves_only_what_is_doubtful() -> None:
    for threshold, doubt in ((0.0, "doubtful"), (0.5, "doubtful"), (1.0, "not_checked")):
        report = api.check(PARROTS, samples=[NO_NUMBER] * 10, threshold=threshold)
        assert about(report, "eleven parrots").verdict == doubt
        assert about(report, "London").verdict == "supported"
        report = api.check(MESSAGE, samples=[RIGHT] * 3, threshold=threshold)
        assert [fact.verdict for fact in report.facts].count("contradicted") == 1
        assert [one.verdict for one in report.sentences] == ["contradicted", "supported"]
        assert report.threshold.value == threshold
        assert report.threshold.fitted_on is None


def test_ranks_mix_in_the_message_and_scores_do_not() -> None:
    alone = api.check(RIGHT, samples=[RIGHT] * 4)
    among = api.check(
        RIGHT + " He sold submarines in Peru. He flew to Neptune.", samples=[RIGHT] * 4
    )
    for before, after in zip(alone.facts, among.facts, strict=False):
        assert before.score == pytest.approx(after.score)
        assert before.rank is not None
        assert after.rank is not None
        assert before.rank < after.rank


def test_german_and_japanese_are_scored_by_clauses() -> None:
    german = api.check(
        "Ada Lovelace wurde 1816 in London geboren, und sie schrieb das erste Programm.",
        samples=["Ada Lovelace wurde 1815 in London geboren. Sie schrieb das erste Programm."] * 3,
    )
    assert "clauses" in str(german.details["extraction"])
    assert german.facts[0].verdict in DOUBTED
    assert german.facts[-1].verdict == "supported"
    japanese = api.check("東京は日本の首都です。", samples=["東京は日本の首都です。"] * 3)
    assert japanese.sentences[0].verdict == "supported"


@given(
    text=st.text(min_size=1, max_size=200).filter(lambda text: text.strip() != ""),
    samples=st.lists(st.text(min_size=1, max_size=100).filter(str.strip), max_size=3),
    references=st.lists(st.text(min_size=1, max_size=100).filter(str.strip), max_size=2),
)
def test_no_text_breaks_a_check(text: str, samples: list[str], references: list[str]) -> None:
    report = api.check(text, samples=samples, references=references)
    for fact in report.facts:
        for start, end in fact.spans:
            assert 0 <= start < end <= len(report.text)
        assert fact.verdict != "not_checked" or fact.reason
    assert Report.model_validate_json(report.to_json()) == report


@pytest.mark.parametrize(
    ("text", "source"),
    [
        ("Varga discovered X.", "Varga moved to Zurich, where she discovered X."),
        ("Anna Berg was born in 1805.", "Anna Berg died in 1871 in Rome."),
    ],
)
def test_what_a_source_says_of_something_else_contradicts_nothing(text: str, source: str) -> None:
    for report in (api.check(text, references=[source]), api.check(text, samples=[source] * 3)):
        assert "contradicted" not in {fact.verdict for fact in report.facts}
        assert "contradicted" not in {sentence.verdict for sentence in report.sentences}


def test_a_source_says_what_it_says_word_for_word() -> None:
    others = ["She is a British painter."] * 4 + ["She is an American painter."]
    report = api.check("She is a British painter.", samples=others)
    assert [one.verdict for one in report.sentences] == ["supported"]


def finding(stance: Stance, strength: float) -> Finding:
    """What a reference says, with its quote."""
    return Finding(stance, strength, 0, 9, value="1816" if stance == "contradicts" else None)


@pytest.mark.parametrize(
    ("others", "strength", "stays"),
    [
        (["supports"], 0.6, False),
        (["supports"], 0.7, True),
        (["supports", "silent"], 1.0, True),
        (["silent"], 0.4, True),
        (["contradicts"], 0.4, True),
    ],
)
def test_what_a_reference_supports_is_contradicted_only_by_one_that_probably_does(
    others: list[Stance], strength: float, stays: bool
) -> None:
    against = finding("contradicts", strength)
    beside = [finding(one, 1.0) for one in others]
    first, *rest = weigh([against, *beside], backed=False)
    assert first == against if stays else first.stance == "silent"
    assert rest == beside


@pytest.mark.parametrize(("strength", "stays"), [(0.6, False), (0.7, True)])
def test_what_samples_back_is_contradicted_only_by_a_reference_that_probably_does(
    strength: float, stays: bool
) -> None:
    (said,) = weigh([finding("contradicts", strength)], backed=True)
    assert (said.stance == "contradicts") == stays


@pytest.mark.parametrize(
    ("strength", "other", "together", "stance"),
    [
        (0.9, "silent", "silent", "silent"),
        (0.9, "silent", "supports", "supports"),
        (0.9, "silent", "contradicts", "contradicts"),
        (0.9, "supports", "silent", "contradicts"),
        (1.0, "silent", "silent", "contradicts"),
    ],
)
def test_one_of_several_references_contradicts_what_all_together_do(
    strength: float, other: Stance, together: Stance, stance: Stance
) -> None:
    found = [finding("contradicts", strength), finding(other, 0.9)]
    said = settle_together(found, Finding(together, 1.0, 2, 11), [0, 40])
    assert [one.stance for one in said] == [stance, other]


def test_what_all_references_together_say_is_quoted_from_the_one_that_has_it() -> None:
    texts = ["Ada was born in 1815. She liked horses.", "She wrote the first program in 1843."]
    whole, starts = join_texts([with_tokens(read_message(text)) for text in texts])
    start = whole.document.plain.index("She wrote")
    silent = [Finding("silent", 0.0)] * 2
    said = settle_together(silent, Finding("supports", 0.9, start, start + 9), starts)
    assert [one.stance for one in said] == ["silent", "supports"]
    assert texts[1][said[1].start : said[1].end] == "She wrote"
    # A quote that begins in one text and ends in the next is none.
    across = Finding("supports", 0.9, start - 5, start + 3)
    assert settle_together(silent, across, starts) == silent


def test_what_is_not_checked_comes_with_the_sentence_nearest_to_it() -> None:
    text = "When you collect the bike for the first time you pay a deposit."
    references = ["Ring us the same day. The box carries 80 kg.", "Deposit, once, returned: £50."]
    report = api.check(text, references=references)
    (fact,) = report.facts
    assert (fact.verdict, fact.count("silent")) == ("not_checked", 2)
    assert fact.nearest is not None
    source = report.source(fact.nearest.source).text or ""
    assert source[fact.nearest.start : fact.nearest.end] == fact.nearest.quote == references[1]
    assert "Deposit, once" in to_markdown(report)


def test_a_reference_that_leaves_a_fact_open_takes_no_doubt_away() -> None:
    text = "Ada Lovelace was born in 1816."
    samples = [*["Ada Lovelace was born in 1815."] * 2, *["She wrote notes."] * 3]
    reference = "Ada Lovelace was born in London. Her notes were printed in a journal."
    alone = api.check(text, samples=samples)
    both = api.check(text, samples=samples, references=[reference])
    assert {alone.facts[0].verdict, both.facts[0].verdict} <= {"doubtful", "contradicted"}
    assert both.facts[0].verdict == "doubtful"


@pytest.mark.parametrize(
    ("text", "told", "verdict"),
    [
        ("The bridge was opened in the 1990s.", "The bridge was opened in 1994.", "supported"),
        ("The bridge was opened in the 1980s.", "The bridge was opened in 1994.", "contradicted"),
        ("The road was opened on 16 May 1999.", "The road was opened on 1999-05-16.", "supported"),
        (
            "The road was opened on 17 May 1999.",
            "On 16.05.1999 the road was opened.",
            "contradicted",
        ),
        ("The road is 2 km long.", "The road is 2,000 metres long.", "supported"),
    ],
)
def test_a_value_in_another_form_says_the_same(text: str, told: str, verdict: str) -> None:
    assert [fact.verdict for fact in api.check(text, references=[told]).facts] == [verdict]
