"""The options that commands share, each declared once, with its variable and its setting; their
values as the settings file has them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Literal, get_args

import click
from click.core import ParameterSource

from halubot import method_settings
from halubot import settings as config
from halubot.cli import method_options, option_types
from halubot.cli.option_types import (
    FORMATS,
    ListFormat,
    Setting,
    convert_rate,
    parse_address,
    parse_parameters,
)
from halubot.errors import SettingError

FailOn = Literal["contradicted", "doubtful", "not-checked"]
"""The findings that decide the exit status, the worst first."""


_FILE = option_types.File()

_SHARED = (
    Setting(["--question"], metavar="TEXT", help="What the text answers."),
    Setting(["--context"], metavar="TEXT", help="The messages before it."),
    Setting(
        ["--subject"],
        metavar="TEXT",
        help="What the text is about, for pronouns that name nothing.",
    ),
    Setting(
        ["--sample"],
        multiple=True,
        type=_FILE,
        metavar="FILE",
        help="Another answer to the same question; may be repeated.",
    ),
    Setting(
        ["--samples"],
        type=_FILE,
        metavar="FILE",
        help='Other answers, one a line: a JSON string or {"text": ...}; or a .json file that'
        " ChatGPT, Claude or Open WebUI exported, of which the answers to the question are taken.",
    ),
    Setting(
        ["--paste"],
        is_flag=True,
        help="Open an editor to paste other answers to the same question into.",
    ),
    Setting(
        # No default here, nor in others whose help names one in brackets: it hangs on the method or
        # the model, and is known where it is used.
        ["--n-samples"],
        type=option_types.Whole(min=1),
        metavar="N",
        help="Use at most the first N samples; a model draws at most N. [default: 20]",
    ),
    Setting(
        ["--reference"],
        multiple=True,
        type=option_types.FileOrAddress(),
        metavar="FILE|URL",
        help="A text to be taken at its word, a folder of them, a page of the web (https://...), or"
        " - for standard input; may be repeated.",
    ),
    Setting(
        ["--knowledge"],
        multiple=True,
        metavar="NAME",
        help="Look up what the text says in a base of halubot knowledge, in a ZIM file, or online"
        " in wikipedia or wikipedia:LANGUAGE; may be repeated.",
    ),
    Setting(
        ["--knowledge-folder"],
        type=option_types.Folder(),
        metavar="FOLDER",
        help="Where knowledge bases lie.  [default: in the platform's folder for data]",
    ),
    Setting(
        ["--web"],
        multiple=True,
        metavar="PROVIDER[,PROVIDER]",
        help="Look it up on the web: wikipedia, duckduckgo (no key), searxng:ADDRESS, brave,"
        " tavily, exa, serper, google, linkup, you and others (docs/web.md).",
    ),
    Setting(
        ["--web-queries"],
        type=option_types.Whole(min=1, max=30),
        metavar="N",
        help="Make at most N queries for one message.  [default: 6]",
    ),
    Setting(
        ["--web-allow"],
        multiple=True,
        metavar="SITE",
        help="Use pages of these sites alone, such as nasa.gov; may be repeated.",
    ),
    Setting(
        ["--web-deny"],
        multiple=True,
        metavar="SITE",
        help="Use no page of this site; may be repeated.",
    ),
    Setting(["--method"], metavar="NAME", help="How to judge; see halubot methods."),
    *method_options.DECLARED,
    Setting(
        ["--threshold"],
        type=option_types.Number(0, 1),
        metavar="0..1",
        help="The score from which a fact is doubted.",
    ),
    Setting(
        ["--deadline"],
        type=option_types.Number(min=0, min_open=True),
        metavar="SECONDS",
        help="When to stop with what is known by then, a correction too; for batch and serve, each"
        " message.",
    ),
    Setting(
        ["--model"],
        metavar="NAME",
        help="A language model that draws samples and judges: provider/model, such as"
        " ollama_chat/llama3.",
    ),
    Setting(["--judge-model"], metavar="NAME", help="Another model to judge."),
    Setting(
        ["--api-base"],
        callback=parse_address,
        metavar="URL",
        help="The address of the model's server.",
    ),
    Setting(
        ["--max-calls"],
        type=option_types.Whole(min=0),
        metavar="N",
        help="Make at most N calls; what is stored takes none.",
    ),
    Setting(
        ["--max-cost"],
        type=option_types.Number(min=0),
        metavar="DOLLARS",
        help="Spend at most that much.",
    ),
    Setting(
        ["--concurrency"],
        type=option_types.Whole(min=1),
        metavar="N",
        help="Have at most N calls under way at once, to each provider.  [default: 64; a server on"
        " this machine begins with 2 and gets more as long as it keeps up]",
    ),
    Setting(
        ["--timeout"],
        type=option_types.Number(min=0, min_open=True),
        metavar="SECONDS",
        help="How long one call may take.  [default: 60]",
    ),
    Setting(
        ["--system"],
        metavar="TEXT",
        help="A system prompt of your own, for the answer and for samples.",
    ),
    Setting(
        ["--reasoning-effort"],
        metavar="WORD",
        help="How long the model thinks, in its provider's words: low, medium, high.",
    ),
    Setting(
        ["--think/--no-think"],
        default=None,
        help="Turn the model's thoughts on or off, where its server can.",
    ),
    Setting(
        ["--num-ctx"],
        type=option_types.Whole(min=1),
        metavar="TOKENS",
        help="The context that Ollama opens for the model.",
    ),
    Setting(
        ["--parameters"],
        multiple=True,
        callback=parse_parameters,
        metavar="NAME=VALUE",
        help="One more parameter for the model's server, such as top_k=40; may be repeated.",
    ),
    Setting(
        ["--rate"],
        callback=convert_rate,
        metavar="N/min",
        help="Begin at most so many calls to one provider in that time, at even distances: 500/min,"
        " 10/s, 10000/h.",
    ),
    Setting(
        ["--report"],
        type=click.Choice(["full", "brief"]),
        default="full",
        show_default=True,
        help="What a line has of a report: all, or the label and the doubted facts with their"
        " spans and reasons, in less than 1.5 KB.",
    ),
    Setting(
        ["--as-published"],
        is_flag=True,
        help="Follow the method's paper in every step: many calls, one by one (docs/methods.md).",
    ),
    Setting(
        ["--store"],
        type=option_types.Folder(),
        metavar="FOLDER",
        help="Keep the model's answers there.",
    ),
    Setting(
        ["--state"],
        type=option_types.Folder(),
        metavar="FOLDER",
        help="Keep feedback and sessions there.",
    ),
    Setting(
        ["--no-feedback"],
        is_flag=True,
        help="Leave out what you said of facts (halubot feedback).",
    ),
    Setting(
        ["--record"],
        type=_FILE,
        metavar="FILE.jsonl",
        help="Write all answers of the model that are used there.",
    ),
    Setting(
        ["--replay"],
        type=_FILE,
        metavar="FILE.jsonl",
        help="Take the answers from such a file; no model is called.",
    ),
    Setting(
        ["--dry-run"],
        is_flag=True,
        help="Call nothing: say how many calls and tokens it would take.",
    ),
    Setting(
        ["--offline"],
        is_flag=True,
        help="Refuse every connection to another machine.",
    ),
    Setting(
        ["--hints"],
        type=click.Choice(["none", "sentences", "facts"]),
        default="facts",
        show_default=True,
        help="What a model that corrects is told: nothing, the doubted sentences, or facts.",
    ),
    Setting(
        ["--on-doubt"],
        type=click.Choice(["mark", "remove", "hedge"]),
        default="mark",
        show_default=True,
        help="What to do with doubted words for which the sources give no others: list them and"
        " leave the text, take them out, or put a hedge behind them (at most a fifth of the text).",
    ),
    Setting(
        ["--fail-on"],
        type=click.Choice(get_args(FailOn)),
        default="not-checked",
        show_default=True,
        help="The mildest finding that ends with a status other than 0: 1 for contradicted or"
        " doubtful, 3 for not-checked.",
    ),
    Setting(
        ["--format"],
        type=click.Choice(FORMATS),
        default="text",
        show_default=True,
        help="How to print.",
    ),
    Setting(["--verbose"], is_flag=True, help="Say more."),
    Setting(["--output"], type=_FILE, metavar="FILE", help="Write there instead of printing."),
    Setting(
        ["--theme"],
        type=click.Choice(["halubot-dark", "halubot-light", "halubot-clear"]),
        default="halubot-dark",
        show_default=True,
        help="How the terminal app looks; halubot-clear is for the colour-blind.",
    ),
    Setting(
        # None is a third answer: find it out by the terminal.
        ["--ascii/--no-ascii"],
        default=None,
        help="Draw the terminal app with plain signs alone.  [default: where the terminal needs"
        " it]",
    ),
    Setting(
        ["--motion/--no-motion"],
        default=True,
        show_default=True,
        help="Whether anything moves in the terminal app.",
    ),
    Setting(
        ["--keys"],
        multiple=True,
        metavar="ACTION=KEY",
        help="Another key for an action of the terminal app, such as check-text=f12; may be"
        " repeated.",
    ),
)
_BY_NAME = {str(option.name): option for option in _SHARED}

# A record that a settings file names would be overwritten by each run.
OF_ONE_RUN = ("record", "replay", "dry_run", "paste")
"""Options that mean one run, and would be a trap in a settings file."""

NAMES = tuple(name for name in _BY_NAME if name not in OF_ONE_RUN)
"""The names of all settings, as they stand in the settings file."""

OF_METHODS = method_settings.OF_METHODS
"""The settings of single methods, and which take them."""

OF_SERVERS = ("reasoning_effort", "think", "num_ctx", "parameters")
"""What is asked of a model's server besides."""

# Without those of the output: `serve` and `mcp` check too, and print no report.
COMPARING = (
    *("context", "subject", "sample", "samples", "n_samples", "reference"),
    *("knowledge", "knowledge_folder"),
    *("web", "web_queries", "web_allow", "web_deny"),
    *("method", *OF_METHODS, "threshold", "deadline"),
    *(
        "model",
        "judge_model",
        "api_base",
        "max_calls",
        "max_cost",
        "concurrency",
        "timeout",
        "system",
    ),
    *OF_SERVERS,
    *("as_published", "store", "record", "replay", "offline"),
)
"""The options of every command that checks, the question left out: `ask` has it as its text."""

SHOWING = ("state", "no_feedback", "dry_run", "fail_on", "format", "verbose", "output")
"""The options of every command that shows the report of a check."""

APP = (
    *("model", "judge_model", "api_base", "method", *OF_METHODS, "n_samples", "threshold"),
    *("reference", "knowledge", "knowledge_folder"),
    *("max_calls", "max_cost", "concurrency", "timeout", *OF_SERVERS, "deadline", "as_published"),
    *("store", "state", "no_feedback", "offline", "hints", "on_doubt"),
    *("theme", "ascii", "motion", "keys"),
)
"""The options of the terminal app: what holds for each message that is asked or checked in it."""

FILE = click.Argument(["file"], required=False, type=_FILE, metavar="[FILE|-]")
"""The text to check; see `halubot.cli.input_files.message`."""

HOST = Setting(
    ["--host"],
    # Who wants other machines to ask has to say so.
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Where a server listens. On another address than this machine's own, what you do can be"
    " read on the way: it is not encrypted.",
)
PORT = Setting(
    ["--port"],
    type=option_types.Whole(0, 65535),
    default=8000,
    show_default=True,
    metavar="N",
    help="Which port it listens at; 0 is any that is free.",
)
"""Where `serve` and `tui --web` listen."""

LIST_FORMAT = Setting(
    ["--format"], type=ListFormat(), default="text", show_default=True, help="How to print."
)
"""The format of commands that list things."""


def shared_options(*names: str) -> list[click.Parameter]:
    """The shared options of these names, in this order."""
    return [_BY_NAME[name] for name in names]


def files_to_read(given: Mapping[str, Any]) -> list[Path]:
    """The files that the options of a check name to be read."""
    from halubot.evidence.knowledge.bases import is_file

    single = filter(None, [given["samples"], given["replay"]])
    archives = [Path(name) for name in given["knowledge"] if is_file(name)]
    references = [path for path in given["reference"] if isinstance(path, Path)]
    return [*given["sample"], *single, *references, *archives]


def read_settings() -> dict[str, Any]:
    """The settings of the file, written as on a command line. Raises SettingError."""
    return {name: _write_value(name, value) for name, value in config.read(NAMES).items()}


def _write_value(name: str, value: Any) -> Any:
    """A value of the file as the words that the option of this name takes."""
    many = _BY_NAME[name].multiple
    values = value if many and isinstance(value, list) else [value]
    for item in values:
        if not isinstance(item, (str, int, float)):
            wanted = "text, or a list of texts" if many else "text, number, true or false"
            raise SettingError(f"{name} in {config.path()} is {item!r:.40}, no {wanted}")
    # Through the words of a command line, so that a value of the file is checked by the same type
    # and callback.
    written = [str(item).lower() if isinstance(item, bool) else str(item) for item in values]
    return written if many else written[0]


def make_context(values: Mapping[str, Any]) -> click.Context:
    """A context in which every setting has its value, with ``values`` as those of the file.

    Raises click.BadParameter for a value that a setting cannot have.
    """
    # A command that is never run: click then merges variables, file and defaults by its own rules.
    command = click.Command("halubot", params=shared_options(*NAMES), add_help_option=False)
    return command.make_context("halubot", [], default_map=dict(values))


def name_origin(ctx: click.Context, param: click.Parameter) -> str:
    """Return the origin of a value, if it is not the command line, to end a sentence with."""
    match ctx.get_parameter_source(str(param.name)):
        case ParameterSource.ENVIRONMENT:
            return f", in the variable {param.envvar}"
        case ParameterSource.DEFAULT_MAP:
            return f", in {config.path()}"
        case _:
            return ""
