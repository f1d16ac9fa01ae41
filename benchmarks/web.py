"""Errors found on the web, beside the same with the right page given; and citations.

    python -m benchmarks.web [--data FILE] [--limit N] [--format json]

Forty answers with two planted errors each are checked against a SearXNG on this machine, which
searches 120 pages on their subjects among 400 on other things; then against the right page, given
as a reference. Thirty citations, half of them made up or altered, are looked up in registries on
this machine. With ``--data benchmarks/web_answers_2.txt`` ten other answers are checked, which were
written after it was chosen how pages that disagree are weighed. All texts, pages and works are
invented and written for this benchmark.
"""

from __future__ import annotations

import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from itertools import product
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any, Final

import click

from benchmarks.web_citations import CITATIONS, serve_registries
from benchmarks.web_server import WebOnLoopback
from halubot import check
from halubot.demo.web import Recorded, load, parse
from halubot.evidence.web.lookup import Web
from halubot.evidence.web.providers import read_web
from halubot.inputs import Options
from halubot.report import DOUBTED, Report

DATA: Final = Path(__file__).with_name("web_answers.txt")

_NAMES: Final = (
    *("Aldis", "Brack", "Corran", "Dunmoor", "Estel", "Farrow", "Gellin", "Harrow", "Illen"),
    *("Jorvik", "Kessel", "Lorran", "Marrow", "Nolden", "Ostra", "Perrin", "Questa", "Rowan"),
    *("Selden", "Torvald"),
)
_KINDS: Final = (
    ("lighthouse", "The {n} Lighthouse was lit in {y}. Its tower is {a} metres tall and white."),
    ("bridge", "The {n} Bridge was opened in {y}. Its span is {a} metres, and {b} cars cross it."),
    ("lake", "Lake {n} covers {a} square kilometres. It freezes in winter. It was mapped in {y}."),
    ("chemist", "Rosa {n} was a chemist who was born in {y}. She published {a} papers on dyes."),
    ("observatory", "The {n} Observatory was founded in {y}. Its mirror measures {a} centimetres."),
    ("abbey", "{n} Abbey was founded in 1{a} by monks. Its library held {b} books."),
    ("museum", "The {n} Museum was opened in {y}. It owns {b} paintings and is closed on Mondays."),
    ("railway", "The {n} Railway is {a} kilometres long. It was opened in {y} for coal."),
    ("cheese", "{n} is a soft cheese. About {a} tonnes are made each year since {y}."),
    ("moth", "The {n} moth has wings of {a} millimetres. It was described in {y}."),
    ("runner", "Tom {n} is a runner who won the marathon of Ghent in {y}. He has run {a} races."),
    ("dam", "The {n} Dam is {a} metres high. It was built in {y} and supplies {b} households."),
    ("novelist", "Ada {n} is a novelist whose first book came out in {y}. She has written {a}."),
    ("theatre", "The {n} Theatre has {b} seats. It was opened in {y} with a comedy."),
    ("tram", "The {n} tramway was electrified in {y}. It has {a} kilometres of track."),
    ("language", "{n} is a language with {b} speakers. The first book in it was printed in {y}."),
    ("castle", "Castle {n} was besieged in 1{a}. Its walls are thick, and its well is deep."),
    ("potato", "The {n} is a potato that was bred in {y}. It ripens within {a} days."),
    ("glass", "{n} glass was made until {y}. Collectors pay {b} euros for a vase."),
    ("race", "The {n} Tour is a bicycle race of {a} kilometres. It has been held since {y}."),
)

_BEFORE: Final = (
    '<nav><a href="/">Home</a> <a href="/shop">Shop</a> <a href="/news">News</a></nav>'
    "<aside>Sign up for our letter. Most read: ten things to do on a rainy day.</aside>"
)
_AFTER: Final = (
    "<footer>We use cookies. Read our terms. &copy; 2024. Share this page. Related: the best hotels"
    " of 1931, the ten highest towers, prices from 85 euros.</footer>"
)


def fillers() -> Iterator[tuple[str, str]]:
    """Yield 400 titles and texts about other things of the same kinds."""
    random = Random(35)  # noqa: S311 - the same pages each time, no secret
    for name, (kind, text) in product(_NAMES, _KINDS):
        numbers = {"y": random.randint(1801, 1999), "a": random.randint(110, 399)}
        yield f"{name} {kind}", text.format(n=name, b=random.randint(400, 9000), **numbers)


def serve(web: WebOnLoopback, answers: Sequence[Recorded]) -> None:
    for number, answer in enumerate(answers):
        for site, text in zip(("encyclopaedia", "local-news", "blog"), answer.pages, strict=True):
            title = answer.subject if site == "encyclopaedia" else f"{site}: {answer.subject}"
            body = (
                f"<title>{title}</title>{_BEFORE}<main><h1>{title}</h1><p>{text}</p></main>{_AFTER}"
            )
            web.add(f"http://{site}.test/{number}", body)
    for number, (title, text) in enumerate(fillers()):
        body = f"<title>{title}</title>{_BEFORE}<main><p>{text}</p></main>{_AFTER}"
        web.add(f"http://others.test/{number}", body)


def compare(answer: Recorded, report: Report) -> list[tuple[bool, bool]]:
    """Return of each sentence whether it is wrong, and whether the report doubts it."""
    assert len(report.sentences) == len(answer.sentences), answer.subject
    doubted = [sentence.verdict in DOUBTED for sentence in report.sentences]
    return list(zip(answer.wrong, doubted, strict=True))


def rates(pairs: Sequence[tuple[bool, bool]]) -> dict[str, float]:
    """Return the share of wrong sentences that are doubted, and of right ones."""
    shares = [fmean(mark for wrong, mark in pairs if wrong == kind) for kind in (True, False)]
    return {"errors_found": round(shares[0], 3), "false_alarms": round(shares[1], 3)}


def run(limit: int | None = None, data: Path | None = None) -> dict[str, Any]:
    """Return the figures of the benchmark; with ``data`` those of other answers, without
    citations."""
    # Those of the demonstration, and as many more.
    known = () if data else load()
    answers = (*known, *parse((data or DATA).read_text(encoding="utf-8")))
    begun = time.perf_counter()
    with WebOnLoopback() as server, tempfile.TemporaryDirectory() as folder:
        serve(server, answers)
        settings = read_web(f"searxng:{server.searxng}")
        assert settings is not None
        web = Web(
            settings,
            folder=Path(folder),
            connect=server.connect,
            registries=serve_registries(server),
        )
        by_web, by_page = [], []
        for answer in answers[:limit]:
            by_web += compare(answer, check(answer.text, **Options(web=web)))
            page = f"# {answer.subject}\n\n{answer.pages[0]}"
            by_page += compare(answer, check(answer.text, references=[page]))
        cited = () if data else CITATIONS[:limit]
        judged = [(text, wanted, _judge_citation(text, web)) for text, wanted in cited]
        web.close()
    return {
        "answers": len(answers[:limit]),
        "web": rates(by_web),
        "right_page": rates(by_page),
        "citations": len(judged),
        "citations_right": sum(wanted == found for _, wanted, found in judged),
        "citations_wrong": [one for one in judged if one[1] != one[2]],
        "seconds": round(time.perf_counter() - begun, 1),
    }


def _judge_citation(text: str, web: Web) -> str:
    """Return the verdicts on what a text cites, in one word each."""
    report = check(text, **Options(web=web))
    return " ".join(fact.verdict for fact in report.facts if fact.triple.relation == "cites")


@click.command()
@click.option("--limit", type=click.IntRange(1), help="Check the first N answers.")
@click.option("--data", type=click.Path(path_type=Path, exists=True), help="Other answers.")
@click.option("--format", "style", type=click.Choice(["text", "json"]), default="text")
def main(limit: int | None, data: Path | None, style: str) -> None:
    """Check answers with planted errors against a web on this machine."""
    found = run(limit, data)
    if style == "json":
        click.echo(json.dumps(found, indent=2, ensure_ascii=False))
        return
    for name in ("web", "right_page"):
        errors, alarms = found[name].values()
        click.echo(f"{name:10}  errors found {errors:.3f}  false alarms {alarms:.3f}")
    click.echo(f"citations   {found['citations_right']} of {found['citations']} judged rightly")
    for text, wanted, said in found["citations_wrong"]:
        click.echo(f"  {said or 'not found'} in place of {wanted}: {text}")


if __name__ == "__main__":
    main()
