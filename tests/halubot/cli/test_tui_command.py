"""`halubot tui` and `halubot` alone, as far as they go without a terminal."""

from __future__ import annotations

import pytest

from halubot.cli import main
from halubot.state.sessions import Sessions
from tests.halubot.cli.calling import Halubot


def test_a_text_on_standard_input_is_refused_with_a_remedy(halubot: Halubot) -> None:
    ended = halubot("tui", "-", stdin=b"Ada was born in 1815.")
    assert (ended.status, ended.out) == (2, "")
    assert "use halubot check -" in " ".join(ended.err.split())


def test_without_a_terminal_it_names_other_commands(halubot: Halubot) -> None:
    ended = halubot("tui")
    assert (ended.status, ended.out) == (2, "")
    assert "halubot check" in ended.err


def test_to_watch_it_needs_a_file(halubot: Halubot) -> None:
    ended = halubot("tui", "--watch")
    assert (ended.status, ended.out) == (2, "")
    assert "halubot tui --watch FILE" in " ".join(ended.err.split())


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        ("halubot t", "tui"),
        ("halubot serve --po", "--port"),
        ("halubot tui --theme halubot-l", "halubot-light"),
        ("halubot tui --session A", "Ada"),
    ],
)
def test_the_shell_completes(
    words: str,
    offered: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    with Sessions.open() as sessions:
        sessions.new("Ada")
        sessions.new("Babbage")
    monkeypatch.setenv("_HALUBOT_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(len(words.split()) - 1))
    with pytest.raises(SystemExit) as ended:
        main([])
    assert ended.value.code == 0
    printed = capsys.readouterr().out.splitlines()
    assert [line.partition(",")[2] for line in printed] == [offered]
