"""How far a text is corrected, in words: the changes that are made, what is left in it, which key
comes next, and why a key does nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from halubot.render import captions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from halubot.report import Verdict
    from halubot_tui.revision import Revision

NOTHING: Final = "Nothing in this text is in doubt: there is nothing to correct."
UNCHECKED: Final = "Nothing that was checked is in doubt, so there is nothing to correct."
NO_CHANGE: Final = "For what is in doubt no change could be found."
BY_HAND: Final = "Enter writes the sentence."
TAKE: Final = "F9 saves the text, Ctrl+Y copies it, c checks it again."
READ: Final = "read {} yourself"
GO: Final = "n goes to {}"
"""What to do about facts that could not be checked."""
TO_DO: Final = {
    "accept-all": "No change is open.",
    "next-left": "Nothing else is open, in doubt or not checked.",
    "undo": "There is nothing to take back.",
    "finish": "Nothing was changed, so there is nothing to check again.",
    "stop-correcting": "Nothing is under way.",
}
"""Why an action cannot be done, by its name."""


def describe_revision(revision: Revision, at: int | None) -> str:
    """Return how far a correction is, and which key comes next at the place that is looked at."""
    if not revision.edits and revision.is_settled:
        return _describe_unedited(revision)
    left = captions.number(len(revision.in_doubt), "place")
    if revision.is_settled:
        more = describe_left({"not_checked": revision.left["not_checked"]}, GO)
        parts = (f"{left} in doubt, and no change is offered.", more, BY_HAND)
        return " ".join(part for part in parts if part)
    said = f"{revision.tally()}."
    if revision.current:
        remains = describe_left(revision.left)
        again = f"This text was checked again: {remains}" if remains else "It was checked again."
        return f"{said} {again} Ctrl+Y copies it, F9 saves it, Esc goes on."
    if revision.open:
        next_key = BY_HAND
        if at is None or at in revision.open:
            every = " (A all)" if len(revision.open) > 1 else ""
            next_key = f"a accepts{every}, r rejects, Enter edits."
        return f"{said} {next_key}{_describe_open(revision, at)}"
    if revision.in_doubt:
        made = revision.tally().partition(";")[0]
        return f"{made}; {left} in doubt without a change. {BY_HAND} {TAKE}"
    if revision.outcome is not None:
        return f"{said} It was changed since it was checked again: c checks it once more."
    if not revision.changes:
        return f"{said} The text is as it was. {BY_HAND}"
    return f"{said} {describe_left(revision.left, GO) or 'All is decided:'} {TAKE}"


def explain_refusal(revision: Revision, at: int | None, action: str) -> str:
    """Return why an action cannot be done at the place that is looked at; "" if nothing is known
    of that."""
    if action in ("accept", "reject"):
        if at is not None and revision.state(at) == "over":
            return "You wrote this sentence yourself."
        return f"There is no change here to {action}."
    return TO_DO.get(action, "")


def _describe_unedited(revision: Revision) -> str:
    """Return what is said of a text for which no change is offered, and none was written."""
    report = revision.report
    unchecked = describe_left({"not_checked": revision.left["not_checked"]}, GO)
    said = f"{UNCHECKED} {unchecked}" if unchecked else NOTHING
    if report.doubted():
        said = f"{NO_CHANGE} {unchecked}".strip()
    return f"{said} {BY_HAND}" if revision.places else said


def _describe_open(revision: Revision, at: int | None) -> str:
    """Return where else changes are open that one may miss: those before the place that is looked
    at; those after it too, if it is none of them."""
    if at is None:
        return ""
    here = revision.order(at)
    above = sum(revision.order(one) < here for one in revision.open)
    below = len(revision.open) - above
    if at in revision.open:
        verb = "is" if above == 1 else "are"
        return f" {above} before this one {verb} not decided." if above else ""
    where = [f"{count} {name}" for count, name in ((above, "above"), (below, "below")) if count]
    return f" Not decided: {', '.join(where)}."


def describe_standing(made: int, changes: int, opened: int, left: Mapping[Verdict, int]) -> str:
    """Return in words how far a text is corrected: so many of all ``changes`` are made, so many are
    ``opened`` still, and how many facts are ``left`` by verdict. "" of nothing.

    >>> describe_standing(3, 5, 1, {"contradicted": 1, "not_checked": 2})
    '3 of 5 changes made, 1 not decided, 1 fact still contradicted, 2 facts could not be checked'
    """
    parts: list[str] = []
    if changes:
        of = captions.number(changes, "change")
        parts.append(f"all {of} made" if made == changes > 1 else f"{made} of {of} made")
    if opened:
        parts.append(f"{opened} not decided")
    kinds: tuple[Verdict, ...] = ("contradicted", "doubtful")
    for verdict in kinds:
        if count := left.get(verdict, 0):
            parts.append(f"{captions.number(count, 'fact')} still {captions.VERDICTS[verdict]}")
    if unchecked := left.get("not_checked", 0):
        parts.append(f"{captions.number(unchecked, 'fact')} could not be checked")
    return ", ".join(parts)


def describe_left(left: Mapping[Verdict, int], hint: str = READ) -> str:
    """Return as a sentence how many facts of a corrected text are in doubt still, and how many
    could not be checked, with what to do about these (``hint``). "" if none is left.

    >>> describe_left({"contradicted": 1, "not_checked": 2})
    '1 fact is still in doubt, 2 facts could not be checked: read them yourself.'
    """
    doubts = left.get("contradicted", 0) + left.get("doubtful", 0)
    unchecked = left.get("not_checked", 0)
    parts: list[str] = []
    if doubts:
        verb = "is" if doubts == 1 else "are"
        parts.append(f"{captions.number(doubts, 'fact')} {verb} still in doubt")
    if unchecked:
        more = hint.format("it" if unchecked == 1 else "them")
        parts.append(f"{captions.number(unchecked, 'fact')} could not be checked: {more}")
    return f"{', '.join(parts)}." if parts else ""


def name_text(standing: str, *, changed: bool) -> str:
    """Return what a text is called of which this is said (`describe_standing`)."""
    if not changed:
        return "the text without any change"
    left = "not decided" in standing or "still" in standing
    return "the text corrected in part" if left else "the corrected text"
