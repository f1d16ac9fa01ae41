"""The head above the text of a message: what was asked, the result of its check, and how it came
about; or what is being done."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from textual.content import Content

from halubot.money import dollars
from halubot.render import captions
from halubot.render.inert import inert
from halubot_tui import problems
from halubot_tui.inspecting.drawing import phrases
from halubot_tui.looks import STYLES, Signs
from halubot_tui.marked import LONG, QUIET

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from halubot.render.items import Entry
    from halubot.report import Report
    from halubot_tui.turns import Corrected, Turn

UNSPOKEN: Final = "nothing that it was compared with speaks of it"
"""The reason of a fact of which no source speaks (`halubot.methods.consensus`, which takes long to
load)."""
ELSEWHERE: Final = (
    "What you gave speaks of something else, so there was nothing to compare. F2 takes this text"
    " again: give other answers or documents on the same subject."
)
THE_TEXT: Final = "the corrected text"

_LINES_OF_A_QUESTION: Final = 8
_USUAL: Final = ("consensus", "cascade")
"""Methods that are used if none is chosen: their names would tell a reader nothing."""
_PROBLEMS: Final = 3


def question_head(turn: Turn, signs: Signs) -> Content | None:
    """The question of a message, a long one cut after some lines; None if there is none."""
    question = turn.inputs.text if turn.inputs.kind == "ask" else turn.inputs.question
    if not question.strip():
        return None
    lines = inert(question).strip().replace("\t", " ").split("\n")
    more = len(lines) - _LINES_OF_A_QUESTION
    if more > 1:
        kept = lines[:_LINES_OF_A_QUESTION]
        rest = Content.assemble(("\n", ""), (f"and {more} more lines", QUIET))
        return Content("\n".join(kept)).stylize("bold $primary") + rest
    return Content("\n".join(lines)).stylize("bold $primary")


def head(turn: Turn, signs: Signs, width: int, elapsed: float | None = None) -> Content:
    """The result of a message's check and how it came about; of one that is under way what is being
    done, for how many seconds, and what it took so far. At a ``width`` lines end between phrases
    if they can; longer ones are left to be wrapped."""
    if turn.running:
        return _under_way(turn, signs, width, elapsed)
    lines: list[Content] = []
    report = turn.report
    if turn.failure:
        why = problems.failure(turn.failure)
        lines.append(Content.assemble(("! ", "bold $contradicted"), (why, "$contradicted")))
    if report is not None and (report.sentences or report.facts):
        lines += [_result(turn, report, signs), *_correct(turn, signs), *_next(turn, report, signs)]
        lines += _way(report, signs, width)
    elif turn.state == "stopped":
        lines.append(Content.assemble(("! ", "bold $doubtful"), (_stopped(turn), "$doubtful")))
    elif report is None and not turn.failure and turn.run is None:
        lines.append(Content("nothing is known of it").stylize(QUIET))
    if report is not None:
        lines.extend(_problems(turn, report))
    return Content("\n").join(lines)


def unfinished_note(turn: Turn, signs: Signs) -> Content | None:
    """Return what stands below an answer that breaks off; None of a whole one."""
    report = turn.report
    if report is None or not turn.broken_off:
        return None
    rule = ("-" if signs.ascii else "╌") * 2
    why = "stopped here" if turn.state == "stopped" and not report.sentences else "broken off here"
    return Content(f"{rule} {why} {rule}").stylize("$doubtful")


def _under_way(turn: Turn, signs: Signs, width: int, elapsed: float | None) -> Content:
    report = turn.report
    parts = [turn.doing]
    if elapsed is not None and elapsed >= 1:
        parts.append(f"{elapsed:.0f} s")
    if report is not None and report.usage.calls:
        parts += _format_spent(turn, report)
    first, *rest = _phrases(parts, signs, width - 2)
    lines = [
        Content(f"{signs.busy} ").stylize("$primary") + first,
        *(Content("  ") + one for one in rest),
    ]
    return Content("\n").join(lines)


def _stopped(turn: Turn) -> str:
    return f"stopped: {turn.begin_again}"


def _result(turn: Turn, report: Report, signs: Signs) -> Content:
    found = {entry.verdict for entry in turn.entries}
    worst = next((verdict for verdict in captions.SEVERITY if verdict in found), None)
    stopped = (f" ({_stopped(turn)})", "$doubtful") if turn.state == "stopped" else ""
    if worst is None:
        return Content.assemble((captions.summary(report), "bold"), stopped)
    style = STYLES[worst].replace("underline ", "").replace("italic ", "")
    return Content.assemble(
        (f"{signs.verdict(worst)} ", style), (captions.summary(report), "bold"), stopped
    )


def _next(turn: Turn, report: Report, signs: Signs) -> Iterator[Content]:
    """Yield which key comes next, as long as nothing was corrected."""
    if speaks_of_nothing_given(report):
        yield Content.assemble(("! ", "bold $doubtful"), ELSEWHERE)
    elif report.doubted() and turn.corrected_text is None and turn.state == "done":
        parts = (
            Content.assemble(("F4", "bold $primary"), " corrects it"),
            Content.assemble(("F3", "bold $primary"), " shows who says what"),
        )
        yield Content(f" {signs.dash} ").join(parts)


def speaks_of_nothing_given(report: Report) -> bool:
    """Return whether the text was compared with something, and nothing of that speaks of
    anything in the text."""
    found = [*(report.facts or report.sentences)]
    silent = all(item.stance == "silent" for fact in report.facts for item in fact.evidence)
    unspoken = all(one.verdict == "not_checked" and one.reason == UNSPOKEN for one in found)
    return bool(report.sources and found) and silent and unspoken


def _correct(turn: Turn, signs: Signs) -> Iterator[Content]:
    """Yield what became of it when it was corrected."""
    made, sign = turn.corrected_text, "~"
    if made is None:
        return
    if made.doubted is None:
        head = "corrected, not checked again: "
        said = f"{made.standing}; F4 goes on; the text stands below"
    else:
        what, before, after = made.doubted
        noun, _, rest = what.partition(" ")
        one = noun.removesuffix("s") if before == "1" else noun
        was = "was" if before == "1" else "were"
        now = (
            "none is now"
            if after == "0"
            else "1 still is"
            if after == "1"
            else f"{after} still are"
        )
        head = "corrected and checked again: "
        said = f"{before} {one} {was} {rest}, {now}"
        if made.unchecked:
            these = "it" if made.unchecked == 1 else "them"
            said += f"; {made.unchecked} could not be checked: read {these} yourself"
        if after == "0" and not made.unchecked:
            sign = signs.plain("✓")
        said += "; the text stands below"
    style = "$doubtful" if sign == "~" else "$supported"
    yield Content.assemble((f"{sign} ", style), (head, "bold"), (signs.plain(said), QUIET))


def corrected_head(made: Corrected, signs: Signs) -> str:
    """The line above the corrected text, which is shown below the text that was checked: what it
    is, how far it is corrected, and the keys that save and copy it."""
    from halubot_tui.correction_words import name_text

    name = name_text(made.standing, changed=True)
    said = f"{name[:1].upper()}{name[1:]}"
    left = name != THE_TEXT or made.unchecked
    said += f": {made.standing}" if left else ""
    if len(made.text) > LONG:
        return f"{said}. It is long: F9 saves it, Ctrl+Y copies it"
    return signs.plain(f"{said} {signs.dash} F9 saves it, Ctrl+Y copies it")


def name_doubts(doubts: Sequence[Entry], most: int, signs: Signs) -> Iterator[Content]:
    """Yield what is in doubt still in a text that was checked again, a line each; of more than
    ``most`` how many there are."""
    for entry in doubts[:most]:
        look = STYLES[entry.verdict].replace("underline ", "").replace("italic ", "")
        said = f"{entry.reading}: {entry.said}" if entry.said else entry.reading
        sign = f"{signs.verdict(entry.verdict)} "
        yield Content.assemble((sign, look), ("still in doubt: ", "bold"), said)
    if len(doubts) > most:
        yield Content(f"  and {len(doubts) - most} more")


def _way(report: Report, signs: Signs, width: int) -> Iterator[Content]:
    """Yield how the result was reached; the inspector's details say more."""
    first, *models = captions.means(report)
    compared = models.pop()
    by = [] if first in _USUAL else [f"method {first}"]
    with_what = f"compared with {compared}" if report.sources else compared
    took = captions.took(report).split(", ")
    return _phrases([with_what, *by, *models, *_tokens(report), *took], signs, width)


def _phrases(parts: Sequence[str], signs: Signs, width: int) -> Iterator[Content]:
    return phrases((Content(part).stylize(QUIET) for part in parts), width, signs)


def _problems(turn: Turn, report: Report) -> Iterator[Content]:
    """Yield what went less well than it should."""
    told = problems.problems(report, turn.failure)
    for line in told[:_PROBLEMS]:
        yield Content.assemble(("! ", "bold $doubtful"), (line, QUIET))
    if len(told) > _PROBLEMS:
        yield Content(f"! and {len(told) - _PROBLEMS} more problems").stylize(QUIET)


def _format_spent(turn: Turn, report: Report) -> Iterator[str]:
    """Yield what was spent so far, and of how much."""
    usage = report.usage
    most_calls = turn.most_calls if turn.most_calls is not None else usage.calls
    calls = captions.number(most_calls, "model call")
    yield calls if turn.most_calls is None else f"{usage.calls} of {calls}"
    yield from _tokens(report)
    if usage.cost_usd is not None:
        most = "" if turn.most_cost is None else f" of {dollars(turn.most_cost)}"
        yield f"{dollars(usage.cost_usd)}{most}"


def _tokens(report: Report) -> Iterator[str]:
    tokens = report.usage.prompt_tokens + report.usage.completion_tokens
    if tokens:
        yield f"{tokens:,} tokens"
