"""`halubot methods`: the methods, and the settings that each takes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from halubot.cli import output
from halubot.cli.parameters import Command, list_format
from halubot.options import OPTIONS, Option
from halubot.render.captions import number

if TYPE_CHECKING:
    from halubot.methods import Method

# Below that the summaries wrap into columns of a word or two.
ROOMY = 90
"""Columns that a table of methods needs."""


@click.command(
    cls=Command,
    example="gca",
    params=[click.Argument(["name"], required=False, metavar="[NAME]"), list_format()],
)
def command(name: str | None, format: str) -> None:
    """List the methods, or say what one needs and which settings it takes (--set NAME=VALUE).

    The model calls are those for a message of 8 sentences with 26 facts, 20 samples and one
    reference, without sampling and what is asked again.
    """
    from halubot.methods import get
    from halubot.methods.registry import method_names

    methods = [get(one) for one in ([name] if name else method_names())]
    if format == "json":
        listed = [_as_json(method) for method in methods]
        output.say_json(listed[0] if name else listed)
    elif name:
        output.say("\n".join([_stack(methods[0]), *_settings(methods[0].name)]))
    elif output.console().width < ROOMY:
        output.say("\n".join(map(_stack, methods)))
    else:
        rows = [
            (method.name, method.summary, _needs(method), str(_calls(method)), method.source)
            for method in methods
        ]
        output.say(output.table(("name", "summary", "needs", "calls at most", "source"), rows))


def _taken(method: str) -> list[Option]:
    return [option for option in OPTIONS.values() if method in option.methods]


def _calls(method: Method) -> int:
    from halubot.methods import Size

    return method.calls(Size())


def _as_json(method: Method) -> dict[str, Any]:
    return {
        "name": method.name,
        "summary": method.summary,
        "needs": list(method.needs),
        "needs_all": method.needs_all,
        "calls": _calls(method),
        "source": method.source,
        "settings": {
            option.name: {"help": option.help, "values": option.takes, "default": option.usual}
            for option in _taken(method.name)
        },
    }


def _stack(method: Method) -> str:
    """A method in lines below each other."""
    most = _calls(method)
    calls = f"at most {number(most, 'call')}" if most else "no calls"
    facts = f"needs {_needs(method)}; {calls}; {method.source}"
    lines = [output.wrap_paragraph(one, first="    ") for one in (method.summary, facts)]
    return "\n".join([method.name, *lines])


def _settings(method: str) -> list[str]:
    """The settings of a method in lines."""
    lines = [""]
    for option in _taken(method):
        usual = f" [{option.usual}]" if option.usual else ""
        lines.append(f"    --set {option.name}={option.takes}")
        lines.append(output.wrap_paragraph(option.help + usual, first="        "))
    return lines if len(lines) > 1 else ["", "    It takes no settings."]


def _needs(method: Method) -> str:
    """Say what a method needs: a model, and any or all of the rest."""
    compared = [need for need in method.needs if need != "model"]
    words = [(" and " if method.needs_all else " or ").join(compared)] if compared else []
    words += ["a model"] * ("model" in method.needs)
    return "; ".join(words) or "nothing"
