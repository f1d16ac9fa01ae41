"""A check with a verifier: what it contradicts is marked and quoted, and values have their say."""

from __future__ import annotations

from pathlib import Path

import pytest

from halubot import check
from halubot.verifier import stances
from tests import tiny_encoders

tiny_encoders.require()

LABELS = ("contradiction", "neutral", "entailment")


@pytest.fixture(autouse=True)
def lenient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Thresholds that the tiny encoders reach: they know nothing and are never sure."""
    kept = stances.load_calibration("en")
    looser = kept._replace(
        sample=kept.sample._replace(wrong=0.15), reference=kept.reference._replace(wrong=0.15)
    )
    monkeypatch.setattr(stances, "load_calibration", lambda _: looser)


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


def test_a_quote_that_contradicts_a_fact_by_itself_does_not_support_it(
    opposing: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "The hill has three levels."
    by_words = check(text, references=[text], verifier="none")
    assert {fact.verdict for fact in by_words.facts} == {"supported"}
    # Too strict for a mark, so that only the support is in question.
    kept = stances.load_calibration("en")
    strict = kept._replace(reference=kept.reference._replace(wrong=1.1))
    monkeypatch.setattr(stances, "load_calibration", lambda _: strict)
    report = check(text, references=[text], verifier=opposing)
    assert {fact.verdict for fact in report.facts} == {"not_checked"}


def test_no_sample_overrules_a_reference(agreeing: str, opposing: str) -> None:
    text = "The hill has three levels."
    for verifier, verdict in ((agreeing, "supported"), (opposing, "contradicted")):
        report = check(
            text, references=[text], samples=["The hill has 4 levels."] * 3,
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
