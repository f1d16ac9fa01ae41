"""README and docs hold: examples print what they say, links lead somewhere, commands exist."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from itertools import takewhile
from pathlib import Path

import click
import pytest

from benchmarks.__main__ import command as benchmarks
from benchmarks.datasets import DATASETS
from docs.list_options import PAGE, write_page
from halubot.cli import COMMANDS, group

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
CODE = re.compile(
    r"^```(?:bash|console)?\n(.*?)^```$|^((?:    [^\n]*\n)+)", re.DOTALL | re.MULTILINE
)
CALL = re.compile(r"^ *(?:[\w-]*\$ )?halubot ((?:[^\n\\]|\\\n|\\.)+)", re.MULTILINE)
MEASURED = re.compile(r"^python -m (benchmarks(?:[^\n\\]|\\\n)*)", re.MULTILINE)


def code_of(page: Path) -> str:
    """Return the commands and transcripts of a page."""
    text = page.read_text(encoding="utf-8")
    return "\n".join(found[1] or found[2] for found in CODE.finditer(text))


TRANSCRIPTS = [
    (page, text)
    for page in PAGES
    if (text := "".join(re.findall(r"```console\n(.*?)```", page.read_text("utf-8"), re.DOTALL)))
]


def name_of(value: Path | str) -> str:
    """Return what a page or a command is called in the list of tests."""
    return value.name if isinstance(value, Path) else value[:40]


def test_its_example_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"```python\n(.*?)```\n\nprints\n\n((?:    [^\n]*\n)+)", README, re.DOTALL)
    assert found is not None
    exec(found[1], {})  # noqa: S102 - it is our own
    assert capsys.readouterr().out == re.sub("^    ", "", found[2], flags=re.MULTILINE)


def test_its_links_lead_somewhere() -> None:
    links = re.findall(r"\]\(([^)#:]+)\)", README)
    assert [link for link in links if not (ROOT / link).is_file()] == []


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_exist_with_their_options(page: Path) -> None:
    for call in dict.fromkeys(CALL.findall(code_of(page))):
        name, *words = takewhile(lambda word: word not in ("|", "||", ">"), shlex.split(call, True))
        assert name in COMMANDS
        command = group.get_command(click.Context(group), name)
        while isinstance(command, click.Group) and words and words[0] in command.commands:
            command = command.commands[words.pop(0)]
        assert command is not None, call
        known = {one for param in command.params for one in (*param.opts, *param.secondary_opts)}
        assert {word.partition("=")[0] for word in words if word.startswith("--")} <= known, call


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_benchmarks_exist_with_their_options(page: Path) -> None:
    known = {option for param in benchmarks.params for option in param.opts}
    for call in MEASURED.findall(code_of(page)):
        module, *words = shlex.split(call, comments=True)
        assert find_spec(module) is not None, call
        if module == "benchmarks":
            assert words[0] in DATASETS
            assert {word for word in words if word.startswith("--")} <= known, call


@pytest.mark.slow
@pytest.mark.parametrize(("page", "text"), TRANSCRIPTS, ids=name_of)
def test_transcripts_are_what_a_shell_shows(
    page: Path, text: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each command of a page is run, in order and in one folder, and prints what the page shows:
    with the verifier, as a user has it."""
    monkeypatch.delenv("HALUBOT_VERIFIER")
    halubot = tmp_path / "bin" / "halubot"
    halubot.parent.mkdir()
    halubot.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m halubot "$@"\n')
    halubot.chmod(0o755)
    for command, shown in _commands(text):
        done = subprocess.run(
            ["/bin/sh", "-c", f'PATH="{halubot.parent}:$PATH"\n{command}'],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        printed = [_without_time(line) for line in done.stdout.splitlines()]
        assert printed == list(map(_without_time, shown)), command + done.stderr


def _without_time(line: str) -> str:
    """Return a line without the seconds that a check took."""
    return re.sub(r"· \d+\.\d+ s$", "· s", line.rstrip())


def _commands(text: str) -> list[tuple[str, list[str]]]:
    """Return the commands of a transcript, each with the lines that it prints."""
    found: list[tuple[str, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            found.append((line.removeprefix("$ "), []))
        elif line.startswith("> "):
            found[-1] = (f"{found[-1][0]}\n{line.removeprefix('> ')}", [])
        else:
            found[-1][1].append(line.rstrip())
    return found


@pytest.mark.parametrize("target", re.findall(r"(?:^    |`)make (\w+)", README, re.MULTILINE))
def test_its_targets_are_made(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_the_page_of_options_is_what_the_code_says() -> None:
    """`python -m docs.list_options` writes it anew."""
    assert PAGE.read_text(encoding="utf-8") == write_page()
