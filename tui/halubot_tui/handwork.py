"""A sentence that a person writes: what it begins with, and the decisions that come of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from halubot.edits import own_words
from halubot.render.inert import one_line

if TYPE_CHECKING:
    from halubot.report import Evidence
    from halubot_tui.revision import Revision

_SAYS: Final = "says "
"""How a note on evidence begins that tells another value."""


class Handwork(NamedTuple):
    """A sentence as a person begins to write it: ``words`` between the texts ``before`` and
    ``after`` them are those that are to be replaced. ``given`` says that they are a source's, not
    the text's own."""

    before: str
    words: str
    after: str
    given: bool = False

    @property
    def text(self) -> str:
        """Return the whole sentence."""
        return self.before + self.words + self.after


def begin_by_hand(revision: Revision, index: int) -> Handwork:
    """A place as a person begins to write it: its sentence, the words of an edit as they were
    decided on or are proposed. Where none are proposed, and all sources that give other words
    give the same, these are put in. Of an edit that is in no sentence, or puts in one of its
    own, its words alone."""
    edit, decision = revision.places[index], revision.decisions.get(index)
    start, end = own_words(revision.report, edit)
    words = revision.words_of(index)[1]
    around = _sentence_around(revision, index, start, end)
    if around is None:
        return Handwork("", words, "")
    lead, trail = around
    given = None
    if decision is None and edit.before == edit.after:
        given = other_value(revision, index)
    return Handwork(lead, words if given is None else given, trail, given is not None)


def take_by_hand(
    revision: Revision, index: int, begun: Handwork, text: str
) -> dict[int, bool | str | None]:
    """The decisions that make what a person wrote who began with the handwork of a place; empty
    if they change nothing. If more than the words of an edit was changed, the sentence is
    taken."""
    text, number = text.strip(), revision.sentence_at(index)
    if number is None and not (begun.before or begun.after):
        return {index: text}
    if number is None:
        lead, trail = begun.before, begun.after
        inner = text.removeprefix(lead)
        inner = inner[: len(inner) - len(trail)].strip()
        if inner and text == lead + inner + trail:
            return _take_words(revision, index, inner)
        index = len(revision.edits) + revision.edits[index].sentence
    if text != revision.places[index].before:
        return {index: text}
    return {index: None} if index in revision.decisions else {}


def _take_words(revision: Revision, index: int, words: str) -> dict[int, bool | str | None]:
    edit = revision.edits[index]
    start, end = own_words(revision.report, edit)
    offered = edit.before != edit.after
    if offered and words == edit.after.strip():
        return {index: True}
    if words == revision.report.text[start:end]:
        return {index: False} if offered else {index: None} if index in revision.decisions else {}
    return {index: words}


def _sentence_around(
    revision: Revision, index: int, start: int, end: int
) -> tuple[str, str] | None:
    """The parts of a sentence before and after a place in it, with its other edits that are not
    rejected; None of a place that is in no sentence, or of no words."""
    if revision.sentence_at(index) is not None:
        return "", ""
    number = revision.edits[index].sentence
    if not 0 <= number < len(revision.report.sentences) or start == end:
        return None
    place = revision.places[len(revision.edits) + number]
    if not place.start <= start < end <= place.end:
        return None
    return revision.as_decided(place.start, start), revision.as_decided(end, place.end)


def other_value(revision: Revision, index: int) -> str | None:
    """The words that the sources give in place of those of an edit, if all of them that give
    some give the same; None otherwise, and of the words of a whole sentence."""
    edit = revision.places[index]
    start, end = own_words(revision.report, edit)
    sentence = revision.report.sentences[edit.sentence] if edit.sentence >= 0 else None
    whole = sentence is not None and end - start >= sentence.end - sentence.start - 1
    if whole or start == end:
        return None
    facts = [entry.fact for entry in revision.causes()[index] if entry.fact and entry.is_doubted]
    values = {
        _find_value(item, revision.report.text[start:end])
        for fact in facts
        for item in fact.evidence
        if item.stance == "contradicts"
    } - {""}
    if len({value.casefold() for value in values}) != 1:
        return None
    value, before = min(values), revision.report.text[start:end]
    for owner in ("'s", "’s"):
        if value.endswith(owner) and not before.endswith(owner):
            value = value.removesuffix(owner)
    return value or None


def _find_value(item: Evidence, words: str) -> str:
    """The words that a source has in place of others; "" if none are known. What the comparison
    would not put there, and only tells ("says 1910"), must be a number or a name as they are, and
    as many words: "since 1996" does not fit in place of "1987"."""
    if item.value:
        return one_line(item.value).strip()
    told = item.note.removeprefix(_SAYS) if item.note.startswith(_SAYS) else ""
    alike = len(told.split()) == len(words.split()) and _kind(told) == _kind(words) != ""
    return told if alike else ""


def _kind(words: str) -> str:
    """Return "number" of words with a digit, "name" of others that begin as a name does, else
    ""."""
    if any(map(str.isdigit, words)):
        return "number"
    return "name" if words[:1].isupper() else ""
