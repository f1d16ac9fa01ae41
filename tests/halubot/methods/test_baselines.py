"""The baselines of other papers, each against its formula written out plainly."""

from __future__ import annotations

import math
from itertools import permutations
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot import ask, check
from halubot.errors import SettingError
from halubot.methods.semantic_entropy import cluster, entropy
from halubot.models.model import Completion, Request, TokenLogprob
from halubot.models.panel import Panel
from halubot.report import Report
from halubot.testing import ScriptedModel
from halubot.verifier import Judgement


def dictate(monkeypatch: pytest.MonkeyPatch, module: str, said: dict[Any, Judgement]) -> None:
    """Have the verifier say what a test dictates, by source and claim."""
    monkeypatch.setattr(f"halubot.methods.{module}.judge", lambda pairs: [said[p] for p in pairs])


def test_nli_is_the_mean_probability_of_a_contradiction(monkeypatch: pytest.MonkeyPatch) -> None:
    logits = {
        ("Ada was born in Ulm.", "Ada was born in Ulm."): (-1.0, 0.5, 3.0),
        ("Ada was born in Bern.", "Ada was born in Ulm."): (4.0, 1.0, -2.0),
    }
    said = {}
    for pair, (c, n, e) in logits.items():
        whole = math.exp(c) + math.exp(n) + math.exp(e)
        said[pair] = Judgement(*(math.exp(x) / whole for x in (c, n, e)))
    dictate(monkeypatch, "selfcheck_nli", said)
    report = check(
        "Ada was born in Ulm.", method="selfcheck-nli", samples=[pair[0] for pair in logits]
    )
    published = [math.exp(c) / (math.exp(c) + math.exp(e)) for c, _, e in logits.values()]
    assert report.sentences[0].score == pytest.approx(sum(published) / 2)
    assert report.score == report.sentences[0].rank == report.sentences[0].score
    assert report.usage.calls == 0
    assert report.sentences[0].reason == "1 of 2 other answers rather contradict it"


@given(st.lists(st.integers(0, 3), min_size=1, max_size=9))
def test_clusters_and_their_entropy(meanings: list[int]) -> None:
    texts = [f"{meaning}-{place}" for place, meaning in enumerate(meanings)]

    def entails(text: str, other: str) -> bool:
        return text[0] == other[0]

    found = cluster(texts, entails)
    # Texts are in one cluster if, and only if, they have one meaning.
    for (a, x), (b, y) in permutations(zip(meanings, found, strict=True), 2):
        assert (a == b) == (x == y)
    shares = np.bincount(meanings)[np.bincount(meanings) > 0] / len(meanings)
    plain = float(-(shares * np.log(shares)).sum())
    assert entropy([found.count(number) for number in set(found)]) == pytest.approx(plain)


@pytest.mark.parametrize(
    ("samples", "score"),
    [
        (["Ulm.", "Ulm.", "Ulm."], 0.0),
        (["Ulm.", "Bern.", "Rome."], 1.0),
        (["Ulm.", "Bern.", "Bern."], (math.log(3) - 2 / 3 * math.log(2)) / math.log(3)),
        (["Ulm."], None),
    ],
)
def test_semantic_entropy_of_a_message(
    samples: list[str], score: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("halubot.methods.semantic_entropy.entails", str.__eq__)
    report = check("It was Ulm.", method="semantic-entropy", samples=samples)
    assert report.sentences[0].score == (None if score is None else pytest.approx(score))
    assert report.sentences[0].verdict == (
        "not_checked" if score is None else "doubtful" if score >= 0.5 else "supported"
    )


TEXT = "Ada Weir sang. She was born in Ulm."
TOKENS = [
    ("Ada", -0.1), (" Weir", -0.2), (" sang", -1.5), (".", -0.01),
    (" She", -0.1), (" was", 0.0), (" born", -0.1), (" in", -0.1), (" Ul", -3.0), ("m.", -0.2),
]  # fmt: skip


def by_tokens(text: str = TEXT, **options: Any) -> Report:
    return check(text, method="token-probability", options={"logprobs": TOKENS, **options})


@pytest.mark.parametrize("aggregate", ["mean", "min"])
def test_token_probability_by_hand(aggregate: str) -> None:
    report = by_tokens(aggregate=aggregate)
    rows = [[log for _, log in TOKENS[:4]], [log for _, log in TOKENS[4:]]]
    logs = [min(row) if aggregate == "min" else sum(row) / len(row) for row in rows]
    assert [one.score for one in report.sentences] == pytest.approx([1 - math.exp(x) for x in logs])
    assert report.details["max_neg_log_p"] == [1.5, 3.0]
    assert report.details["mean_neg_log_p"] == pytest.approx([-sum(r) / len(r) for r in rows])
    assert report.sentences[1].reason == "its least sure token is 'Ul', at 5.0%"


def test_token_probability_without_log_probabilities_checks_nothing() -> None:
    report = check(TEXT, method="token-probability")
    assert {one.verdict for one in report.sentences} == {"not_checked"}
    assert "log-probabilities are not known" in str(report.sentences[0].reason)
    assert {one.verdict for one in by_tokens("Another text.").sentences} == {"not_checked"}
    for wrong in ("x", [["Ada", 0.5]], [["Ada"]], [[1, -1.0]]):
        with pytest.raises(SettingError, match="log-probabilities are"):
            by_tokens(logprobs=wrong)


def test_an_answer_brings_its_log_probabilities() -> None:
    class Sure(ScriptedModel):
        async def stream(self, request: Request) -> Any:
            assert request.logprobs
            yield TEXT
            tokens = tuple(TokenLogprob(*one) for one in TOKENS)
            yield Completion(TEXT, logprobs=tokens)

    model = Sure(lambda request: TEXT)
    report = ask("Who was Ada?", method="token-probability", panel=Panel(answer=model, judge=model))
    assert report.details["max_neg_log_p"] == [1.5, 3.0]
