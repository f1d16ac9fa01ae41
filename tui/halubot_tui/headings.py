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

    from halubot_tui.text_check import TextCheck

LONGEST_QUESTION: Final = 300
ELSEWHERE: Final = (
    "The sources speak of something else, so nothing could be compared. Add sources on the same"
    " subject (+) and check again (c)."
)


def heading(
    check: TextCheck, before: TextCheck | None, asked: Sequence[str] = ()
) -> Iterator[Content]:
    """Yield the lines above the text of a check. ``before`` is the check of the version that was
    corrected to this text, None if there is none; ``asked`` says who receives what of it on the
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
    if before is not None and check.running:
        yield Content("Checking the corrected text").stylize("$secondary")
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
    # No look of success for what no source has confirmed, also if a person keeps it.
    clear = all(one.verdict == "supported" or check.change_of(one) for one in check.entries)
    said = f"Checked again (before): {', '.join(told)}"
    return Content(said).stylize("$supported" if clear else "$doubtful")


def next_step(check: TextCheck, before: TextCheck | None) -> Iterator[Content]:
    """Yield what became of the version before once it was checked again, until something is done,
    what there is to do once no doubt is left, and where the text was saved; short lines."""
    if check.saved:
        # The name first: of a long path a narrow screen shows the beginning.
        written = PurePath(check.saved)
        yield Content(f"Saved: {written.name} in {written.parent}").stylize("$supported")
    elif before is not None and not (check.running or check.failure or check.corrections.actions):
        yield _versions(check, before)
    judged = not (check.running or check.failure or check.state == "stopped")
    unread = all(one.verdict == "not_checked" for one in check.entries)
    if check.open_doubts or not judged or unread or check.saved:
        return
    again = "c checks again, " if check.corrections.changes else ""
    left, new, first = check.counts["not_checked"], len(check.unread), len(check.disputed_left)
    if not left:
        yield Content(f"Nothing is left to look at: {again}s saves.").stylize("$primary")
    elif not new:
        all_read = f"All {left} undecided are" if left > 1 else "The undecided fact is"
        yield Content(f"{all_read} read: {again}s saves.").stylize("$primary")
    else:
        said = f"{new} undecided to read" if new == left else f"{new} of {left} undecided to read"
        said += f", {first} first" if 0 < first < new == left else ""
        yield Content.assemble(("! ", "bold $doubtful"), f"{said} (n): {again}s saves.")
