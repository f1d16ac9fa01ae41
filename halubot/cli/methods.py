"""`halubot methods`: what there is to judge a text by."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import click

from halubot.cli import option_types, options, output
from halubot.cli.option_types import Setting
from halubot.render.captions import number

if TYPE_CHECKING:
    from halubot.methods import Method, Size

# Below that the summaries wrap into columns of a word or two.
ROOMY = 90
"""Columns that a table of methods needs."""


def _count(name: str, default: int, what: str) -> click.Option:
    return Setting(
        [f"--n-{name}"],
        type=option_types.Whole(min=0),
        default=default,
        show_default=True,
        metavar="N",
        help=f"Count calls for a message with so many {what}.",
    )


@click.command(
    params=[
        _count("sentences", 8, "sentences"),
        _count("facts", 26, "facts"),
        _count("samples", 20, "samples"),
        _count("references", 1, "windows of references"),
        options.LIST_FORMAT,
    ]
)
def command(format: str, **size: int) -> None:
    """List the methods: name, what each needs, its model calls at most for a message of a given
    size (sampling, and what is asked again, left out), and where it comes from."""
    from halubot.methods import Size, get
    from halubot.methods.registry import method_names

    methods = [get(name) for name in method_names()]
    given = Size(**{name.removeprefix("n_"): count for name, count in size.items()})
    if format == "json":
        found: list[dict[str, Any]] = [
            {
                "name": method.name,
                "summary": method.summary,
                "needs": list(method.needs),
                "needs_all": method.needs_all,
                "calls": method.calls(given),
                "source": method.source,
            }
            for method in methods
        ]
        output.say(json.dumps(found, indent=2, ensure_ascii=False))
        return
    if output.console().width < ROOMY:
        output.say("\n".join(_stack(method, given) for method in methods))
        return
    rows = [
        (method.name, method.summary, _needs(method), str(method.calls(given)), method.source)
        for method in methods
    ]
    output.say(output.table(("name", "summary", "needs", "calls at most", "source"), rows))


def _stack(method: Method, size: Size) -> str:
    """A method in lines below each other."""
    most = method.calls(size)
    calls = f"at most {number(most, 'call')}" if most else "no calls"
    facts = f"needs {_needs(method)}; {calls}; {method.source}"
    lines = [output.wrap_paragraph(one, first="    ") for one in (method.summary, facts)]
    return "\n".join([method.name, *lines])


def _needs(method: Method) -> str:
    """Say what a method needs: a model, and any or all of the rest."""
    compared = [need for need in method.needs if need != "model"]
    words = [(" and " if method.needs_all else " or ").join(compared)] if compared else []
    words += ["a model"] * ("model" in method.needs)
    return "; ".join(words) or "nothing"
