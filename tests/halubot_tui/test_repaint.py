"""What a terminal receives while a check runs and a person reads: every change is drawn again."""

from __future__ import annotations

import sys
import threading
from dataclasses import replace
from typing import TYPE_CHECKING, Final

import pytest

from tests.halubot_tui.on_terminal import started, wait_until
from tests.judge import Judge
from tests.loopback import loopback

if TYPE_CHECKING:
    from pathlib import Path

    from tests.halubot_tui.on_terminal import Terminal

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs pseudo-terminals"),
]

TEXT: Final = "Ada Lovelace was born in 1816 in London. Charles Babbage died in 1872 in London.\n"
REFERENCE: Final = TEXT.replace("1816", "1815").replace("1872", "1871")
WRONG: Final = ("1816", "1872")


def list_of_facts(terminal: Terminal) -> str:
    """What stands beside the conversation, above the evidence of one fact."""
    beside = [line.rpartition("│")[2] for line in terminal.screen if line.count("│") == 1]
    return "\n".join(beside).partition("────")[0]


def looked_at(terminal: Terminal) -> str:
    """The fact that the list marks as the one looked at."""
    marked = [line.partition("▌")[2] for line in list_of_facts(terminal).split("\n")]
    return " ".join(filter(None, marked))


def test_the_list_of_facts_shows_the_end_of_a_check_and_follows_n(tmp_path: Path) -> None:
    text, reference = tmp_path / "answer.txt", tmp_path / "known.txt"
    text.write_text(TEXT, encoding="utf-8")
    reference.write_text(REFERENCE, encoding="utf-8")
    judge = Judge(
        stance=lambda fact, _: "contradicts" if fact.endswith(WRONG) else "supports",
    )
    judged = threading.Event()

    with loopback() as server:
        server.answer(lambda body: replace(judge.reply(body), gate=judged))
        options = (str(text), "--reference", str(reference), "--method", "triplet-check")
        model = ("--model", "openai/test", "--api-base", server.url, "--store", f"{tmp_path}/s")
        with started(tmp_path / "state", *options, *model, columns=140) as (_, terminal):
            wait_until(lambda: "being checked" in list_of_facts(terminal), "facts to be checked")
            judged.set()
            wait_until(
                lambda: (
                    "being checked" not in list_of_facts(terminal)
                    and "1 against" in list_of_facts(terminal)
                ),
                "the end of the check in the list",
            )
            terminal.type("\t")  # from the field to the conversation
            terminal.wait_to_see("Next fact")
            wait_until(lambda: "1816" in looked_at(terminal), "the first fact, looked at")
            terminal.type("nn")
            wait_until(lambda: "1872" in looked_at(terminal), "another fact, looked at")
