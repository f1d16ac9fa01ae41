"""Correcting without a model: from doubted facts to a corrected text.

A value, a name or another word is replaced if a quote proves what stands in its place
(`halubot.correction.proposal`). All other doubted words stay as they are and are listed with a
reason, unless the caller asks to remove or to hedge them. The rest of the text stays byte for byte.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from halubot.correction.proposal import propose
from halubot.edits import apply_edits, widen_edits
from halubot.errors import SettingError
from halubot.report import DOUBTED, Action, Correction, Edit, Fact, Report, Sentence, Span
from halubot.text import language
from halubot.verifier.encoder import Verifier
from halubot.verifier.reading import clauses_of

OnDoubt = Literal["mark", "remove", "hedge"]
"""What becomes of doubted words that no source replaces: they are kept and listed, taken out, or
followed by a hedge."""

Hints = Literal["none", "sentences", "facts"]
"""What a model that corrects is told: the text alone, its doubted sentences, or their facts."""

MOST_CHANGED = 0.2
"""The share of a text that may be removed or hedged; what is doubted beyond it is kept."""

_HEDGE: Final = (" (?)", " (unconfirmed)")
"""What is put behind a doubted clause, in other languages and in English."""

_ORDER: dict[Action, int] = {"changed": 0, "removed": 1, "hedged": 2, "kept": 3, "refused": 4}

NO_VALUE: Final = "the sources give nothing that could stand here"
NO_AGREEMENT: Final = "the sources do not settle what should stand here"
DOUBT_ONLY: Final = "in doubt, but not contradicted"
IN_MARKUP: Final = "it stands in a list or a table, which must stay whole"
IN_TABLE: Final = "it stands in a table, and a cell does not say what its value is of"
IS_HEDGED: Final = "it is hedged already"
TOO_MUCH: Final = f"more than {MOST_CHANGED:.0%} of the text is in doubt"
NOT_BORNE_OUT: Final = "no source supports the text with the change, so it was withdrawn"


def make_correction(
    report: Report,
    *,
    on_doubt: OnDoubt = "mark",
    withdrawn: Collection[int] = (),
    verifier: Verifier | None = None,
) -> Correction:
    """Return the correction of a report's text, not yet checked again (``report`` is None).

    A contradicted fact is changed if the ``verifier`` finds the sentence entailed with the words
    of a quote in its place, unless its index is in ``withdrawn``. ``on_doubt`` says what becomes of
    any other. With nothing doubted there are no edits and the text is the report's own.

    Raises SettingError for another ``on_doubt``, and LocalModelError if the verifier fails.
    """
    if on_doubt not in get_args(OnDoubt):
        raise SettingError(
            f"there is no way {on_doubt!r} to correct: {', '.join(get_args(OnDoubt))}"
        )
    work = _Work(report, on_doubt, frozenset(withdrawn), verifier)
    edits: list[Edit] = []
    for sentence in report.sentences:
        edits += work.edits_of(sentence)
    sentences = {(sentence.start, sentence.end) for sentence in report.sentences}
    # Last, because the space and the marks around a sentence may be claimed by two edits.
    edits = widen_edits(report.text, _disjoint(edits), sentences)
    return Correction(text=apply_edits(report.text, edits), edits=tuple(edits))


def withdraw(
    report: Report,
    correction: Correction,
    again: Report,
    *,
    on_doubt: OnDoubt = "mark",
    verifier: Verifier | None = None,
) -> Correction:
    """Return the correction without the changes that do not hold: in ``again``, the report of the
    corrected text, a fact at the changed place is doubted. ``on_doubt`` says what becomes of the
    words that would have been changed."""
    gone: set[int] = set()
    moved = 0
    for edit in correction.edits:
        first, last = edit.start + moved, edit.start + moved + len(edit.after)
        moved += len(edit.after) - (edit.end - edit.start)
        if edit.action == "changed" and any(
            fact.verdict in DOUBTED
            for fact in again.facts
            for start, end in fact.spans
            if start < last and first < end
        ):
            gone.update(edit.facts)
    if not gone:
        return correction
    return make_correction(report, on_doubt=on_doubt, withdrawn=gone, verifier=verifier)


@dataclass
class _Work:
    """The correction of one report as it is made; ``room`` is how many characters more may be
    removed or hedged, ``left`` are the facts for whose removal there was too little."""

    report: Report
    on_doubt: OnDoubt
    withdrawn: frozenset[int]
    verifier: Verifier | None
    english: bool = field(init=False)
    room: float = field(init=False)
    left: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.english = language(self.report.text) == "en"
        # Hedges of a correction before this one give no room for more.
        self.room = MOST_CHANGED * len(self.report.text.replace(_HEDGE[self.english], ""))

    def edits_of(self, sentence: Sentence) -> list[Edit]:
        """The edits of one sentence, surest first; none if nothing in it is doubted."""
        facts = [self.report.facts[index] for index in sentence.facts]
        undecided: list[Fact] = []
        edits: list[Edit] = []
        for fact in facts:
            if fact.verdict not in DOUBTED:
                continue
            change = None if fact.index in self.withdrawn else self._change(sentence, fact)
            if change is None:
                undecided.append(fact)
            else:
                edits.append(change)
        if undecided and self.on_doubt != "mark":
            edits += self._take_out(sentence, undecided)
            done = {index for edit in edits for index in edit.facts}
            undecided = [fact for fact in undecided if fact.index not in done]
        return [*edits, *(self._keep_words(sentence, fact) for fact in undecided)]

    def _edit(
        self,
        sentence: Sentence,
        place: Span,
        after: str,
        *,
        facts: tuple[int, ...],
        action: Action,
        reason: str | None = None,
    ) -> Edit:
        start, end = place
        return Edit(
            sentence=sentence.index,
            start=start,
            end=end,
            before=self.report.text[start:end],
            after=after,
            facts=facts,
            action=action,
            reason=reason,
        )

    def _change(self, sentence: Sentence, fact: Fact) -> Edit | None:
        """The edit that puts proved words in the place of a fact's doubted ones."""
        # A cell does not say what its value is of, so another value may be of something else.
        if _setting(self.report.text, sentence) == "row":
            return None
        found = propose(self.report, fact, self.verifier)
        if found is None:
            return None
        place, after = found
        before = self.report.text[slice(*place)]
        # Elsewhere a name keeps its capital.
        if place[0] == sentence.start or before[:1].islower():
            after = _match_case(before, after)
        # A line break could end an item of a list or a row of a table.
        if after == before or "\n" in before + after:
            return None
        if self.english:
            place, after = _with_article(self.report.text, place, after)
        return self._edit(sentence, place, after, facts=(fact.index,), action="changed")

    def _keep_words(self, sentence: Sentence, fact: Fact) -> Edit:
        places = fact.spans or ((sentence.start, sentence.end),)
        place = (places[0][0], places[-1][1])
        setting, reason = _setting(self.report.text, sentence), DOUBT_ONLY
        if self.on_doubt != "mark":
            reason = TOO_MUCH
            clause, _ = next(_clauses(self.report.text, sentence, [fact]))
            if self._is_hedged(clause):
                reason = IS_HEDGED
            elif setting and fact.index not in self.left:
                reason = IN_MARKUP
        elif fact.index in self.withdrawn:
            reason = NOT_BORNE_OUT
        elif fact.verdict == "contradicted":
            given = any(one.value for one in fact.evidence if one.stance != "silent")
            reason = IN_TABLE if setting == "row" else NO_AGREEMENT if given else NO_VALUE
        words = self.report.text[slice(*place)]
        return self._edit(sentence, place, words, facts=(fact.index,), action="kept", reason=reason)

    def _take_out(self, sentence: Sentence, undecided: list[Fact]) -> Iterator[Edit]:
        """The edits that remove or hedge doubted facts, as far as there is room: a sentence is
        removed if nothing of it is supported, else hedged. A numbered line of a list stays, so
        that the numbers do not jump, and so do the rows of a table."""
        text = self.report.text
        setting = _setting(text, sentence)
        verdicts = {self.report.facts[index].verdict for index in sentence.facts}
        movable = setting in ("", "item") and "supported" not in verdicts
        if self.on_doubt == "remove" and movable:
            size = sentence.end - sentence.start
            gone = tuple(fact.index for fact in undecided)
            if size <= self.room:
                self.room -= size
                place = (sentence.start, sentence.end)
                yield self._edit(sentence, place, "", facts=gone, action="removed")
                return
            self.left.update(gone)
        if setting:
            return
        # Once a clause: two hedges behind it would read as two doubts.
        after = _HEDGE[self.english]
        for clause, held in _clauses(text, sentence, undecided):
            facts = [self.report.facts[index] for index in held]
            size = sum(last - first for fact in facts for first, last in fact.spans)
            if size > self.room:
                return
            self.room -= size
            if self._is_hedged(clause):
                continue
            # Behind the whole of a name with a dash, which the fact may hold a half of.
            end = _behind_name(text, max(map(_end, facts)))
            yield self._edit(sentence, (end, end), after, facts=held, action="hedged")

    def _is_hedged(self, clause: Span) -> bool:
        """Return True if a hedge stands in a clause or behind it, as in a text corrected before:
        read again, the facts may end elsewhere."""
        hedge = _HEDGE[self.english]
        end = _behind_name(self.report.text, clause[1])
        # Or it begins within one, at whose bracket it was cut.
        start = max(0, clause[0] - hedge.index("(") - 1)
        return hedge in self.report.text[start : end + len(hedge)]


def _behind_name(text: str, end: int) -> int:
    """Return the place at which the word ends whose first part ends at a place: after "Herrán" of
    "Hay–Herrán"."""
    found = re.compile(r"(?:[-–]\w+)+").match(text, end)
    return found.end() if found is not None else end


_AN: Final = re.compile(
    r"(?i)(?!uni|use|usu|eu|one\b|once|u[bcfhjkqrst][aeiou])[aeiou]|8|11\b|18\b|hour|honest"
)
_ARTICLE: Final = re.compile(r"(?<!\w)(?i:an?) $")


def _with_article(text: str, place: Span, after: str) -> tuple[Span, str]:
    """Return a change with the article before it, if another one fits: "an 80", "a 90"."""
    found = _ARTICLE.search(text, max(0, place[0] - 4), place[0])
    if found is None:
        return place, after
    article = found.group().strip()
    fitting = article[0] + ("n" if _AN.match(after) else "")
    if fitting == article:
        return place, after
    return (found.start(), place[1]), f"{fitting} {after}"


def _match_case(before: str, after: str) -> str:
    """The new words with the case of the first letter of the old ones."""
    if before[:1].isupper() and after[:1].islower():
        return after[:1].upper() + after[1:]
    if before[:1].islower() and after[:1].isupper() and after[1:] == after[1:].lower():
        return after[:1].lower() + after[1:]
    return after


def _setting(text: str, sentence: Sentence) -> Literal["row", "number", "item", ""]:
    """Where a sentence stands: in the "row" of a table, in an "item" of a list, in one with a
    "number", of which nothing can be cut out; "" for prose."""
    first = text.rfind("\n", 0, sentence.start) + 1
    last = text.find("\n", sentence.end)
    line = text[first : last if last >= 0 else len(text)].lstrip()
    if "|" in line:
        return "row"
    if _NUMBERED.match(line):
        return "number"
    return "item" if line[:2] in ("- ", "* ", "+ ") else ""


_NUMBERED: Final = re.compile(r"\d{1,9}[.)]\s")


def _end(fact: Fact) -> int:
    return (fact.parts.tail or fact.spans[-1])[1]


def _clauses(
    text: str, sentence: Sentence, facts: Iterable[Fact]
) -> Iterator[tuple[Span, tuple[int, ...]]]:
    """Yield the clauses in which facts end, or the sentence if it has none, each with its facts."""
    clauses = clauses_of(text, (sentence.start, sentence.end))
    held: dict[Span, list[int]] = {}
    for fact in facts:
        end = _end(fact)
        whole = (sentence.start, sentence.end)
        clause = next(((a, b) for a, b in clauses if a < end <= b), whole)
        held.setdefault(clause, []).append(fact.index)
    for clause, indexes in sorted(held.items(), key=lambda one: one[0][1]):
        yield clause, tuple(sorted(indexes))


def _disjoint(edits: Iterable[Edit]) -> list[Edit]:
    """The edits in the order of the text; if two meet, the surer one stands for both."""
    chosen: list[Edit] = []
    for edit in sorted(edits, key=lambda edit: (_ORDER[edit.action], edit.start, -edit.end)):
        at = bisect_left(chosen, (edit.start, edit.end), key=_place)
        near = [place for place in (at - 1, at) if 0 <= place < len(chosen)]
        met = next((place for place in near if _meet(edit, chosen[place])), None)
        if met is None:
            chosen.insert(at, edit)
        else:
            facts = tuple(sorted({*chosen[met].facts, *edit.facts}))
            # One edit corrects both facts.
            chosen[met] = chosen[met].model_copy(update={"facts": facts})
    return chosen


def _place(edit: Edit) -> Span:
    return (edit.start, edit.end)


def _meet(a: Edit, b: Edit) -> bool:
    """Return True if two edits change the same place; what is put in at an edge of the other does
    not."""
    return _place(a) == _place(b) or (a.start < b.end and b.start < a.end)
