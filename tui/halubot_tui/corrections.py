"""The changes that a person makes in a checked text, with undo.

All offsets point into the text that was checked. A later change replaces earlier ones that it
overlaps, so that a sentence that is rewritten wins over the values taken in it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Literal

from pydantic import TypeAdapter, ValidationError

from halubot.feedback import Says
from halubot.report import Edit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from halubot.correction.suggestions import Beside
    from halubot.render.items import Entry
    from halubot.report import Fact, Report, Span

Handling = Literal["open", "changed", "kept"]
Quotes = Sequence[tuple[str, str]]
"""Words of sources, each with the name of its source."""

FEW: Final = 5
"""Words up to which a change is shown as a whole."""
CONTEXT: Final = 40
"""Characters before and after a change by which its place is found in a text that has changed."""


@dataclass(frozen=True, slots=True)
class Change:
    """``text[start:end]`` was ``before`` and becomes ``after``; ``facts`` are the indexes of the
    facts that caused it, () for what a person wrote. ``quote`` are the words of a source that have
    the new ones, and ``source`` its name; "" if none has."""

    start: int
    end: int
    before: str
    after: str
    facts: tuple[int, ...] = ()
    quote: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True)
class Keep:
    """Entries that a person leaves as they are, by their `reading_key`."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Say:
    """What a person says of an entry, "right" or "wrong", takes the place of its verdict; before
    that they had said ``before``."""

    key: str
    before: Says | None


Action = Change | Keep | Say


def entry_key(entry: Entry) -> str:
    """The name of an entry that stays the same while its number changes."""
    if entry.fact is not None:
        return f"f{entry.fact.index}"
    return f"s{entry.sentence.index if entry.sentence is not None else entry.number}"


def reading_key(entry: Entry) -> str:
    """The name of an entry by its words, which it keeps in another version of the text."""
    return f"r{entry.reading}"


@dataclass(slots=True)
class Corrections:
    """The ``actions`` of a person in their order, those ``inherited`` from the version before, and
    the ``proposals`` by fact."""

    inherited: list[Action] = field(default_factory=list)
    actions: list[Action] = field(default_factory=list)
    proposals: dict[int, Edit] = field(default_factory=dict)
    read: set[str] = field(default_factory=set)
    """What a person has read of the undecided entries; see `TextCheck.note_read`."""
    proposed: bool = False
    """True once proposals were looked for."""
    looking: bool = False
    """True while they are looked for."""

    def __bool__(self) -> bool:
        return bool(self.actions or self.changes)

    @property
    def changes(self) -> tuple[Change, ...]:
        """The changes that hold, in the order of the text."""
        held: list[Change] = []
        for action in (*self.inherited, *self.actions):
            if isinstance(action, Change):
                held = [one for one in held if not _overlap(one, action)]
                held.append(action)
        real = (one for one in held if one.before != one.after)
        return tuple(sorted(real, key=lambda one: (one.start, one.end)))

    @property
    def kept(self) -> frozenset[str]:
        """The keys of the entries that are left as they are."""
        return frozenset(key for one in self.keeps for key in one.keys)

    @property
    def keeps(self) -> list[Keep]:
        """The actions that leave entries as they are, in another version of the text too."""
        return [one for one in (*self.inherited, *self.actions) if isinstance(one, Keep)]

    def propose(self, edits: Iterable[Edit]) -> None:
        """Take over proposed edits; those that change nothing are left out."""
        self.proposed = True
        for edit in edits:
            if edit.before != edit.after:
                for fact in edit.facts:
                    self.proposals[fact] = edit

    def propose_values(self, report: Report) -> None:
        """Propose, for doubted facts without a proposal, what their sources give in the place of
        their words. A person sees the quotes and decides, so less is asked for than where a text is
        corrected unseen."""
        from halubot.correction.proposal import suggest

        for fact in report.doubted():
            found = None if fact.index in self.proposals else suggest(report, fact)
            if found is not None:
                self._offer(report, fact, *found)

    def propose_beside(self, report: Report, beside: Mapping[str, Beside]) -> None:
        """Propose what sources have beside facts without a proposal, undecided ones too."""
        for fact in report.facts:
            found = beside.get(f"f{fact.index}")
            if fact.index not in self.proposals and found is not None and found.offer is not None:
                self._offer(report, fact, *found.offer)

    def _offer(self, report: Report, fact: Fact, place: Span, after: str) -> None:
        """Propose words in a place for a fact."""
        start, end = place
        self.proposals[fact.index] = Edit(
            sentence=fact.sentences[0],
            start=start,
            end=end,
            before=report.text[start:end],
            after=after,
            facts=(fact.index,),
            action="changed",
        )

    @property
    def last(self) -> Action | None:
        """What `undo` would take back; None if there is nothing."""
        if self.actions:
            return self.actions[-1]
        return next((one for one in self.inherited[-1:] if isinstance(one, Change)), None)

    def proposal(self, entry: Entry | None) -> Edit | None:
        """The proposed edit for an entry, None without one."""
        if entry is None or entry.fact is None:
            return None
        return self.proposals.get(entry.fact.index)

    def take(self, entry: Entry, quotes: Quotes = (), twins: Iterable[Entry] = ()) -> bool:
        """Make the proposed edit of an entry, which has these quotes, also for its ``twins``, which
        have the same words in doubt. Return False if there is none."""
        edit = self.proposal(entry)
        if edit is None:
            return False
        facts = {*edit.facts, *(one.fact.index for one in twins if one.fact is not None)}
        change = Change(edit.start, edit.end, edit.before, edit.after, tuple(sorted(facts)))
        self.actions.append(with_quote(change, quotes))
        return True

    def write(
        self,
        start: int,
        end: int,
        before: str,
        after: str,
        quotes: Quotes = (),
        *,
        seen: Iterable[Entry] = (),
        beside: Iterable[Entry] = (),
    ) -> None:
        """Put a person's words in the place of ``text[start:end]``, which is ``before``, beside
        these quotes. It settles the entries ``seen``, and those ``beside`` that it changes."""
        if "  " not in before:  # a word is often typed or deleted with one blank too many
            after = re.sub(" {2,}", " ", after)
        lead, trail = _same_ends(before, after)
        for one in self.changes:  # what was changed in it before is a part of this change
            if start <= one.start and one.end <= end:
                lead, trail = min(lead, one.start - start), min(trail, end - one.end)
        new, low, high = after[lead : len(after) - trail], start + lead, end - trail
        touched = (it for it in beside if any(a < high and low < b for a, b in it.spans))
        facts = {it.fact.index for it in (*seen, *touched) if it.fact is not None}
        change = Change(low, high, before[lead : high - start], new, tuple(sorted(facts)))
        self.actions.append(with_quote(change, quotes))

    def keep(self, *entries: Entry) -> None:
        """Leave entries as they are."""
        self.actions.append(Keep(tuple(map(reading_key, entries))))

    def say(self, entry: Entry) -> None:
        """Note, so that it can be undone, that a person says something of an entry now."""
        feedback = None if entry.fact is None else entry.fact.feedback
        self.actions.append(Say(entry_key(entry), None if feedback is None else feedback.says))

    def undo(self) -> Action | None:
        """Take back the last action and return it; None if there is none."""
        if (last := self.last) is not None:
            (self.actions or self.inherited).pop()
        return last

    def state(self, entry: Entry) -> Handling:
        """What a person has done about an entry."""
        if reading_key(entry) in self.kept:
            return "kept"
        return "changed" if self.change_of(entry) is not None else "open"

    def change_of(self, entry: Entry) -> Change | None:
        """The change that concerns an entry: by its fact, or in the place of its words. A value
        that was taken for another fact counts if the sources give it for this one too."""
        fact = None if entry.fact is None else entry.fact.index
        values = set() if entry.fact is None else {one.value for one in entry.fact.evidence}
        for one in self.changes:
            if fact is not None and fact in one.facts:
                return one
            inside = any(one.start < b and a < one.end for a, b in entry.spans)
            if inside and (fact is None or not one.facts or one.after in values):
                return one
        return None

    def apply(self, text: str, start: int = 0, end: int | None = None) -> str:
        """``text[start:end]`` with the changes inside it made."""
        end = len(text) if end is None else end
        pieces: list[str] = []
        done = start
        for one in self.changes:
            if one.start < done or one.end > end:
                continue
            pieces += text[done : one.start], one.after
            done = one.end
        return "".join([*pieces, text[done:end]])

    def record(self) -> dict[str, Any]:
        """The actions as they are stored in a session."""
        return {
            "actions": [asdict(one) for one in self.actions],
            "inherited": [asdict(one) for one in self.inherited],
            "read": sorted(self.read),
        }

    def restore(self, data: Mapping[str, Any], text: str) -> None:
        """Take over stored actions; those that do not fit the text are left out."""
        self.actions = _fitting(data.get("actions"), text)
        self.inherited = _fitting(data.get("inherited"), text)
        read = data.get("read")
        self.read = {*map(str, read)} if isinstance(read, list) else set()

    def carry_over(self, old: str, new: str) -> list[Action]:
        """The changes at their places in a newer version of the text; those whose words are gone,
        or were corrected there already, are left out."""
        return [*_carry(self.changes, old, new)]


def concerns(action: Action, entry: Entry) -> bool:
    """Whether an action was about an entry."""
    if isinstance(action, Keep):
        return reading_key(entry) in action.keys
    if isinstance(action, Say):
        return action.key == entry_key(entry)
    if action.facts and entry.fact is not None:
        return entry.fact.index in action.facts
    return any(action.start < end and start < action.end for start, end in entry.spans)


def changed_words(change: Change) -> Iterator[tuple[int, int, str]]:
    """Yield the places in the text whose words a change replaces, each with the new words."""
    at = change.start
    for before, after in _stretches(change.before, change.after):
        end = at + len(before)
        if before != after:
            yield at, end, after
        at = end


def changed_part(before: str, after: str) -> tuple[str, str]:
    """The words of a change that differ, before and after, if they stand together; else all."""
    parts = [one for one in _stretches(before, after) if one[0] != one[1]]
    if len(parts) == 1:
        before, after = parts[0]
    return " ".join(before.split()), " ".join(after.split())


def _stretches(before: str, after: str) -> list[tuple[str, str]]:
    """The words from one text to the other, before and after. A few words, such as a name, are
    replaced as a whole: what is left of them says nothing."""
    from halubot.render.difference import difference

    if max(len(before.split()), len(after.split())) <= FEW:
        return [(before, after)]
    return [(one.before, one.after) for one in difference(before, after)]


def new_words(before: str, after: str) -> Iterator[tuple[int, int]]:
    """Yield the places in ``after`` of words that ``before`` does not have there."""
    from halubot.render.difference import difference

    at = 0
    for piece in difference(before, after):
        end = at + len(piece.after)
        if piece.before != piece.after and piece.after.strip():
            yield at, end
        at = end


def replacement(edit: Edit) -> tuple[Span, str]:
    """The first words that an edit replaces, by their place, and those that it puts there."""
    change = Change(edit.start, edit.end, edit.before, edit.after)
    start, end, after = next(changed_words(change))
    return (start, end), after.strip()


def _fitting(rows: object, text: str) -> list[Action]:
    """The stored actions that fit a text."""
    if not isinstance(rows, list):
        return []
    found = [_read(row) for row in rows if isinstance(row, dict)]
    return [
        one
        for one in found
        if one and (not isinstance(one, Change) or text[one.start : one.end] == one.before)
    ]


def with_quote(change: Change, quotes: Quotes) -> Change:
    """The change with the first of these quotes, texts with the names of their sources, that has
    its new words."""
    _, after = changed_part(change.before, change.after)
    quote, source = next((one for one in quotes if has_words(one[0], after)), ("", ""))
    return replace(change, quote=quote, source=source)


def has_words(quote: str, words: str) -> bool:
    """Whether a quote has these words, whole and in this order."""
    new = words.strip(" .,;:!?").casefold()
    return bool(new and re.search(rf"(?<!\w){re.escape(new)}(?!\w)", quote.casefold()))


def _same_ends(before: str, after: str) -> tuple[int, int]:
    """How many characters two texts share at their beginnings and at their ends, in whole words and
    numbers."""
    old, new = _WORDS.findall(before), _WORDS.findall(after)
    lead = _same_start(old, new)
    trail = _same_start(old[lead:][::-1], new[lead:][::-1])
    return len("".join(old[:lead])), len("".join(old[len(old) - trail :]))


def _same_start(one: Sequence[str], other: Sequence[str]) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((n for n, (a, b) in pairs if a != b), min(len(one), len(other)))


_WORDS: Final = re.compile(r"\w(?:[\w.,'’-]*\w)?|\s+|[^\w\s]")


def _overlap(one: Change, other: Change) -> bool:
    if one.start == one.end or other.start == other.end:
        return one.start <= other.end and other.start <= one.end
    return one.start < other.end and other.start < one.end


def _carry(changes: Sequence[Change], old: str, new: str) -> Iterator[Change]:
    for one in changes:
        lead = old[max(0, one.start - CONTEXT) : one.start]
        trail = old[one.end : one.end + CONTEXT]
        for before, after in ((lead, trail), (lead, ""), ("", trail)):
            found = new.find(before + one.before + after)
            if found >= 0 and new.find(before + one.before + after, found + 1) < 0:
                start = found + len(before)
                yield Change(start, start + len(one.before), one.before, one.after, ())
                break


def _read(row: Mapping[str, Any]) -> Action | None:
    kind = Keep if "keys" in row else Say if "key" in row else Change
    try:
        return TypeAdapter[Action](kind).validate_python(row)
    except ValidationError:
        return None
