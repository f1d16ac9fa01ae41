"""Random inputs for everything that reads what comes from outside.

    python -m tools.fuzz --seconds 600                  random seed, which is printed
    python -m tools.fuzz --seconds 60 --seed 1          the same inputs each time
    python -m tools.fuzz --seed 1 --case 4711           one input again, and what it was

Checks, corrections, readers of files, parsers of models' answers, renderers, the service and the
command line get texts of at most 10 kB that are made of what has been trouble before. A fault is an
exception that is no `HalubotError`, a report that breaks its promises, or an input that takes more
than 3 s of the processor. The work is done in another process, so that a crash or an endless loop
is a fault too, and is named. Ends with 1 if there was any.
"""

from __future__ import annotations

import argparse
import asyncio
import faulthandler
import io
import json
import os
import random
import re
import resource
import secrets
import subprocess
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stderr, redirect_stdout, suppress
from pathlib import Path
from typing import Any, Final

from rich.console import Console

from benchmarks.documents import docx, pdf
from halubot import check, correct
from halubot.api import LONGEST_MESSAGE
from halubot.batch import check_file
from halubot.cli import main as main_command
from halubot.errors import HalubotError
from halubot.evidence.sources import chats_of, contents_of, samples_of
from halubot.inputs import Options
from halubot.methods import registry
from halubot.models import answer_text
from halubot.models.vendor_errors import translate_error, without_keys
from halubot.network import UnfitError, require_fit
from halubot.render.html import page
from halubot.render.inert import inert
from halubot.render.markdown_report import to_markdown
from halubot.render.terminal import render, render_correction
from halubot.report import Report
from halubot.service.pages import Limits, build
from halubot.testing import ScriptedModel
from halubot.text import Document, read, segments
from halubot.text.files.chats import fingerprint
from halubot.verifier.encoder import SHIPPED
from tools.fuzz_inputs import JSON, LONGEST, MARKUP, SIGNS, Maker
from tools.patterns import texts

MOST_SECONDS: Final = 3.0
"""Seconds of the processor for one input."""
PATTERN_SECONDS: Final = 20.0
"""Seconds of the clock after which the check of a long text of one pattern ends."""
LIMITS: Final = {"pattern": 40.0}
"""Seconds of the processor for one input of these kinds."""
STUCK_SECONDS: Final = 120
"""Seconds of the clock after which the process that works is ended."""
SECONDS: Final = re.compile(rb'"seconds":[^}]*')
"""What of a report says how long it took."""


def require(holds: bool, what: str) -> None:
    """Raise AssertionError unless a promise holds."""
    if not holds:
        raise AssertionError(what)


def require_sound(report: Report) -> None:
    """Raise AssertionError if a report breaks what `docs/report.md` promises of it."""
    size = len(report.text)
    texts = {source.id: source.text or "" for source in report.sources}
    at = 0
    for sentence in report.sentences:
        require(at <= sentence.start < sentence.end <= size, "sentences overlap or leave the text")
        at = sentence.end
        require(sentence.verdict != "not_checked" or bool(sentence.reason), "no reason")
    for fact in report.facts:
        require(
            all(0 <= start < end <= size for start, end in fact.spans), "a span leaves the text"
        )
        require(fact.verdict != "not_checked" or bool(fact.reason), "a fact without a reason")
        for one in fact.evidence:
            if one.quote and one.start is not None and one.end is not None:
                held = texts[one.source][one.start : one.end]
                require(one.quote == held, "a quote is not what stands there")
    require(Report.model_validate_json(report.to_json()) == report, "JSON loses something")


def require_drawn(report: Report) -> None:
    """Raise AssertionError if a renderer fails, or lets through what commands a terminal."""
    for width in (20, 80):
        out = io.StringIO()
        console = Console(file=out, width=width, color_system=None, force_terminal=False)
        console.print(render(report, verbose=True))
        if report.correction is not None:
            console.print(render_correction(report, verbose=True))
        require(out.getvalue() == inert(out.getvalue()), "a control character is printed")
    to_markdown(report, verbose=True).encode()
    made = page(report, verbose=True).encode()
    require(b"<script" not in made and b"\x1b" not in made, "HTML is not escaped")


WITH_VERIFIER: Final = 0.05
# The verifier takes milliseconds for each pair, and would leave no time for anything else.
os.environ.setdefault("HALUBOT_VERIFIER", "none")


def fuzz_check(maker: Maker) -> None:
    """Check a message; now and then a short one, with the verifier."""
    text, options = maker.given()
    if maker.chance.random() < WITH_VERIFIER:
        options["verifier"] = str(SHIPPED)
        text = text[:300]
        for name in ("samples", "references"):
            given = (str(one)[:300] for one in list(options[name])[:2])
            options[name] = [one for one in given if one.strip()]
    report = check(text, **options)
    require_sound(report)
    require_drawn(report)


def fuzz_correct(maker: Maker) -> None:
    """Correct a message."""
    text, options = maker.given()
    on_doubt = maker.chance.choice(("mark", "hedge", "remove"))
    report = correct(text, on_doubt=on_doubt, **options)  # type: ignore[arg-type]
    require_sound(report)
    require(report.correction is not None, "there is no correction")
    if report.correction is not None and report.correction.report is not None:
        require_sound(report.correction.report)
    require_drawn(report)


def fuzz_model(maker: Maker) -> None:
    """Check, or correct, with a model that answers anything, by any method."""
    text, options = maker.given()
    # Short, since a model answers about every sentence by each method.
    text = text[:400]
    for name in ("samples", "references"):
        given = (str(one)[:400] for one in options[name])
        options[name] = [one for one in given if one.strip()]
    options["model"] = ScriptedModel(maker.answer, honours_n=maker.chance.random() < 0.5)
    options["method"] = maker.chance.choice(sorted(registry.BUILT_IN))
    options["n_samples"] = maker.chance.randint(1, 4)
    options["max_calls"] = 200
    options["as_published"] = maker.chance.random() < 0.2
    report = (check if maker.chance.random() < 0.8 else correct)(text, **options)
    require_sound(report)
    require_drawn(report)


def fuzz_text(maker: Maker) -> None:
    """Cut a text into sentences."""
    document: Document = read(maker.text(LONGEST))
    pieces = "".join(document.text[one.start : one.end] for one in segments(document))
    require(pieces == document.text, "segments lose something")
    require(len(document.plain) == len(document.text), "blanking changed the length")


def fuzz_html(maker: Maker) -> None:
    """Read a page."""
    data = maker.text(LONGEST, *MARKUP).encode("utf-8", "surrogatepass")
    contents_of(maker.damaged(data), "a.html")


def fuzz_pdf(maker: Maker) -> None:
    """Read a PDF."""
    words = maker.text(300).encode("latin-1", "replace")
    made = pdf(maker.chance.randint(1, 9), b"BT /F1 1 Tf 20 250 Td (" + words + b") Tj ET")
    contents_of(maker.damaged(made), "a.pdf")


def fuzz_docx(maker: Maker) -> None:
    """Read a DOCX: its XML is broken, or the archive is."""
    body = f"<w:p><w:r><w:t>{maker.text(200)}</w:t></w:r></w:p><w:tbl/>"
    if maker.chance.random() < 0.5:
        # Half a pair cannot be written as UTF-8, and the reader is to be tried, not the writer.
        made = docx(maker.changed(body).replace("\ud800", ""))
    else:
        made = maker.damaged(docx("<w:p><w:r><w:t>Ada wrote.</w:t></w:r></w:p>"))
    contents_of(made, "a.docx")


def fuzz_file(maker: Maker) -> None:
    """Read a file of any bytes."""
    size = maker.chance.randint(0, 2_000)
    encoding = maker.chance.choice(("utf-8", "utf-16", "utf-32", "cp1252", "shift-jis"))
    data = maker.chance.choice(
        (maker.chance.randbytes(size), maker.text(size + 1).encode(encoding, "replace"))
    )
    contents_of(maker.damaged(data), maker.chance.choice(("a", "a.txt", "a.md", "a.html", "a.pdf")))


def fuzz_chats(maker: Maker) -> None:
    """Read exported chats."""
    says = [maker.text(60) for _ in range(4)]
    chatgpt = {
        "title": maker.value(),
        "mapping": {
            str(n): {
                "id": str(n),
                "parent": maker.chance.choice((None, "0", "1", "2", "x")),
                "children": [maker.chance.choice("0123")],
                "message": {
                    "author": {"role": maker.chance.choice(("user", "assistant"))},
                    "content": {"content_type": "text", "parts": [said, maker.value()]},
                },
            }
            for n, said in enumerate(says)
        },
    }
    claude = {"name": "x", "chat_messages": [{"sender": "human", "text": one} for one in says]}
    made = maker.chance.choice((chatgpt, claude, maker.value()))
    data = json.dumps([made] * maker.chance.randint(1, 3)).encode()
    if maker.chance.random() < 0.5:
        data = maker.damaged(data)
    fingerprint(says[0])
    chats_of(data, "chats.json", question=says[0], message=says[1])


def fuzz_lines(maker: Maker) -> None:
    """Read samples, one a line."""
    samples_of(b"\n".join(line(maker) for _ in range(5)), "samples.jsonl")


def line(maker: Maker) -> bytes:
    """Return a line of JSON that is more or less what it should be."""
    value = maker.value()
    if maker.chance.random() < 0.7:
        names = ("id", "text", "question", "samples", "references", "sentences", "subject")
        value = {name: maker.value() for name in names if maker.chance.random() < 0.5}
        value["text"] = maker.chance.choice((maker.text(500), maker.value()))
        value["samples"] = [maker.text(300) for _ in range(3)]
    data = json.dumps(value).encode()
    return maker.damaged(data)[:1_500] if maker.chance.random() < 0.3 else data[:1_500]


def fuzz_batch(maker: Maker) -> None:
    """Check the lines of a file, stop in the middle, and go on."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "in.jsonl"), Path(folder, "out.jsonl")
        source.write_bytes(b"\n".join(line(maker) for _ in range(5)))
        faults: list[str] = []
        check_file(source, target, watch=lambda one: faults.append(one.error or ""))
        require(not any("fault of halubot" in one for one in faults), "; ".join(faults))
        # Cut anywhere: the same bytes must come, wherever a run was stopped.
        whole = target.read_bytes()
        target.write_bytes(whole[: maker.chance.randint(0, len(whole))])
        check_file(source, target)
        again = SECONDS.sub(b"", target.read_bytes())
        require(again == SECONDS.sub(b"", whole), "a batch that was stopped went on otherwise")


def fuzz_answers(maker: Maker) -> None:
    """Parse what models and servers send."""
    pieces = (*JSON, *maker.chance.choices(SIGNS, k=4), *maker.words[:9])
    text = "".join(maker.chance.choices(pieces, k=maker.chance.randint(0, 1_500)))[:LONGEST]
    for one in (text, maker.text(LONGEST, *JSON)):
        with suppress(ValueError):
            answer_text.read_json(one, cut=maker.chance.random() < 0.5)
        without_keys(one)
        translate_error(Exception(one), model="openai/x", endpoint="http://x")
        with suppress(UnfitError):
            require_fit(one.encode("utf-8", "surrogatepass"))


def fuzz_service(maker: Maker) -> None:
    """Ask the service: no request is a fault of its own."""
    chance = maker.chance
    body: Any = {
        "text": maker.text(2_000),
        "references": [maker.text(2_000) for _ in range(2)],
        "samples": [{"text": maker.text(500), "title": maker.text(50)}],
        "input_type": "response",
        "texts": [maker.text(500), maker.text(500)],
        "structured_messages": [{"role": "user", "content": maker.value()}],
        "additional_provider_specific_params": {"block_on": "doubtful"},
    }
    path = chance.choice(("/v1/check", "/v1/correct", "/beta/litellm_basic_guardrail_api"))
    known = ("text", "references", "samples") if path.startswith("/v1") else tuple(body)[3:]
    body = {name: body[name] for name in known if chance.random() < 0.9}
    if chance.random() < 0.3:
        body[chance.choice((*known, "x"))] = maker.value()
    data = json.dumps(body).encode()
    if chance.random() < 0.9:  # half a pair is refused before all else
        data = data.replace(b"\\ud800", b"?")
    if chance.random() < 0.2:
        data = maker.damaged(data)
    headers = {"host": "127.0.0.1", "content-type": "application/json"}
    if chance.random() < 0.3:
        name = chance.choice(("host", "origin", "content-type", "authorization", "last-event-id"))
        headers[name] = maker.text(100)
    status, answer = ask_service(path, headers, data)
    require(status < 500, f"the service answers {status}")
    require(isinstance(json.loads(answer), dict), "the answer is no object")


def ask_service(path: str, headers: dict[str, str], data: bytes) -> tuple[int, bytes]:
    """Return the status and the body of an answer of a service without a connection."""
    asked = [{"type": "http.request", "body": data, "more_body": False}]
    told: list[Any] = []

    async def receive() -> Any:
        if asked:
            return asked.pop()
        await asyncio.Event().wait()
        return None

    async def send(message: Any) -> None:
        told.append(message)

    raw = [(name.encode(), text.encode("utf-8", "replace")) for name, text in headers.items()]
    scope = {
        "type": "http",
        "method": "POST",
        "path": path,
        "query_string": b"",
        "headers": raw,
        "http_version": "1.1",
    }
    asyncio.run(build(Options(), Limits(), token=None, host="127.0.0.1")(scope, receive, send))
    return told[0]["status"], b"".join(one.get("body", b"") for one in told[1:])


def fuzz_command(maker: Maker) -> None:
    """Run a command with files of any name and standard input."""
    chance = maker.chance
    with tempfile.TemporaryDirectory() as folder:
        name = maker.text(30).replace("/", "_").replace("\x00", "_").strip(".") or "a"
        file = Path(folder, name.encode("utf-8", "replace")[:60].decode("utf-8", "ignore") + ".txt")
        file.write_text(maker.text(2_000), encoding="utf-8", errors="replace")
        lines = b"\n".join(line(maker) for _ in range(3))
        if chance.random() < 0.7:
            lines = b"\n".join(json.dumps(maker.text(500)).encode() for _ in range(3))
        source = chance.choice((["--sample", "-"], ["--samples", "-"], ["--reference", "-"]))
        command = chance.choice(("check", "correct"))
        args = [command, str(file), "--reference", folder, *source, "--no-feedback"]
        args += ["--format", chance.choice(("text", "json", "markdown", "html"))]
        said = io.StringIO()
        before = sys.stdin
        sys.stdin = io.TextIOWrapper(io.BytesIO(lines))
        try:
            with redirect_stdout(said), redirect_stderr(said):
                status = main_command(args)
        finally:
            sys.stdin = before
    require(status in (0, 1, 2, 3), f"status {status}: {said.getvalue()[-500:]}")
    if "text" in args[-1]:
        raw = [one for one in said.getvalue() if one < " " and one not in "\n\t"]
        require(not raw, f"it prints {raw[:3]!r}")


def fuzz_pattern(maker: Maker) -> None:
    """Check a text of one pattern, as long as a message may be."""
    text = maker.chance.choice(sorted(texts(LONGEST_MESSAGE).items()))[1]
    given = maker.chance.choice(
        (Options(), Options(references=[text]), Options(samples=[text, text]))
    )
    given["deadline"] = PATTERN_SECONDS
    require_sound(check(text, **given))


TARGETS: Final[dict[str, tuple[float, Callable[[Maker], None]]]] = {
    "check": (4, fuzz_check),
    "correct": (3, fuzz_correct),
    "model": (3, fuzz_model),
    "text": (1, fuzz_text),
    "html": (1, fuzz_html),
    "pdf": (1, fuzz_pdf),
    "docx": (1, fuzz_docx),
    "file": (1, fuzz_file),
    "chats": (1, fuzz_chats),
    "lines": (0.5, fuzz_lines),
    "batch": (0.5, fuzz_batch),
    "answers": (1, fuzz_answers),
    "service": (1, fuzz_service),
    "command": (0.5, fuzz_command),
    "pattern": (0.05, fuzz_pattern),
}
"""What is fuzzed, each with its share of the inputs."""


def run_case(seed: int, number: int, name: str) -> tuple[float, str | None]:
    """Return the seconds of the processor that an input takes, and the traceback of its fault."""
    # A source of chance for each input, so that one can be made again without those before it.
    chance = random.Random(f"{seed}.{number}")  # noqa: S311 - it makes inputs, not secrets
    started = time.process_time()
    fault = None
    try:
        TARGETS[name][1](Maker(chance))
    except HalubotError:
        pass
    except Exception:  # noqa: BLE001 - that is what is looked for
        fault = traceback.format_exc()
    return time.process_time() - started, fault


def name_of(seed: int, number: int, names: Sequence[str]) -> str:
    """Return the name of what an input fuzzes."""
    chance = random.Random(f"{seed}.{number}.target")  # noqa: S311
    return chance.choices(names, [TARGETS[name][0] for name in names])[0]


def work(seed: int, first: int, seconds: float, names: Sequence[str]) -> None:
    """Run inputs and write a line of JSON before and after each."""
    check(
        "Ada was born in 1815.", references=["Ada was born in 1815."]
    )  # loads what is loaded late
    ending = time.monotonic() + seconds
    number = first
    while number == first or time.monotonic() < ending:
        name = name_of(seed, number, names)
        print(json.dumps([number, name]), flush=True)
        # A watch inside the process: an endless loop in C hears no signal that Python handles.
        faulthandler.dump_traceback_later(STUCK_SECONDS, exit=True)
        taken, fault = run_case(seed, number, name)
        most = LIMITS.get(name, MOST_SECONDS)
        if fault is None and taken > most:  # what was loaded or cleared away by chance
            taken = min(taken, run_case(seed, number, name)[0])
        if fault is None and taken > most:
            fault = f"it took {taken:.1f} s"
        print(json.dumps([round(taken, 3), fault]), flush=True)
        number += 1
    faulthandler.cancel_dump_traceback_later()
    # ru_maxrss is in bytes on macOS and in kilobytes elsewhere.
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps([peak // (1 << 20 if sys.platform == "darwin" else 1 << 10)]), flush=True)


class Tally:
    """Counts what the process that works reports, and prints its faults."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.count = Counter[str]()
        self.slowest = (0.0, 0, "")
        self.faults = 0
        self.megabytes = 0
        self.number, self.name, self.is_open = 0, "", False

    def follow(self, lines: Iterable[str]) -> None:
        """Read what the process writes, until it ends."""
        for raw in lines:
            match json.loads(raw):
                case [int(number), str(name)]:
                    self.number, self.name, self.is_open = number, name, True
                case [float(taken), fault]:
                    self.is_open = False
                    self.count[self.name] += 1
                    self.slowest = max(self.slowest, (taken, self.number, self.name))
                    if fault is not None:
                        self.tell(fault)
                case [int(size)]:
                    self.megabytes = max(self.megabytes, size)

    def tell(self, fault: str) -> None:
        """Print a fault of the current input."""
        self.faults += 1
        print(f"\ncase {self.number} ({self.name}), seed {self.seed}:\n{fault}", flush=True)


def main() -> int:
    """Fuzz, and print what was found. Return the status to end with."""
    parser = argparse.ArgumentParser(description="Fuzz halubot.")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=None, help="random if it is not given")
    parser.add_argument("--case", type=int, help="run this input alone")
    parser.add_argument("--only", choices=TARGETS, action="append", help="fuzz only this")
    parser.add_argument("--work", type=int, help=argparse.SUPPRESS)
    args = parser.parse_args()
    names = args.only or list(TARGETS)
    seed = secrets.randbelow(1_000_000) if args.seed is None else args.seed
    if args.work is not None:
        work(seed, args.work, args.seconds, names)
        return 0
    print(f"seed {seed}", flush=True)
    again = [sys.executable, "-m", "tools.fuzz", "--seed", str(seed)]
    again += [f"--only={name}" for name in args.only or ()]
    tally = Tally(seed)
    ending = time.monotonic() + (args.seconds if args.case is None else 0)
    number = args.case or 0
    while tally.count.total() == 0 or time.monotonic() < ending:
        left = max(0.0, ending - time.monotonic())
        command = [*again, "--work", str(number), "--seconds", f"{left:.1f}"]
        # A process of its own: a crash of a library would otherwise end the fuzzing without a name.
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
            tally.follow(process.stdout or ())
        if process.returncode == 0:
            break
        if not tally.is_open:
            print("the process that does the work fails", file=sys.stderr)
            return 1
        tally.tell(f"the process ended with {process.returncode}")
        tally.count[tally.name] += 1
        # Go on behind the input that ended the process.
        number = tally.number + 1
    done = ", ".join(f"{name} {tally.count[name]}" for name in names)
    print(f"{tally.count.total()} inputs ({done})")
    print(
        "slowest: {:.2f} s, case {} ({});".format(*tally.slowest), f"{tally.megabytes} MB at most"
    )
    print(f"{tally.faults} faults")
    if tally.faults:
        print(f"again: python -m tools.fuzz --seed {seed} --case NUMBER", *again[5:])
    return 1 if tally.faults else 0


if __name__ == "__main__":
    sys.exit(main())
