"""How the terminal app feels: its first frame, its keys under load, long sessions, memory.

    python -m benchmarks.tui                  all of it
    python -m benchmarks.tui --only keys      first-frame, idle, keys, session, memory, long-text

    python -m benchmarks.tui --only keys      first-frame, idle, keys, session, memory or long-text
writes 200 tokens a second; nothing goes online.
"""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
import pty
import resource
import select
import signal
import statistics
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from rich.console import Console
from rich.table import Table
from textual import events
from textual.app import App, ComposeResult
from textual.widgets import TextArea

import halubot
from halubot.events import Event
from halubot.state.sessions import Sessions
from halubot_tui.app import HalubotApp
from halubot_tui.checker import Apart
from halubot_tui.conversation import Conversation
from halubot_tui.orders import Check
from halubot_tui.preferences import Preferences
from halubot_tui.turns import Inputs, options_of

if TYPE_CHECKING:
    from halubot_tui.turns import Turn

TOKENS_A_SECOND = 200
MESSAGES = 500
LONG_TEXT = 199_000
SIZE = (160, 48)

EMPTY = """
import os
from textual.app import App
class Empty(App):
    def on_ready(self):
        os._exit(0)
Empty().run(headless=True, size=(160, 48))
"""
OURS = """
import os
import sys
from pathlib import Path
from halubot_tui.app import HalubotApp
class Opened(HalubotApp):
    def on_ready(self):
        os._exit("litellm" in sys.modules)
Opened(folder=Path(sys.argv[1]), apart=True).run(headless=True, size=(160, 48))
"""

FACTS = (
    "Ada Lovelace was born in {year} in London.",
    "She met Charles Babbage in {later}.",
    "Her notes on the Analytical Engine were printed in {last}.",
    "She died of cancer at the age of {age}.",
    "Her father was the poet Lord Byron.",
    "She studied mathematics with Augustus De Morgan.",
    "The language Ada was named after her in {named}.",
    "Her notes hold an algorithm for the numbers of Bernoulli.",
)


def written(number: int) -> str:
    """An answer of eight sentences, in other years for each number."""
    years = {
        "year": 1815 + number % 3,
        "later": 1833 + number % 2,
        "last": 1843 + number % 4,
        "age": 36 + number % 2,
        "named": 1980 - number % 3,
    }
    return " ".join(FACTS).format(**years)


def main_figures(times: list[float]) -> tuple[str, str, str]:
    """The median, the 95th percentile and the worst of times in seconds, as milliseconds."""
    chosen = (statistics.median(times), high(times), max(times))
    return tuple(f"{one * 1000:.1f}" for one in chosen)  # type: ignore[return-value]


def high(times: list[float]) -> float:
    """The 95th percentile."""
    return sorted(times)[min(len(times) - 1, int(len(times) * 0.95))]


# The first frame.


def first_frame(console: Console, runs: int) -> None:
    """The time of a process that ends with its first frame."""
    with tempfile.TemporaryDirectory() as folder:
        commands = {
            "empty Textual app": [sys.executable, "-c", EMPTY],
            "halubot": [sys.executable, "-c", OURS, folder],
        }
        # Bytecode is in place, as it is after an installation: the first start writes it.
        environ = {**os.environ, "PYTHONPYCACHEPREFIX": str(Path(folder, "bytecode"))}
        environ.pop("PYTHONDONTWRITEBYTECODE", None)
        taken: dict[str, list[tuple[float, float]]] = {name: [] for name in commands}
        for _ in range(runs + 1):
            for name, command in commands.items():
                start, used = time.perf_counter(), children_used()
                subprocess.run(command, check=True, capture_output=True, env=environ)  # noqa: S603
                taken[name].append((time.perf_counter() - start, children_used() - used))
    table = Table(
        "first frame", "median ms", "best ms", "times empty", "processor ms", "times empty"
    )
    empty = [statistics.median(one) for one in zip(*taken["empty Textual app"][1:], strict=True)]
    for name, times in taken.items():
        clock, own = zip(*times[1:], strict=True)
        middle, processor = statistics.median(clock), statistics.median(own)
        table.add_row(
            name,
            f"{middle * 1000:.0f}",
            f"{min(clock) * 1000:.0f}",
            f"{middle / empty[0]:.2f}",
            f"{processor * 1000:.0f}",
            f"{processor / empty[1]:.2f}",
        )
    console.print(table)


# Rest.


def idle(console: Console, seconds: float, runs: int) -> None:
    """Prints what share of a processor the app and its process for checks take while nothing
    happens, in turns with an empty Textual app."""
    with tempfile.TemporaryDirectory() as folder:
        commands = {
            "empty Textual app": [sys.executable, __file__, "--work", '{"work": "empty"}'],
            "halubot": [sys.executable, "-m", "halubot", "tui", "--state", folder],
        }
        shares: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(runs):
            for name, command in commands.items():
                shares[name].append(share_at_rest(command, folder, seconds))
    for name, found in shares.items():
        told = ", ".join(f"{100 * one:.2f}" for one in sorted(found))
        console.print(f"{name}: processor at rest over {seconds:.0f} s, per cent: {told}")


def share_at_rest(command: list[str], home: str, seconds: float) -> float:
    """The share of a processor that an app takes on a terminal of its own; the first 10 seconds,
    in which it loads, do not count."""
    process, terminal = pty.fork()
    if not process:
        os.environ.update(TERM="xterm-256color", HOME=home)
        os.execv(command[0], command)  # noqa: S606
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", *SIZE[::-1], 0, 0))
    try:
        read_for(terminal, 10.0)
        before, start = used_by(process), time.perf_counter()
        read_for(terminal, seconds)
        return (used_by(process) - before) / (time.perf_counter() - start)
    finally:
        os.killpg(process, signal.SIGTERM)
        os.close(terminal)
        os.waitpid(process, 0)


def empty() -> dict[str, Any]:
    """Runs an app with nothing but a field."""
    Field().run()
    return {}


def read_for(terminal: int, seconds: float) -> None:
    """Takes what is written to a terminal for so long, as its window does."""
    end = time.perf_counter() + seconds
    while (left := end - time.perf_counter()) > 0:
        if select.select([terminal], [], [], left)[0]:
            os.read(terminal, 65536)


def used_by(session: int) -> float:
    """The seconds of the processor that the processes of a session took until now."""
    ticks = 0
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text(encoding="utf-8").rpartition(")")[2].split()
        except OSError:  # it ended meanwhile
            continue
        if int(fields[3]) == session:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def children_used() -> float:
    """The seconds of the processor that processes which have ended took."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


# Keys while an answer streams and samples are judged.


class Writer(BaseHTTPRequestHandler):
    """Answers like a model: streams at so many tokens a second, or answers at once."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        if asked.get("stream"):
            self._stream()
            return
        texts = [written(number) for number in range(asked.get("n") or 1)]
        choices = [
            {
                "index": place,
                "finish_reason": "stop",
                "message": {"role": "assistant", "content": text},
            }
            for place, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": 20, "completion_tokens": 120, "total_tokens": 140}
        body = {"id": "1", "object": "chat.completion", "created": 1, "model": "writer"}
        sent = json.dumps({**body, "choices": choices, "usage": usage}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(sent)))
        self.end_headers()
        self.wfile.write(sent)

    def _stream(self) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        text = "\n\n".join(
            f"{written(number)}\n\n- one **thing**\n- another" for number in range(7)
        )
        tokens = text.split(" ")
        start = time.perf_counter()
        for number, token in enumerate(tokens):
            wait = start + number / TOKENS_A_SECOND - time.perf_counter()
            if wait > 0:
                time.sleep(wait)
            self._piece({"content": token + " "}, None)
        self._piece({}, "stop")
        self.wfile.write(b"data: [DONE]\n\n")
        self.close_connection = True

    def _piece(self, delta: dict[str, str], finish: str | None) -> None:
        choice = {"index": 0, "delta": delta, "finish_reason": finish}
        body = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "writer"}
        self.wfile.write(f"data: {json.dumps({**body, 'choices': [choice]})}\n\n".encode())
        self.wfile.flush()

    def log_message(self, format: str, *args: object) -> None:
        """Says nothing."""


class Server(ThreadingHTTPServer):
    """A server whose clients may leave in mid-answer: an app that is closed does."""

    daemon_threads = True

    def handle_error(self, request: object, client_address: object) -> None:
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


def serve() -> None:
    """Serves until its parent goes away."""
    server = Server(("127.0.0.1", 0), Writer)
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()


@contextmanager
def serving() -> Iterator[str]:
    """The address of a server in a process of its own."""
    command = [sys.executable, __file__, "--serve"]
    with subprocess.Popen(  # noqa: S603
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
        finally:
            process.stdin.close()


class Field(App[None]):
    """An app with nothing but a field to write in."""

    def compose(self) -> ComposeResult:
        yield TextArea()


@dataclass
class Typist:
    """Presses keys on the loop of an app, and looks at the clock: ``late`` holds how many seconds
    after its time each key was drawn, ``own`` how many seconds of its own processor time the thread
    that draws took until then. On a busy machine the first tells of the machine, the second of the
    app."""

    app: App[Any]
    late: list[float] = field(default_factory=list)
    own: list[float] = field(default_factory=list)

    async def type_for(self, seconds: float) -> None:
        """Types 12 keys a second for so long."""
        await asyncio.to_thread(self._type, asyncio.get_running_loop(), seconds, 0.083)

    async def press(self) -> None:
        """Presses one key."""
        await asyncio.to_thread(self._press, asyncio.get_running_loop(), time.perf_counter())

    def _type(self, loop: asyncio.AbstractEventLoop, seconds: float, rest: float) -> None:
        due = begin = time.perf_counter()
        while due < begin + seconds:
            due += rest
            time.sleep(max(0.0, due - time.perf_counter()))
            self._press(loop, due)

    def _press(self, loop: asyncio.AbstractEventLoop, due: float) -> None:
        clock = time.pthread_getcpuclockid(threading.main_thread().ident or 0)
        began, drawn = time.clock_gettime(clock), threading.Event()
        loop.call_soon_threadsafe(self._post, drawn)
        drawn.wait()
        self.own.append(time.clock_gettime(clock) - began)
        self.late.append(time.perf_counter() - due)

    def _post(self, drawn: threading.Event) -> None:
        """Presses a key as the terminal does."""
        widget = self.app.focused
        assert widget is not None
        self.app.post_message(events.Key("x", "x"))
        # Behind the key in the queue of the app, then of the field that has the keys.
        self.app.call_later(lambda: widget.call_later(widget.call_after_refresh, drawn.set))

    @property
    def found(self) -> dict[str, list[float]]:
        """The times, as JSON has them."""
        return {"late": self.late, "own": self.own}


async def ask(begin: Callable[[int], Awaitable[None]], seconds: float) -> None:
    """Asks for one more answer every 3 seconds for so long."""
    end, number = time.perf_counter() + seconds, 0
    while time.perf_counter() < end:
        await begin(number)
        number += 1
        await asyncio.sleep(3.0)


def asking(address: str) -> Preferences:
    """An answer and 20 samples of the model at this address."""
    os.environ.setdefault("OPENAI_API_KEY", "none")
    return Preferences(model="openai/writer", api_base=address, method="consensus", n_samples=20)


def typed(seconds: float, address: str | None) -> dict[str, Any]:
    """Types into the app for so long while it answers with the model at an address."""
    found: dict[str, Any] = {}

    async def session() -> None:
        app = opened(Path(tempfile.mkdtemp()))
        typist = Typist(app)
        turns: list[Turn] = []

        async def begin(number: int) -> None:
            inputs = Inputs(kind="ask", text=f"Who was Ada, number {number}?")
            turns.append(await app.begin(inputs, asking(str(address))))

        async with app.run_test(size=SIZE) as pilot:
            await app.opened.wait()
            await pilot.pause()
            if address is not None:  # the model's library is loaded before anything is measured
                await begin(0)
                while turns[0].running:
                    await pilot.pause(0.1)
                asker = asyncio.create_task(ask(begin, seconds))
            await typist.type_for(seconds)
            found.update(typist.found)
            if address is not None:
                asker.cancel()
            found["failures"] = [turn.failure for turn in turns if turn.failure]
            found["checks"] = len(turns)
            found["judged"] = sum(bool(turn.entries) for turn in turns)
            found["written"] = sum(len(turn.answer.split()) for turn in turns)

    asyncio.run(session())
    return found


def typed_elsewhere(seconds: float, address: str | None) -> dict[str, Any]:
    """Types into an empty app for so long; with an address another process does the same work."""
    typist = Typist(Field())

    async def session() -> None:
        async with typist.app.run_test(size=SIZE) as pilot:
            await pilot.pause()
            await typist.type_for(seconds)

    if address is None:
        asyncio.run(session())
        return typist.found
    command = [
        sys.executable,
        __file__,
        "--work",
        json.dumps({"work": "answer", "address": address}),
    ]
    with subprocess.Popen(  # noqa: S603
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        process.stdout.readline()
        try:
            asyncio.run(session())
        finally:
            process.stdin.close()
    return typist.found


def answer(address: str) -> dict[str, Any]:
    """Has answers written and judged as the app does, in the same two processes, and draws nothing;
    prints a line once the first is done, and goes on until its input ends."""

    async def work() -> None:
        checker = Apart(lambda _: None, Path(tempfile.mkdtemp()))
        options = {**asking(address).options(), **options_of(Inputs(kind="ask", text=""))}
        options.pop("question")
        tasks: list[asyncio.Task[Any]] = []

        async def begin(number: int) -> None:
            order = Check("ask", f"Who was Ada, number {number}?", options)
            tasks.append(asyncio.create_task(checker.carry_out(order, lambda _: None)))

        await begin(0)
        await tasks[0]
        print(flush=True)
        asker = asyncio.create_task(ask(begin, 1e9))
        await asyncio.to_thread(sys.stdin.read)
        asker.cancel()
        await asyncio.to_thread(checker.close)

    asyncio.run(work())
    return {}


def keys(console: Console, seconds: float, rounds: int) -> None:
    """Prints how long keys take, in quiet and under load, in the app and in an empty one."""
    times: dict[tuple[str, str], dict[str, list[float]]] = {}
    notes: list[str] = []
    with serving() as served:
        for _ in range(rounds):
            for load, address in (("nothing", None), ("answers stream, samples judged", served)):
                for app, work in (("empty Textual app", "typed_elsewhere"), ("halubot", "typed")):
                    found = in_own_process(work, seconds=seconds, address=address)
                    kept = times.setdefault((load, app), {"late": [], "own": []})
                    for name, figures in kept.items():
                        figures.extend(found[name])
            notes.append(
                f"{found['written']} tokens in {found['checks']} answers of {TOKENS_A_SECOND}"
                f" tokens a second, {found['judged']} of them judged by 20 samples; failures:"
                f" {found['failures']}"
            )
    table = keys_table("keys", "meanwhile")
    table.add_column("95 %, times empty")
    table.add_column("own 95 %, times empty")
    for (load, app), of in times.items():
        empty = times[load, "empty Textual app"]
        ratios = (f"{high(of[name]) / high(empty[name]):.2f}" for name in ("late", "own"))
        table.add_row(app, load, *keys_row(of), *ratios)
    console.print(table)
    for note in notes:
        console.print(note)


def keys_table(*names: str) -> Table:
    """A table of what `keys_row` tells."""
    own = ("own median ms", "own 95 % ms", "own worst ms")
    return Table(*names, "keys", "median ms", "95 % ms", "worst ms", *own)


def keys_row(times: dict[str, list[float]]) -> tuple[str, ...]:
    """How many keys there were, and their figures: by the clock, and of the processor's time of
    the thread that draws."""
    late, own = times["late"], times["own"]
    return (str(len(late)), *main_figures(late), *main_figures(own))


# A session of many messages.


def opened(folder: Path, session: str | None = None) -> HalubotApp:
    """The app on a store."""
    return HalubotApp(folder=folder, session=session, apart=True)


def kept(folder: Path, messages: int) -> None:
    """Fills a session with messages that were checked."""
    with Sessions.open(folder) as sessions:
        session = sessions.new("long")
        logs: list[tuple[Inputs, list[Event]]] = []
        for number in range(20):
            text = "\n\n".join(written(number + more) for more in range(3))
            samples = tuple(written(number + other) for other in range(10))
            log: list[Event] = []
            halubot.check(text, samples=samples, watch=log.append)
            question = f"Who was Ada Lovelace, number {number}?"
            logs.append((Inputs(kind="check", text=text, question=question, samples=samples), log))
        for number in range(messages):
            inputs, log = logs[number % len(logs)]
            data = inputs.model_dump(mode="json")
            message = sessions.append(session.id, "message", data, words=inputs.words)
            recording = sessions.begin(session.id, message, {})
            for event in log:
                recording.hear(event)
        sessions.flush()


def scrolled(folder: str) -> dict[str, Any]:
    """Opens a long session and goes through it: seconds and megabytes."""
    found: dict[str, Any] = {}

    async def session() -> None:
        app = opened(Path(folder), "long")
        start = time.perf_counter()
        async with app.run_test(size=SIZE) as pilot:
            conversation = app.screen.query_one(Conversation)
            while not any("facts" in line for line in conversation.lines()):
                await pilot.pause(0.005)
            found["opened"] = time.perf_counter() - start
            conversation.focus()
            await pilot.pause()
            found["megabytes"] = [memory()]
            for keys in ("page_up", "page_down"):
                times = []
                for _ in range(MESSAGES):
                    start = time.perf_counter()
                    drawn = asyncio.Event()
                    getattr(conversation, f"scroll_{keys}")(animate=False)
                    conversation.call_later(conversation.call_after_refresh, drawn.set)
                    await drawn.wait()
                    times.append(time.perf_counter() - start)
                    await asyncio.sleep(0.02)
                found[keys] = times
                found["megabytes"].append(memory())

    asyncio.run(session())
    return found


def long_session(console: Console) -> None:
    """Prints what opening and scrolling a session of 500 messages takes."""
    with tempfile.TemporaryDirectory() as folder:
        kept(Path(folder, "long"), MESSAGES)
        kept(Path(folder, "short"), 1)
        many = in_own_process("scrolled", folder=str(Path(folder, "long")))
        one = in_own_process("scrolled", folder=str(Path(folder, "short")))
    table = Table("a session", "opened in ms", "page: median ms", "95 % ms", "worst ms")
    for name, found in (("1 message", one), (f"{MESSAGES} messages", many)):
        pages = main_figures(found["page_up"] + found["page_down"])
        table.add_row(name, f"{found['opened'] * 1000:.0f}", *pages)
    console.print(table)
    console.print(
        "memory, MB: "
        + ", ".join(f"{one:.0f}" for one in many["megabytes"])
        + f" (opened, {MESSAGES} pages up, as many down)"
    )


def worked(checks: int, *, apart: bool) -> dict[str, Any]:
    """Checks one message after the other in one app, in one session or each in a new one
    (``apart``): megabytes every tenth of the way."""
    found: list[float] = []

    async def session() -> None:
        app = opened(Path(tempfile.mkdtemp()))
        async with app.run_test(size=SIZE) as pilot:
            for number in range(checks):
                if apart:
                    await app.action_new_session()
                samples = tuple(written(number + other) for other in range(10))
                turn = await app.begin(Inputs(kind="check", text=written(number), samples=samples))
                while turn.running:
                    await pilot.pause(0.01)
                await pilot.pause()
                if number % max(1, checks // 10) == checks // 10 - 1:
                    found.append(memory())

    asyncio.run(session())
    return {"megabytes": found}


def memory_of_work(console: Console, checks: int) -> None:
    """Prints the memory of an app in which much is checked."""
    for apart, where in ((False, "one session"), (True, "a new session each")):
        found = in_own_process("worked", checks=checks, apart=apart)["megabytes"]
        console.print(
            f"memory while {checks} messages are checked, {where}, MB: "
            + ", ".join(f"{one:.0f}" for one in found)
        )


def long_text() -> str:
    """A text of 200 kB with about 9,000 facts."""
    people = ("Ada Lovelace", "Charles Babbage", "Mary Somerville", "Alan Turing", "Grace Hopper")
    done = ("was born in", "died in", "wrote a letter in", "visited London in", "published in")
    parts: list[str] = []
    size = number = 0
    while size < LONG_TEXT:
        facts = range(number, number + 12)
        said = (f"{people[n % 5]} {done[n * 7 // 3 % 5]} {1800 + n * 37 % 150}." for n in facts)
        parts.append(" ".join(said))
        size += len(parts[-1]) + 2
        number += 12
    return "\n\n".join(parts)


def read_long() -> dict[str, Any]:
    """Checks a text of 200 kB, and says how long keys took until they were drawn meanwhile, and
    how long nothing was answered after keys in each view then."""
    found: dict[str, Any] = {"then": []}

    async def session() -> None:
        app = opened(Path(tempfile.mkdtemp()))
        async with app.run_test(size=SIZE) as pilot:
            await pilot.pause()
            typist = Typist(app)
            text = long_text()
            reference = text[: len(text) // 2].replace("1816", "1815")
            start = time.perf_counter()
            turn = await app.begin(Inputs(kind="check", text=text, references=(reference,)))
            while turn.running or turn.late:
                await typist.press()
                await asyncio.sleep(0.05)
            found["seconds"] = time.perf_counter() - start
            found["meanwhile"] = typist.found
            found["facts"] = len(turn.entries)
            conversation = app.screen.query_one(Conversation)
            conversation.focus()
            await pilot.pause(1.0)
            for key in (*"nnpn", "pagedown", "pageup", "f3", "down", "down", *"s23451", "down"):
                app.simulate_key(key)
                found["then"].append(await longest_pause(0.6))
            found["megabytes"] = memory()

    asyncio.run(session())
    return found


async def longest_pause(seconds: float) -> float:
    """The longest time within so many seconds in which the app could answer to nothing."""
    longest, end = 0.0, time.perf_counter() + seconds
    while (start := time.perf_counter()) < end:
        await asyncio.sleep(0.002)
        longest = max(longest, time.perf_counter() - start - 0.002)
    return longest


def long_text_figures(console: Console) -> None:
    """Prints how the app bears a text of 200 kB."""
    found = in_own_process("read_long")
    table = keys_table("a text of 200 kB")
    table.add_row("a key while it is checked", *keys_row(found["meanwhile"]))
    pauses = found["then"]
    table.add_row("a pause after a key then", str(len(pauses)), *main_figures(pauses), "", "", "")
    console.print(table)
    console.print(
        f"{found['facts']} facts checked and shown in {found['seconds']:.1f} s,"
        f" {found['megabytes']:.0f} MB"
    )


def memory() -> float:
    """The megabytes that this process holds now."""
    try:
        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[1])
    except OSError:  # where the system does not tell, the most it held
        unit = 1 if sys.platform == "darwin" else 1024
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit / 1e6
    return pages * resource.getpagesize() / 1e6


def in_own_process(work: str, **given: Any) -> dict[str, Any]:
    """What one of the functions here finds in a process of its own."""
    command = [sys.executable, __file__, "--work", json.dumps({"work": work, **given})]
    answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)  # noqa: S603
    found: dict[str, Any] = json.loads(answer.stdout.splitlines()[-1])
    return found


WORKS: dict[str, Callable[..., dict[str, Any]]] = {
    "typed": typed,
    "typed_elsewhere": typed_elsewhere,
    "answer": answer,
    "empty": empty,
    "scrolled": scrolled,
    "worked": worked,
    "read_long": read_long,
}


PARTS = ("first-frame", "idle", "keys", "session", "memory", "long-text")


@click.command()
@click.option("--only", type=click.Choice(PARTS))
@click.option("--runs", default=10, show_default=True, help="Starts of each app.")
@click.option("--seconds", default=20.0, show_default=True, help="How long keys are pressed.")
@click.option("--rounds", default=3, show_default=True, help="How often, app by app in turn.")
@click.option("--checks", default=200, show_default=True, help="Messages of the long work.")
@click.option("--serve", "serves", is_flag=True, hidden=True)
@click.option("--work", hidden=True)
def main(
    *,
    only: str | None,
    runs: int,
    seconds: float,
    rounds: int,
    checks: int,
    serves: bool,
    work: str | None,
) -> None:
    """Measure the terminal app."""
    if serves:
        serve()
        return
    if work is not None:
        given = json.loads(work)
        print(json.dumps(WORKS[given.pop("work")](**given)))
        return
    console = Console()
    if only in (None, "first-frame"):
        first_frame(console, runs)
    if only in (None, "idle"):
        idle(console, 20.0, rounds)
    if only in (None, "keys"):
        keys(console, seconds, rounds)
    if only in (None, "session"):
        long_session(console)
    if only in (None, "memory"):
        memory_of_work(console, checks)
    if only in (None, "long-text"):
        long_text_figures(console)


if __name__ == "__main__":
    main()
