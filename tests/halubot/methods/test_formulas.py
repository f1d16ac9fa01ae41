"""The formulas of the papers, written plainly from the papers, against the methods themselves.

Each test makes up what a judge says, asks the method as published, and works out the score by the
paper's own equation. Nothing here is taken from the product but its input and its output.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Mapping, Sequence
from statistics import mean
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import metrics, rewrites
from benchmarks.datasets import DATASETS
from benchmarks.outcomes import Outcome, Sentence
from benchmarks.rows import Row
from benchmarks.statistics import best_threshold, values
from halubot import check
from halubot.evidence import text_source
from halubot.methods.calls.extraction import vocabulary
from halubot.methods.triplet_check.reference_triples import Bare, read_answer
from halubot.methods.triplet_check.triplet_check import Heard, Rulings
from halubot.models.panel import Panel
from halubot.report import Fact, Report, Triple
from halubot.testing import ScriptedModel
from tests.halubot.methods.calls.scripted import Parts, Scripted
from tests.judge import Asked

SENTENCES = ("Ada Weir was here.", "She was there.", "Nobody saw her.")
TEXT = " ".join(SENTENCES)

PART = st.sampled_from(["Ada", "ADA", "ada", "Bo", "hypotension", "hypertension", "Ulm", "B6"])
TRIPLE = st.tuples(PART, PART, PART)
Words = list[list[str]]
"""What the judge says: a row a thing judged, a column a sample or a repeat."""


def words(rows: int, kinds: Sequence[str]) -> st.SearchStrategy[Words]:
    """A table of so many rows and one to five columns."""
    return st.integers(1, 5).flatmap(
        lambda n: st.lists(
            st.lists(st.sampled_from(kinds), min_size=n, max_size=n), min_size=rows, max_size=rows
        )
    )


def checked(method: str, judge: Scripted, samples: int = 0, **options: Any) -> Report:
    model = ScriptedModel(judge)
    panel = Panel(answer=model, judge=model)
    texts = [f"Sample {number}." for number in range(samples)]
    return check(TEXT, method=method, samples=texts, panel=panel, as_published=True, **options)


def number_of(sample: str) -> int:
    return int(sample.removeprefix("Sample ").removesuffix("."))


def same(found: Sequence[float | None], expected: Sequence[float | None]) -> bool:
    """Whether the numbers are those expected, and None where none is."""
    return [value is None for value in found] == [value is None for value in expected] and all(
        math.isclose(a, b, abs_tol=1e-9)
        for a, b in zip(found, expected, strict=True)
        if a is not None and b is not None
    )


def lowered(triple: Parts) -> Parts:
    head, relation, tail = (part.lower() for part in triple)
    return head, relation, tail


def by_sentence(report: Report, scores: Mapping[Parts, float | None]) -> list[list[float]]:
    """The scores of the facts of each sentence, those that have one."""
    found: list[list[float]] = [[] for _ in report.sentences]
    for fact in report.facts:
        score = scores[cast("Parts", tuple(fact.triple))]
        if score is not None:
            found[fact.sentences[0]].append(score)
    return found


def aggregated(report: Report, scores: Mapping[Parts, float | None], agg: Any) -> list[Any]:
    return [agg(row) if row else None for row in by_sentence(report, scores)]


class TestFactSelfCheck:
    """Sawczyn et al., section 3."""

    @pytest.mark.slow
    @given(
        st.lists(TRIPLE, min_size=1, max_size=4, unique_by=lowered),
        st.lists(st.lists(TRIPLE, max_size=5), min_size=1, max_size=5),
        st.sampled_from([("max", max), ("mean", mean)]),
    )
    def test_frequency(self, facts: list[Parts], graphs: list[list[Parts]], by: Any) -> None:
        # Equation 7 with "f in KG_s" as equality of lower-cased triples, equation 11.
        name, agg = by
        judge = Scripted(
            facts={SENTENCES[0]: facts[:2], SENTENCES[1]: facts[2:]},
            told=lambda sample: graphs[number_of(sample)],
        )
        report = checked("fsc-frequency", judge, len(graphs), options={"aggregate": name})
        expected = {
            fact: 1 - sum(lowered(fact) in map(lowered, graph) for graph in graphs) / len(graphs)
            for fact in facts
        }
        assert same([fact.score for fact in report.facts], list(expected.values()))
        sentences = aggregated(report, expected, agg)
        assert same([one.score for one in report.sentences], sentences)

    @pytest.mark.slow
    @given(
        words(3, ["yes", "no", "perhaps"]),
        st.sampled_from(["fsc-kg", "fsc-text"]),
        st.sampled_from([("max", max), ("mean", mean)]),
    )
    def test_by_a_judge(self, said: Words, method: str, by: Any) -> None:
        # Equations 8 to 10: yes 0, no 1, the mean over valid answers; equation 11.
        name, agg = by
        facts: list[Parts] = [("Ada", "is", "0"), ("Ada", "is", "1"), ("Bo", "is", "2")]

        def answered(asked: Asked) -> str | None:
            if asked.prompt not in ("fsc-kg", "fsc-text"):
                return None
            shown = asked.fields["triples"][0] if method == "fsc-kg" else asked.fields["source"]
            sample = number_of(shown.rpartition(" | ")[2])
            word = said[int(asked.fields["fact"][-1])][sample]
            return json.dumps({"supported": word})

        judge = Scripted(
            facts={SENTENCES[0]: facts[:2], SENTENCES[1]: facts[2:]},
            told=lambda sample: [("This", "is", sample)],
            fails=answered,
        )
        report = checked(method, judge, len(said[0]), options={"aggregate": name})
        psi = {"yes": 0, "no": 1}
        valid = [[psi[word] for word in row if word in psi] for row in said]
        expected = {
            fact: mean(row) if row else None for fact, row in zip(facts, valid, strict=True)
        }
        assert same([fact.score for fact in report.facts], list(expected.values()))
        sentences = aggregated(report, expected, agg)
        assert same([one.score for one in report.sentences], sentences)

    @given(st.lists(TRIPLE, max_size=6), st.sets(PART, max_size=4), st.sets(PART, max_size=4))
    def test_the_vocabulary(
        self, facts: list[Parts], entities: set[str], relations: set[str]
    ) -> None:
        # Equations 4 and 5.
        held = [
            Fact(index=n, triple=Triple(*parts), sentences=(0,), spans=((0, 1),))
            for n, parts in enumerate(facts)
        ]
        found = vocabulary(held, sorted(entities), sorted(relations))
        assert set(found.entities) == entities | {h for h, _, _ in facts} | {t for *_, t in facts}
        assert set(found.relations) == relations | {relation for _, relation, _ in facts}
        assert len(set(found.entities)) == len(found.entities)


@given(words(3, ["yes", "no", "n/a"]), st.sampled_from(["selfcheck-prompt", "issc", "issc-cot"]))
def test_sentences_by_samples(said: Words, method: str) -> None:
    # SelfCheckGPT, section 5.5; Díaz de Rábago, section 7.2: yes 0, no 1, else 0.5, averaged.
    def answered(asked: Asked) -> str:
        several = asked.fields.get("sentences")
        sentence = next(iter(several.values())) if several else asked.fields["sentence"]
        word = said[SENTENCES.index(sentence)][number_of(asked.fields["source"])]
        shape = {"reasons": "Hm.", "supported": word} if method == "issc-cot" else {}
        value = shape or {"supported": word}
        return json.dumps({asked.numbers[0]: value} if several else value)

    report = checked(method, Scripted(fails=answered), len(said[0]))
    counts = {"yes": 0.0, "no": 1.0}
    expected = [mean(counts.get(word, 0.5) for word in row) for row in said]
    assert same([sentence.score for sentence in report.sentences], expected)
    assert same([report.score], [mean(expected)])


@pytest.mark.slow
@given(
    st.lists(st.sampled_from(["yes", "no", "Yes, it does."]), min_size=1, max_size=6),
    st.sampled_from(["bcv", "bcv-cot", "sca"]),
)
def test_repeats_of_a_judge(said: list[str], method: str) -> None:
    # Díaz de Rábago, section 7.2.1: the predictions of the repeats, their last words, are averaged.
    turns = iter(said)
    word = {"passage": "", "hallucinated": "yes", "why": "Hm."}
    shapes: dict[str, dict[str, Any]] = {
        "bcv": {},
        "bcv-cot": {"reasons": "Hm."},
        "sca": {"sentences": [{"sentence": SENTENCES[0], **word}], "answers_question": "no"},
    }

    def answered(asked: Asked) -> str:
        return json.dumps({**shapes[method], "hallucination": next(turns)})

    options = {"repeats": len(said)}
    report = checked(method, Scripted(fails=answered), references=["R."], options=options)
    counts = {"yes": 1.0, "no": 0.0}
    assert same([report.score], [mean(counts.get(word, 0.5) for word in said)])
    assert next(turns, None) is None  # nothing is asked again


STANCE = st.sampled_from(["supports", "contradicts", "silent"])


@given(st.lists(STANCE, min_size=1, max_size=6))
def test_a_triplet_is_supported_or_hallucinated(windows: list[Any]) -> None:
    # Osmanaj, section 4.1, with the windows of section 4.7: supported if entailed by the
    # references, hallucinated otherwise.
    rulings = Rulings([text_source("d", "reference", 1)], as_published=True)
    fact = Fact(index=0, triple=Triple("a", "b", "c"), sentences=(0,), spans=((0, 1),))
    said = [read_answer(Bare(stance=stance), ()) for stance in windows]
    assert rulings.judge(fact, Heard(said), 0.5).score == (0 if "supports" in windows else 1)


LABELLED = st.lists(
    st.tuples(st.booleans(), st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])), min_size=2, max_size=30
).filter(lambda units: len({wrong for wrong, _ in units}) == 2)


def messages(units: Sequence[tuple[bool, float | None]]) -> list[Outcome]:
    return [
        Outcome(Row(str(n), "x", (float(wrong),)), score=score)
        for n, (wrong, score) in enumerate(units)
    ]


def figures(dataset: str, rows: Sequence[Outcome], alpha: float) -> dict[str, float | None]:
    return values(metrics.measure(DATASETS[dataset], rows, alpha), len(rows))


@given(LABELLED, st.sampled_from([0.25, 0.5, 0.75]))
def test_sensitivity_specificity_and_j(units: list[tuple[bool, float]], alpha: float) -> None:
    # Osmanaj, section 4.2; Díaz de Rábago, C.1 to C.4 and 9.1, with w = 0.67.
    tp = sum(wrong and score >= alpha for wrong, score in units)
    fn = sum(wrong and score < alpha for wrong, score in units)
    tn = sum(not wrong and score < alpha for wrong, score in units)
    fp = sum(not wrong and score >= alpha for wrong, score in units)
    tpr, tnr = tp / (tp + fn), tn / (tn + fp)
    found = figures("own", messages(units), alpha)
    assert found["sensitivity"] == pytest.approx(tpr)
    assert found["specificity"] == pytest.approx(tnr)
    assert found["balanced_accuracy"] == pytest.approx((tpr + tnr) / 2)
    assert found["youden"] == pytest.approx(tpr + tnr - 1)
    assert found["youden_weighted"] == pytest.approx(2 * (0.67 * tpr + 0.33 * tnr) - 1)


@given(LABELLED, st.sampled_from([0.5, 0.67, 0.9]))
def test_the_optimal_threshold(units: list[tuple[bool, float]], w: float) -> None:
    # C.2 and 9.2: the argmax of J, and of J_w, over all thresholds.
    bad, good = sum(wrong for wrong, _ in units), sum(not wrong for wrong, _ in units)

    def j(alpha: float) -> float:
        tpr = sum(wrong and score >= alpha for wrong, score in units) / bad
        tnr = sum(not wrong and score < alpha for wrong, score in units) / good
        return 2 * (w * tpr + (1 - w) * tnr) - 1

    found = best_threshold(np.array([one for one, _ in units]), np.array([s for _, s in units]), w)
    assert found is not None
    assert j(found) == pytest.approx(max(j(score) for _, score in units))


def share(hits: Sequence[bool]) -> float | None:
    """The share that is true; None of nothing."""
    return sum(hits) / len(hits) if hits else None


ANSWERED = st.lists(
    st.tuples(st.booleans(), st.none() | st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])),
    min_size=1,
    max_size=30,
)


@given(ANSWERED, st.sampled_from([0.25, 0.5, 0.75]))
def test_rates_with_abstentions(units: list[tuple[bool, float | None]], alpha: float) -> None:
    # KnowHalu, section 4.1 and table 3: an inconclusive answer is right for neither class.
    positive = [score for wrong, score in units if wrong]
    negative = [score for wrong, score in units if not wrong]
    tpr = share([score is not None and score >= alpha for score in positive])
    tnr = share([score is not None and score < alpha for score in negative])
    found = figures("halueval_qa", messages(units), alpha)
    assert found["tpr"] == pytest.approx(tpr)
    assert found["tnr"] == pytest.approx(tnr)
    assert found["arp"] == pytest.approx(share([score is None for score in positive]))
    assert found["arn"] == pytest.approx(share([score is None for score in negative]))
    mid = None if tpr is None or tnr is None else (tpr + tnr) / 2
    assert found["balanced_accuracy"] == pytest.approx(mid)


PASSAGES = st.lists(
    st.tuples(
        st.lists(st.sampled_from([0.0, 0.5, 1.0]), min_size=1, max_size=4),
        st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]),
    ),
    min_size=1,
    max_size=12,
)


@pytest.mark.slow
@given(PASSAGES, st.sampled_from([0.25, 0.5, 0.75]))
def test_f1_and_accuracy_of_passages(
    passages: list[tuple[list[float], float]], alpha: float
) -> None:
    # Fang et al., section 4.1: a passage with a wrong sentence is the positive class.
    truth = [any(labels) for labels, _ in passages]
    said = [score >= alpha for _, score in passages]
    tp = sum(map(min, truth, said))
    spoken = sum(truth) + sum(said)
    rows = [
        Outcome(
            Row(str(n), "x" * len(labels), tuple(labels), sentences=("x",) * len(labels)),
            score=score,
            sentences=tuple(Sentence((at, at + 1), score, score) for at in range(len(labels))),
        )
        for n, (labels, score) in enumerate(passages)
    ]
    found = figures("wikibio", rows, alpha)
    assert found["passage_f1"] == pytest.approx(2 * tp / spoken if spoken else None)
    right = [wrong == doubted for wrong, doubted in zip(truth, said, strict=True)]
    assert found["passage_accuracy"] == pytest.approx(share(right))


FATES = st.lists(
    st.lists(st.sampled_from(["factual", "non_factual", "refused"]), min_size=1, max_size=5),
    min_size=1,
    max_size=5,
)


@given(FATES)
def test_shares_of_corrected_sentences(passages: list[list[str]]) -> None:
    # Sawczyn et al., table 3: the shares of all sentences of all passages.
    rows = [Outcome(Row(str(n), "x"), fates={"hints facts": of}) for n, of in enumerate(passages)]
    found = values(rewrites.measure(rows), len(rows))
    every = [fate for of in passages for fate in of]
    for name in ("factual", "non_factual", "refused"):
        assert found[f"{name}: hints facts"] == pytest.approx(share([f == name for f in every]))


LETTERS = st.lists(st.sampled_from("abc"), min_size=1, max_size=6).map(" ".join)


@given(st.lists(LETTERS, min_size=1, max_size=3), st.lists(LETTERS, min_size=1, max_size=4))
def test_unigrams(sentences: list[str], samples: list[str]) -> None:
    # SelfCheckGPT, section 5.3 with n = 1: p from the samples and the passage itself; the largest
    # and the mean of -log p over the words of a sentence.
    text = " ".join(f"{sentence}." for sentence in sentences)
    report = check(
        text, method="selfcheck-ngram", samples=samples, sentences=[f"{s}." for s in sentences]
    )
    counts = Counter(" ".join([*samples, *sentences]).split())
    total = counts.total()
    surprises = [[-math.log(counts[word] / total) for word in s.split()] for s in sentences]
    details = report.details
    assert details["max_neg_log_p"] == pytest.approx([max(row) for row in surprises], abs=1e-6)
    assert details["mean_neg_log_p"] == pytest.approx([mean(row) for row in surprises], abs=1e-6)
