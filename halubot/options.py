"""Every option, declared once: its name, values, default, help, group, and who shows it.

The command line (`halubot.cli.parameters`), the settings file and the variables, the settings of
the terminal app and `docs/options.md` are made from this. To add an option, add it here and use it
under its name.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, Literal, get_args

import click
from click.shell_completion import CompletionItem

from halubot import settings
from halubot.defaults import SAMPLES
from halubot.errors import SettingError
from halubot.rate import parse_rate

FailOn = Literal["contradicted", "doubtful", "not-checked"]
"""The findings that decide the exit status, the worst first."""

FORMATS: Final = ("text", "json", "markdown", "html")

Front = Literal["checks", "reports", "corrects", "batch", "app"]
"""Who shows an option: every command that checks; those that print a report; those that correct;
`batch`; the terminal app."""


class Kind(click.ParamType[Any]):
    """The values that an option takes, on the command line too. ``parse`` reads one and raises
    SettingError, which does not name the option. ``words`` are the only values, if they can be
    listed; ``path`` is True for a file or a folder; ``split`` takes the value of a variable
    apart."""

    def __init__(
        self,
        metavar: str,
        parse: Callable[[str], Any],
        words: tuple[str, ...] = (),
        *,
        path: bool = False,
        split: Callable[[str], list[str]] = str.split,
    ) -> None:
        self.name = self.metavar = metavar
        self.parse, self.words = parse, words
        self._path, self._split = path, split

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the value of what was typed. Raises click's BadParameter."""
        try:
            return self.parse(value) if isinstance(value, str) else value
        except SettingError as error:
            self.fail(str(error), param, ctx)

    def split_envvar_value(self, rv: str) -> list[str]:
        """Return the values of a variable."""
        return self._split(rv)

    def shell_complete(
        self, ctx: click.Context, param: click.Parameter, incomplete: str
    ) -> list[CompletionItem]:
        """Return what the shell offers for what was begun."""
        if self._path:
            return [CompletionItem(incomplete, type="file")]
        return [CompletionItem(word) for word in self.words if word.startswith(incomplete)]


def choice(*words: str, metavar: str = "") -> Kind:
    """Return the kind whose values are these words."""

    def parse(said: str) -> str:
        if said not in words:
            raise SettingError(f"{said!r} is not one of {', '.join(words)}")
        return said

    return Kind(metavar or "|".join(words), parse, words)


def whole(low: int = 0, high: int | None = None, metavar: str = "N") -> Kind:
    """Return the kind of whole numbers from ``low`` to ``high``."""
    return _numbers(int, "whole number", low, high, metavar=metavar)


def number(
    low: float = 0, high: float | None = None, *, above: bool = False, metavar: str = "N"
) -> Kind:
    """Return the kind of numbers from ``low``, or with ``above`` larger, to ``high``."""
    return _numbers(float, "number", low, high, above=above, metavar=metavar)


def _numbers(
    read: type[int | float],
    what: str,
    low: float,
    high: float | None,
    *,
    above: bool = False,
    metavar: str,
) -> Kind:
    def parse(said: str) -> float:
        try:
            value = read(said)
        except ValueError:
            value = math.nan
        if not math.isfinite(value) and not (high is None and value > 0):
            raise SettingError(f"{said!r} is not a valid {what}")
        if value < low or (above and value == low) or (high is not None and value > high):
            least = f"more than {low:g}" if above else f"{low:g} or more"
            wanted = least if high is None else f"between {low:g} and {high:g}"
            raise SettingError(f"{said} is not {wanted}")
        return value

    return Kind(metavar, parse)


def _parse_switch(said: str) -> bool:
    word = said.strip().lower()
    if word in ("true", "1", "yes", "y", "on", "t"):
        return True
    if word in ("false", "0", "no", "n", "off", "f"):
        return False
    raise SettingError(f"{said!r} is neither true nor false")


def _parse_path(said: str) -> Path:
    # An empty name would mean the current folder; it mostly comes from a variable that is not set.
    if not said.strip():
        raise SettingError("the name is empty")
    return Path(said)


def _parse_place(said: str) -> Path | str:
    return said if said.lower().startswith(("http://", "https://")) else _parse_path(said)


def _split_paths(text: str) -> list[str]:
    # The ":" that separates paths on most systems is in every address too, and before its port.
    other = rf"[^{re.escape(os.pathsep)}]"
    return re.findall(rf"https?://[^/:;]*(?::\d+)?{other}*|{other}+", text)


def _parse_address(said: str) -> str | None:
    from urllib.parse import urlsplit

    from halubot.models.vendor_errors import without_keys

    if not said:
        return None
    try:
        parts = urlsplit(said)
        port = parts.netloc.rpartition(":")[2]
        usable = parts.scheme in ("http", "https") and bool(parts.hostname)
        usable = usable and not (port.isdecimal() and int(port) >= 1 << 16)
    except ValueError:
        usable = False
    if not usable:
        # An address without a scheme may hold a password too, which is found only behind "://".
        shown = without_keys(said if "://" in said else f"://{said}").removeprefix("://")
        raise SettingError(f"{shown!r} is no address: write it like http://127.0.0.1:8000/v1")
    return said


def _parse_parameter(said: str) -> tuple[str, Any]:
    from halubot.models.server_settings import parse_parameter

    return parse_parameter(said)


def _parse_assignment(said: str) -> tuple[str, str]:
    name, equals, value = said.partition("=")
    name = name.strip().replace("-", "_")
    if not equals:
        raise SettingError(f"{said!r} is not NAME=VALUE")
    if name not in OF_METHODS:
        raise SettingError(f"no method has a setting {name!r}: halubot methods NAME lists them")
    return name, value


def _parse_windows(said: str) -> int | str:
    return said if said == "all" else whole(1).parse(said)


def _parse_weights(said: str) -> str | list[float]:
    if said in ("wikibio", "phd"):
        return said
    try:
        found = [float(part) for part in said.split(",")]
    except ValueError:
        found = []
    if len(found) != 4 or not all(math.isfinite(one) and one >= 0 for one in found):
        raise SettingError(f"{said!r} is not wikibio, phd, or four numbers like .7,.1,.1,.1")
    # Decimals as people write them do not always add up to 1 exactly.
    if abs(math.fsum(found) - 1) > 1e-6:
        raise SettingError(f"the numbers of {said!r} sum to {math.fsum(found):g}, not to 1")
    return found


LONGEST_ROLE: Final = 100
"""Characters of a role."""


def _parse_role(said: str) -> str:
    role = said.strip()
    if not role:
        raise SettingError("the role is empty: write whose part the judge takes")
    # The role stands in the prompt without a fence, so it may not bring lines of its own.
    if len(role) > LONGEST_ROLE or not role.isprintable():
        wanted = f"write a single line of {LONGEST_ROLE} characters at most"
        raise SettingError(f"the role is {role[:30]!r}{'...' * (len(role) > 30)}: {wanted}")
    return role


TEXT: Final = Kind("TEXT", str, split=lambda text: [text])
NAME: Final = Kind("NAME", str)
FILE: Final = Kind("FILE", _parse_path, path=True, split=_split_paths)
FOLDER: Final = Kind("FOLDER", _parse_path, path=True)
PLACE: Final = Kind("FILE|URL", _parse_place, path=True, split=_split_paths)
SWITCH: Final = Kind("", _parse_switch, words=("true", "false"))


@dataclass(frozen=True, slots=True)
class Option:
    """One option. ``default`` is its value if nothing else is said; ``otherwise`` says in words
    what happens then, if that depends on other things. ``fronts`` show it: in the table below those
    that check and the app if it does not say so. ``many`` options may be repeated, and
    ``gather`` makes one value of theirs. ``off`` names the opposite of a switch that has one.
    ``methods`` are the only methods that take it, some of them with fewer values (``narrowed``).
    ``one_run`` options have no place in the settings file."""

    name: str
    help: str
    kind: Kind = TEXT
    group: str = ""
    fronts: tuple[Front, ...] | None = None
    default: Any = None
    otherwise: str = ""
    many: bool = False
    gather: Callable[[Sequence[Any]], Any] = tuple
    off: bool = False
    metavar: str = ""
    methods: tuple[str, ...] = ()
    narrowed: Mapping[str, Kind] = field(default_factory=dict)
    one_run: bool = False

    @property
    def flag(self) -> str:
        """The option as it is typed: ``on_doubt`` is ``--on-doubt``."""
        return "--" + self.name.replace("_", "-")

    @property
    def variable(self) -> str:
        """The environment variable."""
        return settings.variable(self.name)

    @property
    def takes(self) -> str:
        """What stands behind the option; "" for a switch."""
        return "" if self.kind is SWITCH else self.metavar or self.kind.metavar

    @property
    def usual(self) -> str:
        """The default in words; "" if there is nothing to say."""
        if self.otherwise or self.default in (None, True, False, ""):
            return self.otherwise
        return str(self.default)

    def read(self, said: str | Sequence[str]) -> Any:
        """Return the value of what was written. Raises SettingError, which names no option."""
        if self.many:
            values = [said] if isinstance(said, str) else said
            return self.gather([self.kind.parse(one) for one in values])
        if not isinstance(said, str):
            raise SettingError(f"takes one value, not {len(said)}")
        return self.kind.parse(said)


def _pairs(found: Sequence[tuple[str, Any]]) -> dict[str, Any] | None:
    return dict(found) or None


_COMPARED = (
    Option("question", "What the text answers.", fronts=()),
    Option("context", "The messages before it.", fronts=("checks",)),
    Option("subject", "What the text is about, for pronouns.", fronts=("checks",)),
    Option("sample", "Another answer to the same question.", FILE, fronts=("checks",), many=True),
    Option(
        "samples",
        "Other answers, one a line, or a chat (.json).",
        FILE,
        fronts=("checks",),
        metavar="FILE.jsonl",
    ),
    Option(
        "paste",
        "Paste other answers into an editor.",
        SWITCH,
        fronts=(),
        default=False,
        one_run=True,
    ),
    Option("n_samples", "Use or draw at most N other answers.", whole(1), otherwise=str(SAMPLES)),
    Option("reference", "A file, folder or page that counts as true.", PLACE, many=True),
    Option("knowledge", "A base, a ZIM file, or wikipedia[:LANGUAGE].", NAME, many=True),
    Option("knowledge_folder", "Where knowledge bases lie.", FOLDER),
    Option(
        "web",
        "Search the web, such as by wikipedia (docs/web.md).",
        NAME,
        many=True,
        metavar="PROVIDER",
    ),
    Option("web_queries", "Make at most N queries for one message.", whole(1, 30), otherwise="6"),
    Option(
        "web_allow",
        "Use pages of these sites alone, such as nasa.gov.",
        Kind("SITE", str),
        many=True,
    ),
    Option("web_deny", "Use no page of this site.", Kind("SITE", str), many=True),
)

_BY_FACTS: Final = ("fsc-frequency", "fsc-kg", "fsc-text")

_METHOD = (
    Option("method", "See halubot methods.", NAME, otherwise="consensus, cascade"),
    Option(
        "set",
        "A setting of it; see halubot methods NAME.",
        Kind("NAME=VALUE", _parse_assignment),
        many=True,
        gather=_pairs,
        one_run=True,
    ),
    Option(
        "verifier",
        "The encoder; none: words and values alone.",
        NAME,
        fronts=("checks",),
        metavar="FILE|none",
        methods=("consensus",),
    ),
    Option(
        "threshold",
        "Doubt facts from this score on.",
        number(0, 1, metavar="0..1"),
        otherwise="the method's",
    ),
    Option("as_published", "Follow the method's paper in every step.", SWITCH, default=False),
    # Those below are given by --set.
    Option(
        "match",
        "How a fact is found again: in other words too, or by equal letters.",
        choice("verified", "fuzzy", "exact"),
        otherwise="verified; as published exact",
        methods=("fsc-frequency",),
    ),
    Option(
        "aggregate",
        "How the score of a sentence is made of its facts (max, mean) or tokens (mean, min).",
        choice("max", "mean", "min"),
        otherwise="max; token-probability: mean",
        methods=(*_BY_FACTS, "token-probability"),
        narrowed={
            **dict.fromkeys(_BY_FACTS, choice("max", "mean")),
            "token-probability": choice("mean", "min"),
        },
    ),
    Option(
        "variant",
        "How the judge is asked; split and pairwise make one call a fact.",
        choice(
            *("baseline", "few-shot", "reasoning", "detailed", "detailed-reasoning"),
            *("detailed-few-shot", "all", "split", "pairwise"),
        ),
        otherwise="detailed-reasoning",
        methods=("triplet-check",),
    ),
    Option(
        "windows",
        "How many windows of long references are read, the nearest to the message.",
        Kind("N|all", _parse_windows),
        otherwise="all",
        methods=("triplet-check", "bcv", "bcv-cot", "sca"),
    ),
    Option(
        "role",
        'Whose part the judge takes, such as "medical expert".',
        Kind("TEXT", _parse_role),
        methods=("bcv", "bcv-cot", "sca", "issc", "issc-cot"),
    ),
    Option(
        "repeats",
        "How often the judge is asked: for a verdict; in gca for a part of a fact; in knowhalu if"
        " no log-probabilities come.",
        whole(1),
        otherwise="5; gca: 3",
        methods=("bcv", "bcv-cot", "sca", "knowhalu", "gca"),
    ),
    Option(
        "verdict_samples",
        "How many other answers the model judges at most, those first that say most of the text.",
        whole(1),
        otherwise="cascade: 10; ensemble: all",
        methods=("cascade", "ensemble"),
    ),
    Option(
        "task",
        "What is checked: an answer, or a summary of the references.",
        choice("answer", "summary"),
        otherwise="a summary without a question and with one reference, else an answer",
        methods=("knowhalu",),
    ),
    Option(
        "base",
        "The form of knowledge that decides.",
        choice("text", "triplets"),
        otherwise="as in the paper",
        methods=("knowhalu",),
    ),
    Option(
        "d1",
        "The base is overridden only if it is less sure than this",
        number(0, 1, metavar="0..1"),
        otherwise="as for base",
        methods=("knowhalu",),
    ),
    Option(
        "d2",
        "and only if the other form is surer than this.",
        number(0, 1, metavar="0..1"),
        otherwise="as for base",
        methods=("knowhalu",),
    ),
    Option(
        "weights",
        "What head, relation, tail and samples count: wikibio, phd, or four numbers with the sum"
        " 1.",
        Kind("NAME|W,W,W,W", _parse_weights),
        otherwise="wikibio",
        methods=("gca",),
    ),
)

_MODEL = (
    Option("model", "Who answers and judges: provider/model.", NAME),
    Option("judge_model", "Another model to judge.", NAME),
    Option("api_base", "The address of its server.", Kind("URL", _parse_address)),
    Option("system", "A system prompt for the answer and the samples.", fronts=("checks",)),
    Option("reasoning_effort", "How long the model thinks: low, medium, high.", Kind("WORD", str)),
    Option("think", "Turn the model's thoughts on or off.", SWITCH, off=True),
    Option("num_ctx", "The context that Ollama opens.", whole(1, metavar="TOKENS")),
    Option(
        "parameters",
        "A parameter of its server, such as top_k=40.",
        Kind("NAME=VALUE", _parse_parameter),
        many=True,
        gather=_pairs,
    ),
)

_LIMITS = (
    Option("max_calls", "Make at most N calls.", whole(0)),
    Option("max_cost", "Spend at most that much.", number(metavar="DOLLARS")),
    Option(
        "concurrency",
        "Calls under way at once, to each provider.",
        whole(1),
        otherwise="64; 8 to this machine",
    ),
    Option(
        "rate",
        "Begin at most so many calls to one provider: 500/min, 10/s, 10000/h.",
        Kind("N/min", parse_rate),
        fronts=("batch",),
    ),
    Option(
        "timeout",
        "How long one call may take.",
        number(above=True, metavar="SECONDS"),
        otherwise="60",
    ),
    Option("deadline", "Stop then, with what is known.", number(above=True, metavar="SECONDS")),
    Option("offline", "Refuse every connection to another machine.", SWITCH, default=False),
    Option(
        "dry_run",
        "Only say how many calls and tokens it takes.",
        SWITCH,
        fronts=("reports", "batch"),
        default=False,
        one_run=True,
    ),
)

_OUTPUT = (
    Option(
        "hints",
        "What a model that corrects is told: facts, sentences or none.",
        choice("none", "sentences", "facts", metavar="WHAT"),
        fronts=("corrects", "app"),
        default="facts",
    ),
    Option(
        "on_doubt",
        "mark, remove or hedge the doubted words that no source replaces.",
        choice("mark", "remove", "hedge", metavar="WHAT"),
        fronts=("corrects", "app"),
        default="mark",
    ),
    Option(
        "report",
        "What a line holds: the report, or its label and the doubted facts (1.5 KB at most).",
        choice("full", "brief"),
        fronts=("batch",),
        default="full",
    ),
    Option(
        "fail_on",
        "The mildest finding that counts: contradicted, doubtful or not-checked.",
        choice(*get_args(FailOn), metavar="FINDING"),
        fronts=("reports",),
        default="not-checked",
    ),
    Option(
        "format",
        "text, json, markdown or html.",
        choice(*FORMATS, metavar="FORMAT"),
        fronts=("reports",),
        default="text",
    ),
    Option("output", "Write there, and print nothing.", FILE, fronts=("reports",)),
    Option("verbose", "Say more.", SWITCH, fronts=("reports", "batch"), default=False),
)

_KEPT = (
    Option("store", "Keep the model's answers there.", FOLDER),
    Option(
        "record",
        "Write the answers that are used there.",
        FILE,
        fronts=("checks",),
        metavar="FILE.jsonl",
        one_run=True,
    ),
    Option(
        "replay",
        "Take the answers from there; call no model.",
        FILE,
        fronts=("checks",),
        metavar="FILE.jsonl",
        one_run=True,
    ),
    Option("state", "Keep feedback and sessions there.", FOLDER, fronts=("reports", "app")),
    Option(
        "no_feedback",
        "Leave out what you said of facts.",
        SWITCH,
        fronts=("reports", "app"),
        default=False,
    ),
)

_APP = (
    Option(
        "theme",
        "How the terminal app looks; halubot-clear is for the colour-blind.",
        choice("halubot-dark", "halubot-light", "halubot-clear"),
        fronts=("app",),
        default="halubot-dark",
    ),
    Option(
        "ascii",
        "Draw with plain signs alone.",
        SWITCH,
        fronts=("app",),
        off=True,
        otherwise="if the terminal needs it",
    ),
    Option("motion", "Let things move.", SWITCH, fronts=("app",), default=True, off=True),
)

_GROUPS: Final[Mapping[str, tuple[Option, ...]]] = {
    "What to compare with": _COMPARED,
    "Method": _METHOD,
    "Model": _MODEL,
    "Limits": _LIMITS,
    "Output": _OUTPUT,
    "What is kept": _KEPT,
    "Terminal app": _APP,
}


def _fronts(option: Option) -> tuple[Front, ...]:
    """Who shows an option if it does not say so: nobody a setting of methods, which --set gives."""
    if option.fronts is not None:
        return option.fronts
    return () if option.methods else ("checks", "app")


OPTIONS: Final[Mapping[str, Option]] = {
    option.name: replace(option, group=group, fronts=_fronts(option))
    for group, options in _GROUPS.items()
    for option in options
}
"""All options by name, in the order of the help."""

NAMES: Final = tuple(name for name, option in OPTIONS.items() if not option.one_run)
"""The names of all settings, as they stand in the settings file."""

OF_METHODS: Final[Mapping[str, tuple[str, ...]]] = {
    name: option.methods for name, option in OPTIONS.items() if option.methods
}
"""The settings that only some methods take, and which methods of ours do."""


FROM_PROGRAMS: Final[Mapping[str, str]] = {"logprobs": "token-probability"}
"""The settings that programs alone give, and the method that takes and checks each."""


def names_for(*fronts: Front) -> tuple[str, ...]:
    """Return the names of the options that these front ends show, and of the settings of methods if
    they check."""
    checking = {"checks", "app"} & set(fronts)
    return tuple(
        name
        for name, option in OPTIONS.items()
        if {*(option.fronts or ())} & {*fronts} or (option.methods and checking)
    )


def settings_of_method(method: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of the settings given, without those that are None, that this method takes. A
    method of another package takes all."""
    from halubot.methods.registry import BUILT_IN

    ours = method in BUILT_IN
    return {
        name: value
        for name, value in given.items()
        if value is not None and not (ours and method not in OF_METHODS[name])
    }


def read_settings(method: str, given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings of a method as a Python program gives them, checked as if they were
    typed, without those that are None. A method of another package takes all as they are.

    Raises SettingError for one that the method does not take, or that has no such value.
    """
    from halubot.methods.registry import BUILT_IN

    if method not in BUILT_IN:
        return dict(given)
    known = [name for name, takers in OF_METHODS.items() if method in takers]
    known += [name for name, taker in FROM_PROGRAMS.items() if method == taker]
    found = {}
    for name, value in given.items():
        if name not in known:
            has = f": known are {', '.join(known)}" if known else ""
            raise SettingError(f"{method} has no option {name!r}{has}")
        if value is None:
            continue
        if name in FROM_PROGRAMS:
            found[name] = value
            continue
        option = OPTIONS[name]
        said = ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)
        try:
            found[name] = option.narrowed.get(method, option.kind).parse(said)
        except SettingError as error:
            raise SettingError(f"{name}: {error}") from None
    return found
