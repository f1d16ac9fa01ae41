"""Correcting without a model: from doubted facts to a corrected text.

A doubted value that the sources replace with one other value is replaced by it; a fact they
say the other way round is turned; what nobody gives another value for is removed, hedged or
marked, as the caller chose. Sentences without a doubted fact stay byte for byte.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from typing import Literal

from halubot.compare.finding import OPPOSITE
from halubot.correcting import cutting, polarity
from halubot.correcting.accepting import applied
from halubot.correcting.agreement import agreed, fitted
from halubot.correcting.removing import widened
from halubot.correcting.stretches import joined
from halubot.errors import SettingError
from halubot.facts import (
    DOUBTED,
    Action,
    Correction,
    Edit,
    Fact,
    Report,
    Sentence,
    SourceKind,
    Span,
)
from halubot.text import language

OnDoubt = Literal["remove", "hedge", "mark"]

Hints = Literal["none", "sentences", "facts"]
"""What a model that corrects is told: the text alone, its doubted sentences, or their facts."""

_HEDGE = (" (?)", " (unconfirmed)")
_MARK = (" [?]", " [doubtful]")
_WORDS: dict[OnDoubt, tuple[tuple[str, str], Action]] = {
    "remove": (_HEDGE, "hedged"),
    "hedge": (_HEDGE, "hedged"),
    "mark": (_MARK, "kept"),
}
"""What is put behind a doubted clause that stays, in other languages and in English."""

_ORDER: dict[Action, int] = {"changed": 0, "removed": 1, "hedged": 2, "kept": 3, "refused": 4}


def corrected(report: Report, *, on_doubt: OnDoubt = "remove") -> Correction:
    """The correction of a report's text, not yet checked again (``report`` is None).

    ``on_doubt`` says what becomes of a doubted fact that has no agreed value: its clause is
    removed (hedged where it cannot be cut out cleanly), hedged, or kept and marked. With
    nothing doubted there are no edits and the text is the report's own.

    Raises SettingError for another ``on_doubt``.
    """
    if on_doubt not in _WORDS:
        raise SettingError(f"there is no way {on_doubt!r} to correct: {', '.join(_WORDS)}")
    kinds = {source.id: source.kind for source in report.sources}
    english = language(report.text) == "en"
    edits: list[Edit] = []
    for sentence in report.sentences:
        edits += _edits(report, sentence, kinds, on_doubt, english)
    sentences = {(sentence.start, sentence.end) for sentence in report.sentences}
    edits = widened(report.text, _disjoint(edits), sentences)
    return Correction(text=applied(report.text, edits), edits=tuple(edits))


def _edits(
    report: Report,
    sentence: Sentence,
    kinds: dict[str, SourceKind],
    on_doubt: OnDoubt,
    english: bool,
) -> list[Edit]:
    """The edits of one sentence, surest first; none where nothing in it is doubted."""
    text = report.text
    facts = [report.facts[index] for index in sentence.facts]
    doubted = [fact for fact in facts if fact.verdict in DOUBTED]
    kept = [fact for fact in facts if fact.verdict not in DOUBTED]
    edits: list[Edit] = []

    def add(place: tuple[int, int, str], facts: tuple[int, ...], action: Action) -> None:
        start, end, after = place
        before = text[start:end]
        edits.append(
            Edit(
                sentence=sentence.index,
                start=start,
                end=end,
                before=before,
                after=after,
                facts=facts,
                action=action,
            )
        )

    undecided: list[Fact] = []
    for fact in doubted:
        change = _changed(text, fact, kinds)
        if change is None:
            undecided.append(fact)
        else:
            add(change, (fact.index,), "changed")
            kept.append(fact)
    if on_doubt == "remove" and undecided:
        for cut in cutting.cut(text, (sentence.start, sentence.end), undecided, kept):
            add((cut.start, cut.end, cut.after), cut.facts, "removed")
            undecided = [fact for fact in undecided if fact.index not in cut.facts]
    words, action = _WORDS[on_doubt]
    after = words[english]
    for end, held in _ends(text, sentence, undecided):
        add((end, end, after), held, action)
    return edits


def _ends(
    text: str, sentence: Sentence, facts: Iterable[Fact]
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Where clauses with these facts end, each with its facts: a clause is hedged once."""
    ends = sorted(((fact.parts.tail or fact.spans[-1])[1], fact.index) for fact in facts)
    held: list[int] = []
    for place, (end, fact) in enumerate(ends):
        held.append(fact)
        behind = ends[place + 1][0] if place + 1 < len(ends) else None
        span = (sentence.start, sentence.end)
        if behind is None or not joined(text, span, end, behind):
            yield end, tuple(sorted(held))
            held = []


def _changed(text: str, fact: Fact, kinds: dict[str, SourceKind]) -> tuple[int, int, str] | None:
    """The edit that gives the fact its agreed value, or turns it round; None where the sources
    agree on neither."""
    tail = fact.parts.tail
    found = agreed(fact, kinds)
    if found is not None and tail is not None:
        after = fitted(text[tail[0] : tail[1]], found.value)
        return (*tail, after) if after != text[tail[0] : tail[1]] else None
    if _denied_by_most(fact, kinds):
        start, end = min(s for s, _ in fact.spans), max(e for _, e in fact.spans)
        turn = polarity.affirmed if fact.negated else polarity.denied
        return turn(text, fact.parts.relation or (start, end)) or turn(text, (start, end))
    return None


def _denied_by_most(fact: Fact, kinds: dict[str, SourceKind]) -> bool:
    """Whether most of those that speak of the fact say the opposite; a reference outweighs."""
    speaking = [item for item in fact.evidence if item.stance != "silent"]
    references = [item for item in speaking if kinds[item.source] != "sample"]
    deciding = references or speaking
    opposite = [item for item in deciding if item.note == OPPOSITE]
    enough = 1 if references else 2
    return len(opposite) >= enough and 2 * len(opposite) > len(deciding)


def _disjoint(edits: Iterable[Edit]) -> list[Edit]:
    """The edits in the order of the text; where two meet, the surer one stands for both."""
    chosen: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (_ORDER[edit.action], edit.start, -edit.end)):
        at = bisect_left(chosen, (edit.start, edit.end), key=_place)
        near = [place for place in (at - 1, at) if 0 <= place < len(chosen)]
        met = next((place for place in near if _meet(edit, chosen[place])), None)
        if met is None:
            chosen.insert(at, edit)
        else:
            facts = tuple(sorted({*chosen[met].facts, *edit.facts}))
            chosen[met] = chosen[met].model_copy(update={"facts": facts})
    return chosen


def _place(edit: Edit) -> Span:
    return (edit.start, edit.end)


def _meet(a: Edit, b: Edit) -> bool:
    """Whether two edits change the same place; what is put in at an edge of the other does not."""
    return _place(a) == _place(b) or (a.start < b.end and b.start < a.end)
