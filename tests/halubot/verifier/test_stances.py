"""A check with a verifier: what it contradicts is marked and quoted, and values have their say."""

from __future__ import annotations

from pathlib import Path

import pytest

from halubot import check
from halubot.verifier import stances
from halubot.verifier.signals import SIGNALS, Calibration, Settling, load_calibration
from tests import tiny_encoders

tiny_encoders.require()

LABELS = ("contradiction", "neutral", "entailment")


def weights(name: str) -> tuple[float, ...]:
    return tuple(float(one == name) for one in SIGNALS)


ENCODER_ALONE = Calibration(
    (
        weights("contradiction of the clause"),
        (0.0,) * len(SIGNALS),
        weights("entailment of the clause"),
    ),
    (0.0, 0.0, 0.0),
    contradicts=0.4,
    supports=0.4,
    sample_contradicts=0.4,
    sample_supports=0.4,
    samples=Settling((1.0, 0.0, -1.0, 0.0), 0.0, doubted=0.5, supported=0.5),
    both=Settling((1.0, 0.0, -1.0, 0.0, 1.0, -1.0), 0.0, doubted=0.5, supported=0.5),
)


@pytest.fixture(autouse=True)
def encoder_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """The tiny encoders know nothing: here they decide by themselves."""

    def load(*, verifier: bool) -> Calibration:
        return ENCODER_ALONE if verifier else load_calibration(verifier=False)

    monkeypatch.setattr(stances, "load_calibration", load)


SOURCE = "Ben Moore knew the engineers. The hill has three levels."


@pytest.fixture(scope="module")
def agreeing(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("agreeing")
    return str(tiny_encoders.build(folder, {"": {"entailment": 2.0}}, labels=LABELS))


@pytest.fixture(scope="module")
def opposing(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("opposing")
    return str(tiny_encoders.build(folder, {"": {"contradiction": 2.0}}, labels=LABELS))


def test_what_a_verifier_contradicts_is_doubted_with_its_quote(opposing: str) -> None:
    text = "The engineers saw nobody there."
    report = check(text, references=[SOURCE], options={"verifier": opposing})
    doubted = [fact for fact in report.facts if fact.verdict == "contradicted"]
    assert doubted
    for fact in doubted:
        (evidence,) = fact.evidence
        assert evidence.quote
        assert SOURCE[evidence.start : evidence.end] == evidence.quote
        for start, end in fact.spans:
            assert 0 <= start < end <= len(text)


def test_a_value_that_the_quote_lacks_is_never_supported(agreeing: str) -> None:
    report = check("The hill has 7 levels.", references=[SOURCE], options={"verifier": agreeing})
    assert all(fact.verdict != "supported" for fact in report.facts)


@pytest.mark.parametrize(
    ("text", "supported"),
    [
        ("The hill has well-known levels.", True),
        ("The hill has levels with --deep set.", False),
        ("The hill has levels of Type 2.", False),
    ],
)
def test_a_designator_that_no_source_has_is_never_supported_and_a_joined_word_is_none(
    agreeing: str, text: str, supported: bool
) -> None:
    report = check(text, references=[SOURCE], options={"verifier": agreeing})
    assert {fact.verdict == "supported" for fact in report.facts} == {supported}


def test_a_mark_holds_whole_words(tmp_path: Path) -> None:
    verifier = str(tiny_encoders.build(tmp_path, {"built": {"contradiction": 9.0}}, labels=LABELS))
    text = "The hill saw the levels well-built there."
    report = check(text, references=[SOURCE], options={"verifier": verifier})
    assert {text[slice(*span)] for fact in report.facts for span in fact.spans} == {"well-built"}


def test_without_a_verifier_words_alone_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HALUBOT_VERIFIER", str(Path("nowhere.onnx")))
    text = "The hill has three levels."
    alone = check(text, references=[SOURCE], options={"verifier": "none"})
    assert [fact.verdict for fact in alone.facts] == ["supported"]


def test_what_one_sample_contradicts_is_doubtful(opposing: str) -> None:
    text = "The engineers saw nobody there."
    report = check(text, samples=[SOURCE], options={"verifier": opposing})
    assert {fact.verdict for fact in report.facts} == {"doubtful"}
    assert all((fact.score or 0) >= report.threshold.value for fact in report.facts)


def test_a_sentence_that_a_source_has_word_for_word_is_supported(opposing: str) -> None:
    text, options = "The hill has three levels.", {"verifier": opposing}
    beside_reference = check(text, references=[SOURCE], options=options)
    beside_samples = check(text, samples=[SOURCE] * 2, options=options)
    for report in (beside_reference, beside_samples):
        assert {fact.verdict for fact in report.facts} == {"supported"}


def test_no_sample_overrules_a_reference(agreeing: str, opposing: str) -> None:
    text = "There are three levels."
    for verifier, verdict in ((agreeing, "supported"), (opposing, "contradicted")):
        report = check(
            text, references=["The hill has three levels."], samples=["The hill has 4 levels."] * 3,
            options={"verifier": verifier},
        )  # fmt: skip
        assert {fact.verdict for fact in report.facts} == {verdict}


def test_a_verifier_that_was_pulled_is_the_default(
    opposing: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("HALUBOT_VERIFIER")
    monkeypatch.setenv("HALUBOT_LOCAL_MODELS", str(tmp_path))
    (tmp_path / "verifier").symlink_to(opposing)
    text = "The engineers saw nobody there."
    for chosen in (None, "verifier"):
        report = check(text, references=[SOURCE], verifier=chosen)
        assert {fact.verdict for fact in report.facts} == {"contradicted"}
    report = check(text, references=[SOURCE], verifier="none")
    assert "contradicted" not in {fact.verdict for fact in report.facts}


def test_a_value_in_another_clause_of_a_fact_must_be_in_the_quote_too(agreeing: str) -> None:
    text = "The ship sailed from the harbour on April 11, 1969, and was lost near the islands."
    said = "The ship sailed from the harbour on April 11, 1970, and was lost near the islands."
    report = check(text, references=[said], options={"verifier": agreeing})
    dated = [fact for fact in report.facts if "1969" in " ".join(map(str, fact.triple))]
    assert dated
    assert not any(fact.verdict == "supported" for fact in dated)


def test_words_of_two_clauses_say_no_sentence_that_joins_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("HALUBOT_VERIFIER")
    reference = "The Tisza is the longest of its tributaries; the Sava is the largest by volume."
    report = check("Its longest tributary is the Sava.", references=[reference])
    assert report.sentences[0].verdict != "supported"
