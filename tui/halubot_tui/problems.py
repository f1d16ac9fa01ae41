"""Problems in the words of the app: the core names options of the command line as remedies; here
they become settings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from halubot.render import captions
from halubot.render.inert import one_line

if TYPE_CHECKING:
    from halubot.report import Report

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
    """Return what went wrong in a check, a line a reason. Empty if nothing did. What ``failed``
    tells already, the reason why the whole check failed, is left out."""
    told = (one for one in captions.problems(report) if not (failed and failed in one))
    return tuple(in_app_words(one) for one in told)
