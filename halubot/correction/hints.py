"""What a model that corrects is told: which sentences it may touch, and what in them is doubted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import get_args

from halubot.correction.corrector import Hints
from halubot.correction.replacement_choice import find_agreed_value
from halubot.errors import SettingError
from halubot.report import DOUBTED, Fact, Report, Sentence, SourceKind

WHOLE_TEXT = 20_000
"""Characters of all sentences up to which all are shown; of longer texts those near by are."""
NEAR = 10
"""Sentences on either side of one that may be touched."""
_QUOTES = 3
_LONGEST_QUOTE = 300
_WHOLE = "the sentence as a whole is doubted"


def list_hints(report: Report, hints: Hints) -> list[str]:
    """What a model is told as published (FactSelfCheck, section 4.5): the doubted facts, each once,
    the doubted sentences, or nothing. Raises SettingError for another kind of hint."""
    require_known(hints)
    if hints == "none":
        return []
    if hints == "sentences":
        doubted = [one for one in report.sentences if in_doubt(report, one)]
        return [" ".join(report.text[one.start : one.end].split()) for one in doubted]
    facts = [fact for fact in report.facts if fact.verdict in DOUBTED]
    return list(dict.fromkeys(" | ".join(filter(None, fact.triple)) for fact in facts))


def require_known(hints: Hints) -> None:
    """Raise SettingError for another kind of hint."""
    if hints not in get_args(Hints):
        known = ", ".join(get_args(Hints))
        raise SettingError(f"there are no hints {hints!r}: known are {known}")


def touchable(report: Report, hints: Hints) -> dict[int, list[str]]:
    """The sentences that may be touched, by index, each with what the model is told of it.

    With "none" that is every sentence, and nothing is told. With "sentences" and "facts" it is
    those in doubt; "facts" tells their doubted facts, and what the sources say in their place.
    Raises SettingError for another kind of hint.
    """
    require_known(hints)
    if hints == "none":
        return {sentence.index: [] for sentence in report.sentences}
    kinds = {source.id: source.kind for source in report.sources}
    found: dict[int, list[str]] = {}
    for sentence in report.sentences:
        if in_doubt(report, sentence):
            facts = doubted_in(report, sentence) if hints == "facts" else ()
            found[sentence.index] = [describe_fact(fact, kinds) for fact in facts] or [_WHOLE]
    return found


def doubted_in(report: Report, sentence: Sentence) -> tuple[Fact, ...]:
    """The doubted facts of a sentence."""
    facts = (report.facts[index] for index in sentence.facts)
    return tuple(fact for fact in facts if fact.verdict in DOUBTED)


def in_doubt(report: Report, sentence: Sentence) -> bool:
    """Whether a sentence, or a fact of it, is doubted."""
    return sentence.verdict in DOUBTED or bool(doubted_in(report, sentence))


def describe_fact(fact: Fact, kinds: Mapping[str, SourceKind]) -> str:
    """A doubted fact on one line, with the words of references that contradict it and the value
    that most samples have in its place.

    ``kinds`` tells the kind of each source by its id.
    """
    said = [" | ".join(part for part in fact.triple if part)]
    against = [
        item
        for item in fact.evidence
        if item.stance == "contradicts" and kinds[item.source] != "sample"
    ]
    for item in against[:_QUOTES]:
        if words := " ".join((item.quote or item.value or "").split()):
            said.append(f"the reference says: {_short(words)}")
    found = find_agreed_value(fact, kinds)
    if found is not None and found.by == "samples":
        said.append(f"other answers say {_short(found.value)} ({found.count} of {found.of})")
    return "; ".join(said)


def visible_sentences(report: Report, touched: Sequence[int], *, whole: bool) -> dict[int, str]:
    """The sentences that a model sees, by index: all of them, or, where ``whole`` is False or
    they are too long together, those touched and the ``NEAR`` ones."""
    sentences = report.sentences
    if not whole or sum(one.end - one.start for one in sentences) > WHOLE_TEXT:
        near = {
            place
            for index in touched
            for place in range(max(0, index - NEAR), min(len(sentences), index + NEAR + 1))
        }
        sentences = tuple(sentences[place] for place in sorted(near))
    return {one.index: report.text[one.start : one.end] for one in sentences}


def _short(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else text[: _LONGEST_QUOTE - 1] + "…"
