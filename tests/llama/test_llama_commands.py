"""The commands with a real model, for every method: each ends with a report, whatever the model
writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from halubot.methods import get
from halubot.methods.registry import method_names

MESSAGE = "Ada Lovelace was born in 1815 in London. She wrote about the Analytical Engine."
QUESTION = "Who was Ada Lovelace?"
ASKING = [name for name in method_names() if "model" in get(name).needs]
"""The methods that ask a model of their own accord."""

DOUBTED = ("--threshold", "0.01")
"""Nearly everything is doubted, so that there is something to correct."""

REPORTED = (0, 1, 3)
"""Statuses of a command that ends with a report."""

SECONDS = 300
"""After which a command hangs."""


@pytest.fixture
def message(tmp_path: Path) -> str:
    """A file with a text to check."""
    path = tmp_path / "message.txt"
    path.write_text(MESSAGE)
    return str(path)


@pytest.fixture
def compared(method: str, message: str) -> tuple[str, ...]:
    """What a method has to be given besides a model, which draws samples by itself."""
    needed = get(method).needs_all and "references" in get(method).needs
    return ("--reference", message) if needed else ()


def report(server: str, *words: str) -> dict[str, Any]:
    """The report that a command ends with, for which the model was called."""
    options = ("--model", "openai/tiny", "--api-base", server, "--n-samples", "3")
    ended = subprocess.run(
        [sys.executable, "-m", "halubot", *words, *options, "--format", "json"],
        env={**os.environ, "OPENAI_API_KEY": ""},
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    assert ended.returncode in REPORTED, ended.stderr
    assert "Traceback" not in ended.stderr
    found: dict[str, Any] = json.loads(ended.stdout)
    assert found["schema"] == 1
    assert found["usage"]["calls"] > 0
    return found


@pytest.mark.parametrize("method", method_names())
def test_a_question_is_answered_and_checked(
    server: str, method: str, compared: tuple[str, ...]
) -> None:
    found = report(server, "ask", QUESTION, "--method", method, *compared)
    assert found["text"]
    assert found["method"] == method


@pytest.mark.parametrize("method", method_names())
def test_a_message_is_checked(
    server: str, message: str, method: str, compared: tuple[str, ...]
) -> None:
    found = report(server, "check", message, "--method", method, *compared)
    assert found["text"] == MESSAGE
    assert found["method"] == method


@pytest.mark.parametrize("method", ASKING)
def test_a_message_is_checked_as_published(
    server: str, message: str, method: str, compared: tuple[str, ...]
) -> None:
    found = report(server, "check", message, "--method", method, "--as-published", *compared)
    assert found["text"] == MESSAGE


@pytest.mark.parametrize("method", method_names())
def test_a_message_is_corrected(
    server: str, message: str, method: str, compared: tuple[str, ...]
) -> None:
    found = report(server, "correct", message, "--method", method, *compared, *DOUBTED)
    assert found["text"] == MESSAGE
    assert found["correction"]


@pytest.mark.parametrize("hints", ["none", "sentences"])
def test_a_message_is_corrected_with_fewer_hints(server: str, message: str, hints: str) -> None:
    assert report(server, "correct", message, "--hints", hints, *DOUBTED)["correction"]
