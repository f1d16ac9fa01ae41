"""Problems in the words of the app: the cause first, what it means, and what to do in the app.

The core names options of the command line as remedies; here they become settings.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from halubot.render import captions
from halubot.render.inert import one_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from halubot.report import Report


class Cause(NamedTuple):
    """A cause as the core tells it, as a person understands it, and what to do about it."""

    told: re.Pattern[str]
    said: str
    remedy: str


def _cause(told: str, said: str, remedy: str) -> Cause:
    return Cause(re.compile(told), said, remedy)


CAUSES: Final[Sequence[Cause]] = (
    _cause(
        "was prose, not JSON|was broken JSON|several JSON values|is not JSON|not a completion",
        "The model did not return JSON",
        "Try another model.",
    ),
    _cause(
        "no answer in time|no answer within",
        "The model did not answer in time",
        "Allow more seconds a call in the settings.",
    ),
    _cause(
        "the time for all was over",
        "The time for the whole check was over",
        "Allow more seconds a check in the settings.",
    ),
    _cause(
        "calls? allowed (were|was) made|no call is allowed",
        "All model calls that the settings allow were made",
        "Allow more calls a message in the settings.",
    ),
    _cause(
        "the next call may go beyond",
        "The next call might cost more than the settings allow",
        "Allow more dollars a message in the settings.",
    ),
)
SETTINGS: Final = {
    "api-base": "the address of the server in the settings",
    "deadline": "the seconds a check in the settings",
    "timeout": "the seconds a call in the settings",
    "max-calls": "the most calls a message in the settings",
    "max-cost": "the most dollars a message in the settings",
    "model": "a model in the settings",
    "knowledge": "a knowledge base among the sources",
    "web": "the web among the sources",
    "web-queries": "the queries a message in the settings file",
    "reference": "a document among the sources",
    "sample": "another answer among the sources",
    "question": "the question among the sources",
    "state": "the variable HALUBOT_STATE",
    "offline": "the setting that allows no network",
    "as-published": "the calls of the paper",
}
"""What an option of the command line is called here."""

_PHRASES: Final = (
    ("name one with --model", "choose one in the settings"),
    (
        "give --sample, --reference, --knowledge, --web wikipedia, or a model",
        "give another answer, a document or the web, or choose a model",
    ),
    ("give it more with --deadline", "allow more seconds a check in the settings"),
    ("give it more with --timeout", "allow more seconds a call in the settings"),
    ("allow more with --max-calls", "allow more calls a message in the settings"),
    ("allow more with --max-cost", "allow more dollars a message in the settings"),
    ("with --max-calls", "in the settings"),
    ("with --api-base", "in the settings"),
    ("with --offline", "while the settings allow no network"),
    ("HALUBOT_STATE or --state names", "HALUBOT_STATE names"),
)
_OPTION: Final = re.compile(r"--([a-z][a-z-]*[a-z])\b")


def in_app_words(text: str) -> str:
    """The text of an error or a problem on one line, with settings of the app in place of options
    of the command line."""
    said = one_line(text)
    for told, ours in _PHRASES:
        said = said.replace(told, ours)
    return _OPTION.sub(lambda option: SETTINGS.get(option[1], option[0]), said)


def problems(report: Report, failed: str | None = None) -> tuple[str, ...]:
    """Return what went wrong in a check, a line a cause: the cause, what it means, what to do.
    Empty if nothing did. What ``failed`` tells already, the reason why the whole check failed, is
    left out."""
    meant: dict[Cause, list[str]] = {}
    left: list[str] = []
    for told in captions.problems(report):
        if failed and failed in told:
            continue
        cause = next((one for one in CAUSES if one.told.search(told)), None)
        if cause is None:
            left.append(in_app_words(told))
        else:
            meant.setdefault(cause, [])
            for problem in report.problems:
                what = one_line(problem.what)
                if cause.told.search(one_line(problem.why)) and what not in meant[cause]:
                    meant[cause].append(what)
    said = [
        f"{cause.said}, so {_list_items(what)}. {cause.remedy}" for cause, what in meant.items()
    ]
    return (*said, *left)


def failure(why: str) -> str:
    """Why work failed, in the same words."""
    cause = next((one for one in CAUSES if one.told.search(why)), None)
    return in_app_words(why) if cause is None else f"{cause.said}. {cause.remedy}"


def _list_items(parts: Sequence[str]) -> str:
    """Clauses in a row: "a, b and c"; "nothing was judged" for none."""
    if not parts:
        return "nothing was judged"
    return " and ".join([", ".join(parts[:-1]), parts[-1]] if len(parts) > 1 else parts)
