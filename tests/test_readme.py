"""README holds: its example prints what it says, its links lead somewhere, its commands exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import click
import pytest

from halubot.cli import COMMANDS, group

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
CALLS = re.findall(r"^    halubot ([^\n#]+)", README, re.MULTILINE)


def test_its_example_prints_what_it_says(capsys: pytest.CaptureFixture[str]) -> None:
    found = re.search(r"```python\n(.*?)```\n\nprints\n\n((?:    [^\n]*\n)+)", README, re.DOTALL)
    assert found is not None
    exec(found[1], {})  # noqa: S102 - it is our own
    assert capsys.readouterr().out == re.sub("^    ", "", found[2], flags=re.MULTILINE)


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#:]+)\)", README))
def test_its_links_lead_somewhere(link: str) -> None:
    assert (ROOT / link).is_file()


@pytest.mark.parametrize("call", CALLS)
def test_its_commands_exist_with_their_options(call: str) -> None:
    name, *words = shlex.split(call)
    assert name in COMMANDS
    command = group.get_command(click.Context(group), name)
    assert command is not None
    known = {option for param in command.params for option in param.opts}
    assert {word for word in words if word.startswith("--")} <= known


@pytest.mark.parametrize("target", re.findall(r"(?:^    |`)make (\w+)", README, re.MULTILINE))
def test_its_targets_are_made(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
