"""The lines above a checked text: its question, what became of the check, and what to do next."""

from __future__ import annotations

from pathlib import PurePath
from typing import TYPE_CHECKING, Final

from textual.content import Content

from halubot.render import captions
from halubot.render.inert import crop, inert
from halubot.verdicts import DOUBTED
from halubot_tui.explanation import speaks_of_nothing
from halubot_tui.problems import in_app_words
from halubot_tui.text_check import count_verdicts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from halubot.render.items import Entry
    from halubot_tui.text_check import TextCheck

LONGEST_QUESTION: Final = 300
ELSEWHERE: Final = "Not compared: the sources speak of something else. Add others (+); c checks."


def heading(check: TextCheck, asked: Sequence[str] = ()) -> Iterator[Content]:
    """Yield the lines above the text of a check. ``asked`` says who receives what of it on the
    web."""
    if check.question.strip():
        question = crop(inert(check.question).strip(), LONGEST_QUESTION)
        yield Content(question).stylize("bold $primary")
    if check.failure:
        why = in_app_words(check.failure)
        yield Content.assemble(("! ", "bold $contradicted"), (why, "$contradicted"))
    elif check.state == "stopped":
        again = "asks again" if check.inputs.kind == "ask" and not check.text else "checks it again"
        yield Content.assemble(("! Stopped. ", "bold $doubtful"), f"c {again}.")
    if check.running:
        for line in asked:
            yield Content.assemble(("Web: ", "$accent"), (f"{line}.", "$secondary"))
    report = check.report
    if report is None or check.running:
        return
    if check.broken_off and check.state != "stopped":
        yield Content("! The answer breaks off.").stylize("$doubtful")
    if speaks_of_nothing(report) and not check.disputed_left:
        yield Content.assemble(("! ", "bold $doubtful"), ELSEWHERE)
    elif not (report.sources or check.entries or check.failure) and report.text:
        yield Content(captions.summary(report)).stylize("$secondary")


def _versions(check: TextCheck, before: TextCheck) -> Content:
    was, now = count_verdicts(before.entries), check.counts
    doubted, undecided = len(check.open_doubts), now["not_checked"]
    told = [
        f"{doubted} in doubt ({sum(was[one] for one in DOUBTED)})",
        f"{undecided} undecided ({was['not_checked']})",
        f"{now['supported']} supported ({was['supported']})",
    ]
    if done := check.count_done(check.entries):
        told.append(f"{done} done")
    return Content(f"Checked again (before): {', '.join(told)}").stylize("$primary")


def next_step(
    check: TextCheck, before: TextCheck | None, looked_at: Entry | None = None
) -> Iterator[Content]:
    """Yield what became of the version before it was checked again, what there is to do once no
    doubt is left, the doubts left once something else is ``looked_at``, and where it was saved."""
    if check.saved:
        # The name first: of a long path a narrow screen shows the beginning.
        written = PurePath(check.saved)
        yield Content(f"Saved: {written.name} in {written.parent}").stylize("$supported")
    elif before is not None and not (check.running or check.failure or check.corrections.actions):
        yield _versions(check, before)
    judged = not (check.running or check.failure or check.state == "stopped")
    unread = all(one.verdict == "not_checked" for one in check.entries)
    doubts = len(check.open_doubts)
    if doubts and looked_at is not None and not looked_at.is_doubted and not check.running:
        said = f"{doubts} still in doubt, above in the list: p goes back."
        yield Content.assemble(("! ", "bold $contradicted"), said)
    if doubts or not judged or unread or check.saved:
        return
    again = "c checks again, " if check.corrections.changes else ""
    left, new, first = check.counts["not_checked"], len(check.unread), len(check.disputed_left)
    if not new:
        all_read = f"All {left} undecided facts are" if left > 1 else "The undecided fact is"
        told = f"{all_read} read" if left else "Nothing is left to look at"
        yield Content(f"{told}: {again}s saves.").stylize("$primary")
        return
    said = f"{new} undecided to read" if new == left else f"{new} of {left} undecided to read"
    said += f", {first} first" if 0 < first < new == left else ""
    yield Content.assemble(("! ", "bold $doubtful"), f"{said} (n): {again}s saves.")
