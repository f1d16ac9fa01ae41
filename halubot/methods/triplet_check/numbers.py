"""The numbers and dates of facts beside references, by rules: here language models miss most.

A reference *denies* a fact where the embedded comparison finds another number or date in the place
of the fact's own, in a sentence that speaks of the same. A fact has an
*absent* figure where a number or date of it, written in digits, is in no reference, in no form. Of
long references only the parts that are shown to a judge are compared; a figure is looked for in all
of them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final, NamedTuple

from halubot.compare.findings import Finding
from halubot.compare.matcher import Matcher
from halubot.compare.tokens import Worded, with_tokens
from halubot.compare.values import Value, compatible, find
from halubot.evidence.context import Part
from halubot.methods.quotes import evidence_of, fullest
from halubot.report import Evidence, Fact, Source, Span, Stance, Triple
from halubot.text import Document, read

_DIGITS: Final = re.compile(r"\d+")
_BETWEEN: Final = "\n\n"


class _Shown(NamedTuple):
    """The parts of one reference that are shown, as one text, and where each begins in it."""

    source: Source
    parts: tuple[Part, ...]
    begins: tuple[int, ...]
    text: Worded

    @classmethod
    def of(cls, source: Source, parts: Sequence[Part]) -> _Shown:
        begins, pieces, size = [], [], 0
        for part in parts:
            piece = (source.text or "")[part.start : part.end]
            begins.append(size)
            pieces.append(piece)
            size += len(piece) + len(_BETWEEN)
        return cls(source, tuple(parts), tuple(begins), with_tokens(read(_BETWEEN.join(pieces))))

    def moved(self, evidence: Evidence, start: int, end: int) -> Evidence:
        """The evidence at a place of the shown text, told by its place in the source."""
        if start == end:
            return evidence.model_copy(update={"start": 0, "end": 0, "quote": ""})
        at = max(place for place, begin in enumerate(self.begins) if begin <= start)
        first = start - self.begins[at] + self.parts[at].start
        last = min(first + end - start, self.parts[at].end)
        quote = (self.source.text or "")[first:last]
        return evidence.model_copy(update={"start": first, "end": last, "quote": quote})

    def within(self, passage: Part) -> Span:
        """The place of a passage in the shown text. Raises ValueError where it is not shown."""
        for part, begin in zip(self.parts, self.begins, strict=True):
            if part.start <= passage.start < part.end:
                start = passage.start - part.start + begin
                return start, start + passage.end - passage.start
        raise ValueError(f"{passage.start} is not shown of {self.source.id}")


class Figures:
    """The facts of one message beside some references, of which these parts are shown: all are
    compared at once. Takes time linear in their length, so do it off the loop."""

    def __init__(
        self,
        message: Document,
        facts: Sequence[Fact],
        subject: str | None,
        references: Sequence[Source],
        parts: Sequence[Part],
    ) -> None:
        self.references = tuple(references)
        self._shown = [
            _Shown.of(source, [part for part in parts if part.source.id == source.id])
            for source in references
        ]
        matcher = Matcher(message, facts, subject)
        self._findings = [matcher.compare(one.text, one.source.title).facts for one in self._shown]
        self._absent = {fact.index: self._missing(fact) for fact in facts}

    def findings(self, fact: Fact) -> list[Finding]:
        """What each reference says of a fact, as the embedded comparison reads it."""
        return [of_reference[fact.index] for of_reference in self._findings]

    def supporting(self, fact: Fact) -> set[str]:
        """The ids of the references that support a fact."""
        return self._taking("supports", fact)

    def denying(self, fact: Fact) -> set[str]:
        """The ids of the references that deny it."""
        pairs = zip(self._shown, self.findings(fact), strict=True)
        return {one.source.id for one, found in pairs if _denies(found)}

    def absent(self, fact: Fact) -> str | None:
        """A number or date of the fact that no reference has, as the fact writes it."""
        return self._absent[fact.index]

    def evidence(self, place: int, fact: Fact, stance: Stance, note: str = "") -> Evidence:
        """A stance on a fact as evidence of the reference at that place, with its likeliest place
        there."""
        shown, finding = self._shown[place], self.findings(fact)[place]
        found = evidence_of(shown.source, fact, stance, finding, shown.text)
        note = note or found.note
        return shown.moved(found.model_copy(update={"note": note}), found.start, found.end)

    def cited(
        self, fact: Fact, stance: Stance, note: str, triple: Triple, passage: Part
    ) -> Evidence:
        """A stance on a fact as evidence, with its place in a passage: where the comparison finds
        the same stance there, else the sentence that is most like a triple of the passage."""
        place = next(at for at, one in enumerate(self.references) if one.id == passage.source.id)
        found, shown = self.evidence(place, fact, stance, note), self._shown[place]
        alike = self.findings(fact)[place].stance == stance
        if alike and passage.start <= found.start < passage.end:
            return found
        within = shown.within(passage)
        moved = shown.moved(found, *(fullest(triple, shown.text, within) or within))
        return moved.model_copy(update={"value": None})

    def _taking(self, stance: Stance, fact: Fact) -> set[str]:
        pairs = zip(self.references, self.findings(fact), strict=True)
        return {one.id for one, finding in pairs if finding.stance == stance}

    def _missing(self, fact: Fact) -> str | None:
        if not all(finding.lacking for finding in self.findings(fact)):
            return None
        for part in fact.triple:
            for value in find(part):
                digits = _DIGITS.findall(part[value.start : value.end])
                if digits and not self._have(digits) and not self._hold(value):
                    return part[value.start : value.end]
        return None

    def _have(self, digits: Iterable[str]) -> bool:
        """Whether one reference has all these digits, each as a number of its own."""
        return any(numbers.issuperset(digits) for numbers in self._numbers)

    def _hold(self, value: Value) -> bool:
        return any(compatible(value, other) for values in self._values for other in values)

    @cached_property
    def _numbers(self) -> list[frozenset[str]]:
        return [frozenset(_DIGITS.findall(one.text or "")) for one in self.references]

    @cached_property
    def _values(self) -> list[tuple[Value, ...]]:
        return [find(one.text or "") for one in self.references]


def _denies(finding: Finding) -> bool:
    """Whether a finding is another number or date."""
    return finding.stance == "contradicts" and bool(find(finding.value or finding.note))
