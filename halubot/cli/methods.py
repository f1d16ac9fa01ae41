"""`halubot methods`: what there is to judge a text by."""

from __future__ import annotations

import json

import click

from halubot.cli import options, printing


@click.command(params=[options.LIST_FORMAT])
def command(format: str) -> None:
    """List the methods: name, what each needs, its model calls for a message of eight
    sentences with twenty samples, and where it comes from."""
    from halubot.methods import Size, get, known

    methods = [get(name) for name in known()]
    if format == "json":
        found = [
            {
                "name": method.name,
                "summary": method.summary,
                "needs": list(method.needs),
                "needs_all": method.needs_all,
                "calls": method.calls(Size()),
                "source": method.source,
            }
            for method in methods
        ]
        printing.say(json.dumps(found, indent=2, ensure_ascii=False))
        return
    rows = [
        (
            method.name,
            method.summary,
            (" and " if method.needs_all else " or ").join(method.needs) or "nothing",
            str(method.calls(Size())),
            method.source,
        )
        for method in methods
    ]
    printing.say(printing.table(("name", "summary", "needs", "calls", "source"), rows))
