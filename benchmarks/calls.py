"""Calls and tokens of the methods that ask a model, and what a dry run tells of them.

    python -m benchmarks.calls                   every method, merged and as published
    python -m benchmarks.calls --method cascade  one of them

A model in this process answers as `tests.judge` does. A message of 8 sentences and 26 facts is
checked with 20 samples, drawn in the same run, or with a reference where the method wants one.
Calls are those beside the sampling; tokens are estimated (`halubot.models.token_count`), and those
of the prompts count the sampling.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.table import Table

from benchmarks.lives import FACTS, SENTENCES, message, name_of, sample
from halubot import check, rehearse
from halubot.methods import registry
from halubot.methods.gca import gca
from halubot.methods.judges import REPEATS
from halubot.methods.registry import Method
from halubot.models.token_count import prompt_tokens
from halubot.testing import ScriptedModel
from tests.judge import Judge
from tests.knowing import QUERIES

N = 20
U, F = SENTENCES, FACTS
QUESTION = f"Who was {name_of(0)}, and what is {name_of(0)} known for?"
SAMPLES = tuple(sample(0, index) for index in range(N))

PUBLISHED: dict[str, tuple[str, int]] = {
    "bcv": ("k", REPEATS),
    "bcv-cot": ("k", REPEATS),
    "sca": ("k", REPEATS),
    "issc": ("U·N", U * N),
    "issc-cot": ("U·N", U * N),
    "selfcheck-prompt": ("U·N", U * N),
    "fsc-frequency": ("2 + U + N", 2 + U + N),
    "fsc-kg": ("2 + U + N + F·N", 2 + U + N + F * N),
    "fsc-text": ("2 + U + F·N", 2 + U + F * N),
    "gca": (
        "2 + 2N + F·(2 + N + 4k)",
        2 + 2 * gca.MOST_DRAWN + F * (2 + gca.MOST_DRAWN + 4 * gca.REPEATS),
    ),
    "knowhalu": ("1 + 2·(2n + 1) + 2", 1 + 2 * (2 * QUERIES + 1) + 2),
    "triplet-check": ("2 + W", 3),
}
"""The calls of the papers' steps; k judgements, W windows, n queries. Of gca N is 10 at most."""


def measure(method: Method, *, as_published: bool) -> list[str]:
    """Check the message, and return a row of the table."""
    options: dict[str, Any] = {"method": method.name, "question": QUESTION}
    if "samples" in method.needs:
        options["n_samples"] = N
    else:
        options["references"] = [SAMPLES[0]]
    options["as_published"] = as_published
    plan = rehearse(message(), **options, model=ScriptedModel())
    model = ScriptedModel(Judge(samples=SAMPLES, question=QUESTION))
    with tempfile.TemporaryDirectory() as store:
        report = check(message(), **options, model=model, store=Path(store))
    assert not report.problems, report.problems
    sampling = sum(
        request.temperature is not None and request.schema is None for request in model.requests
    )
    read = sum(map(prompt_tokens, model.requests))
    formula, count = PUBLISHED.get(method.name, ("", 0))
    return [
        *(method.name, "as published" if as_published else "merged"),
        *(str(model.calls - sampling), f"{formula} = {count}" if formula else "", str(sampling)),
        *(f"{read:,}", str(plan.calls), str(plan.most_calls), f"{plan.prompt_tokens:,}"),
        f"{plan.prompt_tokens / read - 1:+.0%}",
    ]


@click.command()
@click.option("--method", "names", multiple=True, help="Measure this method alone; repeatable.")
def main(names: Sequence[str]) -> None:
    """Measure what checks with a model take."""
    table = Table("method", "", "calls", "published", "sampling", "prompt tokens", title="Methods")
    for heading in ("told: calls", "at most", "prompt tokens", "off by"):
        table.add_column(heading)
    for method in map(registry.get, names or registry.method_names()):
        if "model" in method.needs:
            for as_published in (False, True):
                table.add_row(*measure(method, as_published=as_published))
    Console(width=None if sys.stdout.isatty() else 160).print(table)


if __name__ == "__main__":
    main()
