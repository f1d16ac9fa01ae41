"""Correcting without a model: from doubted facts to a corrected text.

A value, a name or another word that the sources replace with one other is replaced by it. All
other doubted words stay as they are and are listed with a reason, unless the caller asks to remove
or to hedge them. The rest of the text stays byte for byte.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Literal, get_args

from halubot.compare.tokens import content
from halubot.correction import removal
from halubot.correction.removal import are_joined
from halubot.correction.replacement_choice import (
    FEWEST_SAMPLES,
    find_agreed_value,
    fit_value,
    says_nearly,
)
from halubot.correction.seams import with_article
from halubot.edits import apply_edits, widen_edits
from halubot.errors import SettingError
from halubot.report import (
    DOUBTED,
    Action,
    Correction,
    Edit,
    Fact,
    Report,
    Sentence,
    SourceKind,
    Span,
    Verdict,
)
from halubot.text import language

OnDoubt = Literal["mark", "remove", "hedge"]
"""What becomes of doubted words that no source replaces: they are kept and listed, taken out, or
followed by a hedge."""

Hints = Literal["none", "sentences", "facts"]
"""What a model that corrects is told: the text alone, its doubted sentences, or their facts."""

MOST_CHANGED: Final = 0.2
"""The share of a text that may be removed or hedged; what is doubted beyond it is kept."""

_HEDGE: Final = (" (?)", " (unconfirmed)")
"""What is put behind a doubted clause, in other languages and in English."""

_ORDER: dict[Action, int] = {"changed": 0, "removed": 1, "hedged": 2, "kept": 3, "refused": 4}

NO_VALUE: Final = "the sources give nothing that could stand here"
TOO_FEW: Final = f"fewer than {FEWEST_SAMPLES} answers speak of it, so they settle nothing"
NO_AGREEMENT: Final = "the sources do not agree on what should stand here"
DOUBT_ONLY: Final = "in doubt, but not contradicted"
IN_MARKUP: Final = "it stands in a list or a table, which must stay whole"
IN_TABLE: Final = "it stands in a table, and a cell does not say what its value is of"
IS_HEDGED: Final = "it is hedged already"
TOO_MUCH: Final = "more than {share:.0%} of the text is in doubt"
NOT_BORNE_OUT: Final = "no source supports the text with the change, so it was withdrawn"


def make_correction(
    report: Report,
    *,
    on_doubt: OnDoubt = "mark",
    most: float = MOST_CHANGED,
    withdrawn: Collection[int] = (),
) -> Correction:
    """Return the correction of a report's text, not yet checked again (``report`` is None).

    A doubted fact for which the sources agree on other words is changed, unless its index is in
    ``withdrawn``. ``on_doubt`` says what becomes of any other; ``most`` (0 to 1) is the share of
    the text that may be removed or hedged. With nothing doubted there are no edits and the text is
    the report's own.

    Raises SettingError for another ``on_doubt``, or a share outside 0 to 1.
    """
    if on_doubt not in get_args(OnDoubt):
        raise SettingError(
            f"there is no way {on_doubt!r} to correct: {', '.join(get_args(OnDoubt))}"
        )
    if not 0 <= most <= 1:
        raise SettingError(f"the share of the text that may be changed is {most}, not from 0 to 1")
    work = _Work(report, on_doubt, most, frozenset(withdrawn))
    edits: list[Edit] = []
    for sentence in report.sentences:
        edits += work.edits_of(sentence)
    sentences = {(sentence.start, sentence.end) for sentence in report.sentences}
    # Last, because the space and the marks around a sentence may be claimed by two edits.
    edits = widen_edits(report.text, _disjoint(edits), sentences)
    return Correction(text=apply_edits(report.text, edits), edits=tuple(edits))


def withdraw(
    report: Report, correction: Correction, again: Report, *, on_doubt: OnDoubt = "mark"
) -> Correction:
    """Return the correction without the changes that its sources do not support: in ``again``, the
    report of the corrected text, each changed place must lie in no doubted fact, and in a supported
    one or in a sentence that a quote says nearly all of, and its sentence must need no other
    change now. ``on_doubt`` says what becomes of the
    words that would have been changed."""
    facts: set[int] = set()
    moved = 0
    more = [edit for edit in make_correction(again).edits if edit.action == "changed"]
    opened = {edit.sentence for edit in more}
    for edit in correction.edits:
        place = (edit.start + moved, edit.start + moved + len(edit.after))
        moved += len(edit.after) - (edit.end - edit.start)
        if edit.action != "changed":
            continue
        if not opened.isdisjoint(_sentences_at(again, place)):
            facts.update(edit.facts)  # two differences tell of two events
        elif _is_supported(again, place):
            continue
        elif not _is_free_of_doubt(again, place) or not (
            _is_voted_for(report, edit, again) or _is_quoted(report, edit, again, place)
        ):
            facts.update(edit.facts)
    return make_correction(report, on_doubt=on_doubt, withdrawn=facts) if facts else correction


def _sentences_at(report: Report, place: Span) -> list[int]:
    return [one.index for one in report.sentences if one.start < place[1] and place[0] < one.end]


def _is_supported(report: Report, place: Span) -> bool:
    return _is_free_of_doubt(report, place) and "supported" in _verdicts(report, place)


def _is_free_of_doubt(report: Report, place: Span) -> bool:
    return _verdicts(report, place).isdisjoint(DOUBTED)


def _verdicts(report: Report, place: Span) -> set[Verdict]:
    """The verdicts on the facts at a place."""
    return {
        fact.verdict
        for fact in report.facts
        if any(start < place[1] and place[0] < end for start, end in fact.spans)
    }


def _is_voted_for(report: Report, edit: Edit, again: Report) -> bool:
    """Return True if several samples that were compared again give the value of a change: no
    single one of them needs to say the whole sentence."""
    kinds = {source.id: source.kind for source in report.sources}
    texts = [source.text or "" for source in again.sources]
    for index in edit.facts:
        fact = report.facts[index]
        found = find_agreed_value(fact, kinds)
        if found is not None and found.by == "samples" and found.count >= FEWEST_SAMPLES:
            quotes = [one.quote for one in fact.evidence if one.value]
            return all(any(quote in text for text in texts) for quote in quotes)
    return False


def _is_quoted(report: Report, edit: Edit, again: Report, place: Span) -> bool:
    """Return True if a quote that led to a change, of a source that was compared again, says nearly
    all of the sentence as it is now."""
    sources = [source.text or "" for source in again.sources]
    quotes = {
        one.quote
        for index in edit.facts
        for one in report.facts[index].evidence
        if one.stance == "contradicts" and one.quote
        if any(one.quote in source for source in sources)
    }
    return any(says_nearly(again.text, place, quote) for quote in sorted(quotes))


@dataclass
class _Work:
    """The correction of one report as it is made; ``room`` is how many characters more may be
    removed or hedged, ``left`` are the facts for whose removal there was too little."""

    report: Report
    on_doubt: OnDoubt
    most: float
    withdrawn: frozenset[int]
    kinds: dict[str, SourceKind] = field(init=False)
    english: bool = field(init=False)
    room: float = field(init=False)
    left: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.kinds = {source.id: source.kind for source in self.report.sources}
        self.english = language(self.report.text) == "en"
        # Hedges of a correction before this one give no room for more.
        self.room = self.most * len(self.report.text.replace(_HEDGE[self.english], ""))

    def edits_of(self, sentence: Sentence) -> list[Edit]:
        """The edits of one sentence, surest first; none if nothing in it is doubted."""
        facts = [self.report.facts[index] for index in sentence.facts]
        undecided: list[Fact] = []
        kept = [fact for fact in facts if fact.verdict not in DOUBTED]
        edits: list[Edit] = []
        for fact in facts:
            if fact.verdict not in DOUBTED:
                continue
            change = None if fact.index in self.withdrawn else self._change(sentence, fact)
            if change is None:
                undecided.append(fact)
            else:
                edits.append(change)
                kept.append(fact)
        # Words that change places are changed together or not at all: one alone would say a thing
        # twice.
        for edit in _halves(self.report.text[sentence.start : sentence.end], edits):
            edits.remove(edit)
            undecided += [self.report.facts[index] for index in edit.facts]
            kept = [fact for fact in kept if fact.index not in edit.facts]
        if undecided and self.on_doubt != "mark":
            edits += self._take_out(sentence, undecided, kept)
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
        """The edit that puts the agreed words in the place of a fact's doubted ones."""
        found = find_agreed_value(fact, self.kinds)
        # Doubt alone settles no value, and of several places none would be the one to change.
        if found is None or fact.verdict != "contradicted" or len(fact.spans) != 1:
            return None
        # A cell does not say what its value is of, so another value may be of something else.
        if _is_row(self.report.text, sentence) and not self._is_named(sentence, fact):
            return None
        (place,) = fact.spans
        before = self.report.text[slice(*place)]
        # A whole name in place of a half would leave the other half behind it: "Ferraz–Herrán".
        if before[:1].isupper() and _is_half(self.report.text, place):
            return None
        after = fit_value(before, found.value)
        # Elsewhere a name keeps its capital.
        if place[0] == sentence.start or before[:1].islower():
            after = _match_case(before, after)
        # A line break could end an item of a list or a row of a table.
        if after == before or "\n" in before + after:
            return None
        if _is_said(self.report.text[sentence.start : sentence.end], before, after):
            return None
        if self.english:
            place, after = with_article(self.report.text, place, after)
        return self._edit(sentence, place, after, facts=(fact.index,), action="changed")

    def _is_named(self, sentence: Sentence, fact: Fact) -> bool:
        """Return True for a cell beside one other cell, which says what the value is of in words
        that a quote has too. A name does not say it: "Ada Hill | 1870"."""
        text, (start, end) = self.report.text, fact.spans[0]
        first = max(text.rfind("\n", 0, start), text.rfind("|", 0, start)) + 1
        ends = [at for at in (text.find("|", end), text.find("\n", end)) if at >= 0]
        own = text[first : min(ends, default=len(text))].strip()
        row = _line(text, sentence).strip()
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        if len(cells) != _CELLS or "\n" in row or own not in cells:
            return False
        label = {one.norm for one in content(cells[1 - cells.index(own)]) if one.kind == "word"}
        quotes = [one.quote for one in fact.evidence if one.stance == "contradicts" and one.value]
        return any(label & {one.norm for one in content(quote)} for quote in quotes)

    def _keep_words(self, sentence: Sentence, fact: Fact) -> Edit:
        """The edit that lists doubted words and leaves them."""
        places = fact.spans or ((sentence.start, sentence.end),)
        place = (places[0][0], places[-1][1])
        reason = DOUBT_ONLY
        if self.on_doubt != "mark":
            reason = TOO_MUCH.format(share=self.most)
            if self._is_hedged(_end(fact)):
                reason = IS_HEDGED
            elif _is_marked(self.report.text, sentence) and fact.index not in self.left:
                reason = IN_MARKUP
        elif fact.index in self.withdrawn:
            reason = NOT_BORNE_OUT
        elif fact.verdict == "contradicted":
            reason = self._explain_unsettled(sentence, fact)
        words = self.report.text[slice(*place)]
        return self._edit(sentence, place, words, facts=(fact.index,), action="kept", reason=reason)

    def _explain_unsettled(self, sentence: Sentence, fact: Fact) -> str:
        """Why nothing takes the place of contradicted words."""
        if _is_row(self.report.text, sentence) and not self._is_named(sentence, fact):
            return IN_TABLE
        heard = [one for one in fact.evidence if one.stance != "silent"]
        if not any(one.value for one in heard):
            return NO_VALUE
        asked = all(self.kinds[one.source] == "sample" for one in heard)
        return TOO_FEW if asked and len(heard) < FEWEST_SAMPLES else NO_AGREEMENT

    def _take_out(
        self, sentence: Sentence, undecided: list[Fact], kept: list[Fact]
    ) -> Iterator[Edit]:
        """The edits that remove or hedge doubted facts, as far as there is room. A line of a list
        is removed only as a whole. A numbered one stays, so that the numbers do not jump, and so
        do the rows of a table."""
        text, span = self.report.text, (sentence.start, sentence.end)
        marked = _is_marked(text, sentence)
        fixed = _is_numbered(text, sentence) or _is_row(text, sentence)
        if self.on_doubt == "remove":
            for cut in removal.cut_facts(text, span, undecided, kept):
                whole = (cut.start, cut.end) == span
                size = cut.end - cut.start
                if fixed or (marked and not whole):
                    continue
                if size > self.room:
                    self.left.update(cut.facts)
                    continue
                self.room -= size
                place = (cut.start, cut.end)
                yield self._edit(sentence, place, cut.after, facts=cut.facts, action="removed")
                undecided = [fact for fact in undecided if fact.index not in cut.facts]
        if marked:
            return
        # Once a clause: two hedges behind it would read as two doubts.
        after = _HEDGE[self.english]
        for end, held in _ends(text, sentence, undecided):
            facts = (self.report.facts[index] for index in held)
            size = sum(last - first for fact in facts for first, last in fact.spans)
            if size > self.room:
                return
            self.room -= size
            if self._is_hedged(end):
                continue
            # Behind the whole of a name with a dash, which the fact may hold a half of.
            place = (_behind_name(text, end),) * 2
            yield self._edit(sentence, (place[0], place[1]), after, facts=held, action="hedged")

    def _is_hedged(self, end: int) -> bool:
        """Return True if a hedge stands if one would be put, as in a text corrected before."""
        end = _behind_name(self.report.text, end)
        return self.report.text.startswith(_HEDGE[self.english], end)


def _is_half(text: str, place: Span) -> bool:
    """Return True for a part of a name that a dash joins: "Hay" of "Hay–Herrán"."""
    start, end = place
    return any(
        len(beside) == 2 and beside[0] in "-–" and beside[1].isupper()
        for beside in (text[max(0, start - 2) : start][::-1], text[end : end + 2])
    ) or (text[max(0, start - 1) : start] in ("-", "–") and text[max(0, start - 2)].isalpha())


def _behind_name(text: str, end: int) -> int:
    """Return the place at which the word ends whose first part ends at a place: after "Herrán" of
    "Hay–Herrán"."""
    found = re.compile(r"(?:[-–]\w+)+").match(text, end)
    return found.end() if found is not None else end


def _halves(sentence: str, edits: Sequence[Edit]) -> list[Edit]:
    """The changes of one word to another one that the sentence has already, unless that one is
    changed too: of "left" and "right" that have changed places both are put right, or none."""
    words = re.findall(r"\w+", sentence.lower())
    before = {edit.before.lower() for edit in edits}
    return [
        edit
        for edit in edits
        if edit.after.isalpha()
        and edit.after.islower()
        and edit.after in words
        and edit.after not in before
    ]


def _is_said(sentence: str, before: str, after: str) -> bool:
    """Return True if a name would be put in that the sentence has already, maybe written otherwise:
    "ActNow BC" for "ActNowBC"."""
    if not (before[:1].isupper() and after[:1].isupper()) or not after.isalpha():
        return False
    held, name = (re.sub(r"\W", "", text).casefold() for text in (sentence, after))
    return len(name) > _SHORT_NAME and name in held


_SHORT_NAME: Final = 3


def _match_case(before: str, after: str) -> str:
    """The new words with the case of the first letter of the old ones."""
    if before[:1].isupper() and after[:1].islower():
        return after[:1].upper() + after[1:]
    if before[:1].islower() and after[:1].isupper() and after[1:] == after[1:].lower():
        return after[:1].lower() + after[1:]
    return after


def _is_marked(text: str, sentence: Sentence) -> bool:
    """Return True for a sentence in a list or a table, of which nothing can be cut out."""
    fixed = _is_numbered(text, sentence) or _is_row(text, sentence)
    return fixed or _line(text, sentence)[:2] in ("- ", "* ", "+ ")


def _is_row(text: str, sentence: Sentence) -> bool:
    """Return True for a sentence in a row of a table."""
    return "|" in _line(text, sentence)


def _is_numbered(text: str, sentence: Sentence) -> bool:
    """Return True for a sentence in a line of a numbered list."""
    return _NUMBERED.match(_line(text, sentence)) is not None


_CELLS: Final = 2
_NUMBERED: Final = re.compile(r"\d{1,9}[.)]\s")


def _line(text: str, sentence: Sentence) -> str:
    """The line or lines that hold a sentence, without their indentation."""
    first = text.rfind("\n", 0, sentence.start) + 1
    last = text.find("\n", sentence.end)
    return text[first : last if last >= 0 else len(text)].lstrip()


def _end(fact: Fact) -> int:
    """Return the end of a fact's clause."""
    return (fact.parts.tail or fact.spans[-1])[1]


def _ends(
    text: str, sentence: Sentence, facts: Iterable[Fact]
) -> Iterator[tuple[int, tuple[int, ...]]]:
    """Yield the ends of clauses with these facts, each with its facts: a clause is hedged once."""
    ends = sorted((_end(fact), fact.index) for fact in facts)
    held: list[int] = []
    for place, (end, fact) in enumerate(ends):
        held.append(fact)
        behind = ends[place + 1][0] if place + 1 < len(ends) else None
        span = (sentence.start, sentence.end)
        if behind is None or not are_joined(text, span, end, behind):
            yield end, tuple(sorted(held))
            held = []


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
