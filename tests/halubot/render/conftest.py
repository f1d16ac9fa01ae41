"""A report made by hand of the bundled demonstration, with verdicts of every kind."""

from __future__ import annotations

import re

import pytest

from halubot.demo import load
from halubot.report import (
    Correction,
    Edit,
    Evidence,
    Fact,
    Parts,
    Problem,
    Question,
    Report,
    Sentence,
    Source,
    Span,
    Stance,
    Threshold,
    Triple,
    Usage,
    Verdict,
)

DEMO = load()
SAMPLES = tuple(
    Source(id=f"s{n}", kind="sample", text=text) for n, text in enumerate(DEMO.samples, start=1)
)
SOURCES = (*SAMPLES, *DEMO.references)


def _sentences(text: str) -> list[Span]:
    return [match.span() for match in re.finditer(r"\S[^.]*\.", text)]


def _evidence(source: Source, yes: str | None, rivals: tuple[str, ...]) -> Evidence:
    text = source.text or ""
    for start, end in _sentences(text):
        said = text[start:end]
        flat = " ".join(said.split())
        stance: Stance = "supports"
        value = None
        if yes is None or yes not in flat:
            value = next((rival for rival in rivals if rival in flat), None)
            if value is None:
                continue
            stance = "contradicts"
        return Evidence(
            source=source.id, stance=stance, start=start, end=end, quote=said, value=value
        )
    return Evidence(source=source.id, stance="silent")


def _fact(
    text: str,
    index: int,
    triple: tuple[str, str, str],
    words: str,
    *,
    verdict: Verdict,
    score: float | None,
    yes: str | None = None,
    rivals: tuple[str, ...] = (),
    reason: str | None = None,
) -> Fact:
    start = text.index(words)
    end = start + len(words)
    tail_start = text.index(triple[2], start, end)
    relation = text.find(triple[1], start, end)
    asked = () if verdict == "not_checked" else SOURCES
    return Fact(
        index=index,
        triple=Triple(*triple),
        sentences=(next(i for i, (a, b) in enumerate(_sentences(text)) if a <= start < b),),
        spans=((start, end),),
        parts=Parts(
            relation=(relation, relation + len(triple[1])) if relation >= 0 else None,
            tail=(tail_start, tail_start + len(triple[2])),
        ),
        score=score,
        rank=score,
        verdict=verdict,
        reason=reason,
        basis=("samples", "references") if asked else (),
        evidence=tuple(_evidence(source, yes, rivals) for source in asked),
    )


def _report(text: str, facts: tuple[Fact, ...], score: float) -> Report:
    sentences = []
    for index, (start, end) in enumerate(_sentences(text)):
        held = [fact for fact in facts if index in fact.sentences]
        worst: Verdict = "supported" if held else "not_checked"
        if any(fact.verdict in ("doubtful", "contradicted") for fact in held):
            worst = "doubtful"
        sentences.append(
            Sentence(
                index=index,
                start=start,
                end=end,
                score=max((fact.score or 0.0 for fact in held), default=None),
                verdict=worst,
                reason=None if held else "no fact was found in it",
                facts=tuple(fact.index for fact in held),
            )
        )
    return Report(
        text=text,
        question=Question(text=DEMO.question, origin="given"),
        method="consensus",
        engine="0.1.0",
        score=score,
        threshold=Threshold(value=0.5, fitted_on="179 passages of WikiBio"),
        sources=SOURCES,
        sentences=tuple(sentences),
        facts=facts,
        usage=Usage(seconds=0.0312),
    )


def sample_report() -> Report:
    """The demonstration checked and corrected, as an engine might."""
    text = DEMO.text
    facts = (
        _fact(
            text,
            0,
            ("The Eiffel Tower", "is on", "the Champ de Mars in Paris"),
            "The Eiffel Tower is a wrought-iron tower on the Champ de Mars in Paris",
            verdict="supported",
            score=0.21,
            yes="Champ de Mars",
        ),
        _fact(
            text,
            1,
            ("The Eiffel Tower", "was built for", "the World's Fair of 1889"),
            "was built by the company of Gustave Eiffel for the World's Fair of 1889",
            verdict="supported",
            score=0.08,
            yes="World's Fair",
        ),
        _fact(
            text,
            2,
            ("Construction", "began in", "January 1885"),
            "Construction began in January 1885",
            verdict="contradicted",
            score=0.95,
            rivals=("January 1887", "1887", "1886"),
        ),
        _fact(
            text,
            3,
            ("Construction", "was completed in", "March 1889"),
            "Construction began in January 1885 and was completed in March 1889",
            verdict="supported",
            score=0.3,
            yes="1889",
        ),
        _fact(
            text,
            4,
            ("The first design", "was refined by", "Charles Garnier"),
            "it was refined by the architect Charles Garnier",
            verdict="contradicted",
            score=0.9,
            rivals=("Stephen Sauvestre",),
        ),
        _fact(
            text,
            5,
            ("its iron frame", "weighs", "9,500 tonnes"),
            "its iron frame weighs 9,500 tonnes",
            verdict="contradicted",
            score=0.93,
            rivals=("7,300 tonnes", "7,000 tonnes"),
        ),
        _fact(
            text,
            6,
            ("The tower", "was not planned as", "a temporary structure"),
            "The tower was not planned as a temporary structure",
            verdict="contradicted",
            score=0.88,
            rivals=("was planned as",),
        ),
        _fact(
            text,
            7,
            ("the Rothschild bank", "paid for", "it"),
            "the Rothschild bank paid for it",
            verdict="doubtful",
            score=0.85,
        ),
        _fact(
            text,
            8,
            ("The Eiffel Tower", "has", "three levels for visitors"),
            "It has three levels for visitors",
            verdict="not_checked",
            score=None,
            reason="the deadline came before it was judged",
        ),
    )
    report = _report(text, facts, 0.57)
    edits = []
    after = text
    for before, new, sentence, index in (
        ("January 1885", "January 1887", 2, 2),
        ("Charles Garnier", "Stephen Sauvestre", 3, 4),
        ("9,500 tonnes", "7,300 tonnes", 4, 5),
        ("was not planned", "was planned", 6, 6),
        (", and the Rothschild bank paid for it", "", 1, 7),
    ):
        start = text.index(before)
        edits.append(
            Edit(
                sentence=sentence,
                start=start,
                end=start + len(before),
                before=before,
                after=new,
                facts=(index,),
                action="changed" if new else "removed",
            )
        )
        after = after.replace(before, new)
    again = _report(
        after,
        (
            _fact(
                after,
                0,
                ("Construction", "began in", "January 1887"),
                "Construction began in January 1887",
                verdict="supported",
                score=0.1,
                yes="1887",
            ),
        ),
        0.1,
    )
    return report.model_copy(
        update={
            "correction": Correction(text=after, edits=tuple(edits), report=again),
            "problems": (Problem(what="answer 15 was left out", why="it is empty"),),
        }
    )


@pytest.fixture(scope="session")
def report() -> Report:
    return sample_report()
