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
    from halubot.methods.registry import get, method_names

    methods = [get(one) for one in ([name] if name else method_names())]
    if format == "json":
        listed = [_as_json(method) for method in methods]
        output.say_json(listed[0] if name else listed)
    else:
        output.say("\n".join(map(_stack, methods)))
    if name and format != "json":
        output.say("\n".join(_settings(name)))


def _taken(method: str) -> list[Option]:
    return [option for option in OPTIONS.values() if method in option.methods]


def _as_json(method: Method) -> dict[str, Any]:
    from halubot.methods import Size

    return {
        "name": method.name,
        "summary": method.summary,
        "needs": list(method.needs),
        "needs_all": method.needs_all,
        "calls": method.calls(Size()),
        "source": method.source,
        "settings": {
            option.name: {"help": option.help, "values": option.takes, "default": option.usual}
            for option in _taken(method.name)
        },
    }


def _stack(method: Method) -> str:
    """A method in lines below each other."""
    from halubot.methods import Size

    most = method.calls(Size())
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
