"""A check stays under 500 MB, with what is given here; many checks keep nothing of each."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from halubot import check
from halubot.errors import InputError
from halubot.evidence import MOST_CHARACTERS
from halubot.inputs import MOST_OF_SAMPLES, MOST_REFERENCES, MOST_SAMPLES
from halubot.methods.consensus import comparison
from halubot.testing import ScriptedModel
from tests.hostile import Asked, Behaviour, answered, bomb, completion, endless, head, hostile

resource = pytest.importorskip("resource")

MOST_MEGABYTES = 500

# Words that are all different are the worst: nothing of them is kept only once.
MEASURED = """
import random, resource, sys
chance = random.Random(1)
short = "The Kellan Bridge was opened in 1931. It cost 5% of the market and a silver letter."
parts = ["".join(chance.choices("abcdefghijklmnop", k=3)) for _ in range(4_000)]

def soup(size):
    ends = ("", "", "", ".", "1", "%")
    made = [chance.choice(parts) + chance.choice(parts) for _ in range(size // 8)]
    return " ".join(word + chance.choice(ends) for word in made)

def measured(text, **given):
    from halubot import check, correct
    report = correct(text, **given)
    report.to_json()
    print(peak())

def peak():
    # On Linux `ru_maxrss` starts at that of the process which started this one.
    if sys.platform == "linux":
        with open("/proc/self/status") as status:
            lines = dict(line.split(":", 1) for line in status)
        return int(lines["VmHWM"].split()[0]) >> 10
    unit = 1 << 20 if sys.platform == "darwin" else 1 << 10
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // unit

"""
CASES = {
    "a long reference": "measured(short, references=[soup(9_000_000)])",
    "a reference of short lines": "measured(short, references=['a\\n\\n' * 3_000_000])",
    "a reference as long as is read whole": "measured(short, references=[soup(300_000)])",
    "many references": "measured(short, references=[soup(60_000)] * 150)",
    "long samples": "measured(short, samples=[soup(180_000)] * 20)",
    "a long message": "measured(soup(60_000), references=[soup(60_000)])",
}


@pytest.mark.slow
@pytest.mark.parametrize("name", CASES)
def test_a_check_stays_small(name: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", MEASURED + CASES[name]], capture_output=True, text=True, check=True
    )
    assert int(done.stdout) < MOST_MEGABYTES


TEXT = "Ada Lovelace 7 was born in London in 1815 and died in 1852. "


def thinking(thought: str) -> bytes:
    """The body of an answer that holds a thought."""
    message = {"role": "assistant", "content": "[]", "reasoning_content": thought}
    return json.dumps({"choices": [{"index": 0, "message": message}]}, ensure_ascii=False).encode()


def at_once(body: bytes) -> Behaviour:
    """All but the end of the body, and the end when 30 are under way or nobody else asks."""
    everybody = threading.Barrier(30)

    def behave(_: Asked) -> Iterator[bytes]:
        yield head()
        yield body[:-1]
        with suppress(threading.BrokenBarrierError):
            everybody.wait(3)
        yield body[-1:]

    return behave


def many_facts() -> Behaviour:
    facts = [{"triple": ["Ada", "born in", str(n)]} for n in range(8_000)]
    return answered(completion(json.dumps({"facts": facts})))


# Made when a test needs them: most are megabytes long.
SERVERS: dict[str, Callable[[], Behaviour]] = {
    "a bomb": lambda: answered(bomb(300), Content_Encoding="gzip"),
    "an error that is a bomb": lambda: answered(bomb(300), status=500, Content_Encoding="gzip"),
    "no end": lambda: answered(
        endless(b"x" * 65536, before=b'{"choices": [{"message": {"content": "')
    ),
    "deep": lambda: answered(completion("[" * 390_000)),
    "wide": lambda: answered(b'{"choices": [' + b",".join([b"{}"] * 1_900) + b"]}"),
    "long": lambda: answered(completion("Ada was born in 1816, it is said. " * 200_000)),
    "many facts": many_facts,
    "long thoughts": lambda: answered(thinking("x" * 7_500_000)),
    "wide letters": lambda: answered(thinking("\U0001f600" * 1_800_000)),
    "long answers at once": lambda: at_once(completion("x" * 2_500_000)),
}


WORST = ("a bomb", "no end", "wide letters", "long answers at once")
"""The servers that took the most memory, one of each kind."""


@pytest.mark.slow
@pytest.mark.parametrize("long", [False, pytest.param(True, marks=pytest.mark.faults)])
@pytest.mark.parametrize(
    "name",
    [one if one in WORST else pytest.param(one, marks=pytest.mark.faults) for one in SERVERS],
)
def test_a_check_with_a_model_stays_small(
    name: str, long: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """litellm is loaded here, and the server means harm."""
    monkeypatch.setenv("OPENAI_API_KEY", "none")
    (tmp_path / "message.txt").write_text(TEXT * (1_600 if long else 2))
    (tmp_path / "reference.txt").write_text("Ada Lovelace was born in 1815.")
    with hostile(SERVERS[name]()) as server:
        args = ["check", "message.txt", "--reference", "reference.txt", "--model", "openai/tiny"]
        args += ["--api-base", server.url, "--store", "store", "--format", "json"]
        args += ["--output", "report.json", "--deadline", "90"]
        code = MEASURED + "from halubot.cli import main\nmain(sys.argv[1:])\nprint(peak())"
        done = subprocess.run(
            [sys.executable, "-c", code, *args],
            capture_output=True,
            text=True,
            check=True,
            cwd=tmp_path,
        )
        assert server.received, done.stderr
    assert json.loads((tmp_path / "report.json").read_text())["problems"], done.stderr
    taken = int(done.stdout.split()[-1])
    print(f"{taken} MB, {len(server.received)} calls")
    assert taken < MOST_MEGABYTES


def test_a_model_is_asked_about_so_many_sentences(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("halubot.api.MOST_SENTENCES", 1)
    model = ScriptedModel(["fine"])
    with pytest.raises(InputError, match="2 sentences and a model is asked about up to 1"):
        check("Ada was born in 1815. She died in 1852.", samples=["Ada."], model=model)
    assert not model.calls


def test_more_than_there_is_room_for_is_refused() -> None:
    text = "Ada was born in 1815."
    with pytest.raises(InputError, match="halubot knowledge add"):
        check(text, references=["a" * (MOST_CHARACTERS // 2 + 1)] * 2)
    with pytest.raises(InputError, match="halubot knowledge add"):
        check(text, references=["a"] * (MOST_REFERENCES + 1))
    with pytest.raises(InputError, match="give fewer"):
        check(text, samples=["a" * (MOST_OF_SAMPLES // 2 + 1)] * 2)
    with pytest.raises(InputError, match="give fewer"):
        check(text, samples=["a"] * (MOST_SAMPLES + 1))


@pytest.mark.parametrize("kind", ["samples", "references"])
def test_too_many_facts_for_so_many_sources(kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparison, "MOST_FINDINGS", 6)
    text = "Ada was born in 1815. She died in 1852."
    sources = [f"Ada died in {year}." for year in (1850, 1851, 1852)]
    assert len(check(text, **{kind: sources}).facts) == 2  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"2 facts are too many .* no more than 3"):
        check(text, **{kind: [*sources, "Ada."]})  # type: ignore[arg-type]
    monkeypatch.setattr(comparison, "MOST_SILENT", 4)
    with pytest.raises(InputError, match="too many"):
        check(text, **{kind: sources})  # type: ignore[arg-type]
