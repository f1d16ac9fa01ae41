"""Answers found in the exports of ChatGPT, Claude and Open WebUI."""

from __future__ import annotations

import json
import string
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from halubot.errors import UnreadableError
from halubot.evidence.files import chats_of
from halubot.text.files.chats import find_answers, fingerprint

QUESTION = "When was Ada born?"


def node(parent: str | None, role: str, *parts: Any, kind: str = "text", to: str = "all") -> Any:
    """A message as ChatGPT exports it."""
    content = {"content_type": kind, "parts": list(parts)}
    return {
        "parent": parent,
        "message": {"author": {"role": role}, "content": content, "recipient": to},
    }


CHATGPT = [
    {
        "title": "Ada",
        "current_node": "c",
        "mapping": {
            "root": {"parent": None, "message": None},
            "system": node("root", "system", ""),
            "q": node("system", "user", QUESTION),
            "a": node("q", "assistant", "She was born in 1815."),
            # Made again, with a look at the web in between.
            "b1": node("q", "assistant", "Let me look."),
            "b2": node("b1", "assistant", "search('ada')", to="web"),
            "b3": node("b2", "tool", "1815, London"),
            "b4": node("b3", "assistant", "thinking", kind="thoughts"),
            "b": node("b4", "assistant", "In 1815, in London."),
            "q2": node("b", "user", "And her mother?"),
            "c": node("q2", "assistant", "Anne Isabella."),
        },
    }
]
CLAUDE = [
    {
        "name": "Ada",
        "chat_messages": [
            {"uuid": "1", "sender": "human", "text": QUESTION},
            {
                "uuid": "2",
                "sender": "assistant",
                "text": "",
                "content": [
                    {"type": "thinking", "thinking": "hm", "text": "hidden"},
                    {"type": "text", "text": "She was born in 1815."},
                ],
            },
        ],
    },
    {
        "name": "Ada again",
        "chat_messages": [
            {"uuid": "3", "sender": "human", "text": "when was Ada  born"},
            {"uuid": "4", "sender": "assistant", "text": "In 1815, in London."},
            {"uuid": "5", "sender": "human", "text": "Thanks"},
            {"uuid": "6", "sender": "assistant", "text": "Gladly."},
            {
                "uuid": "7",
                "sender": "assistant",
                "text": "December 1815.",
                "parent_message_uuid": "3",
            },
        ],
    },
]
WEBUI = [
    {
        "chat": {
            "title": "Ada",
            "history": {
                "messages": {
                    "u": {"id": "u", "parentId": None, "role": "user", "content": QUESTION},
                    "x": {
                        "id": "x",
                        "parentId": "u",
                        "role": "assistant",
                        "content": '<details type="reasoning">hm</details>\nShe was born in 1815.',
                    },
                    "y": {
                        "id": "y",
                        "parentId": "u",
                        "role": "assistant",
                        "content": "In 1815, in London.",
                    },
                }
            },
        }
    }
]


def answers(chats: Any, question: str = "", message: str = "") -> list[str]:
    data = json.dumps(chats).encode()
    found = find_answers(data, fingerprint(question), fingerprint(message))
    return [one.text for one in found]


@pytest.mark.parametrize(
    ("chats", "found"),
    [
        (CHATGPT, ["She was born in 1815.", "Let me look.\n\nIn 1815, in London."]),
        (CLAUDE, ["She was born in 1815.", "In 1815, in London.", "December 1815."]),
        (WEBUI, ["She was born in 1815.", "In 1815, in London."]),
    ],
    ids=["ChatGPT", "Claude", "Open WebUI"],
)
def test_the_answers_to_a_question(chats: Any, found: list[str]) -> None:
    assert answers(chats, "When was Ada born") == found
    # The message tells its question, and is no other answer to it.
    assert answers(chats, message="She was born in 1815.") == found[1:]
    assert answers({"conversations": chats}, QUESTION) == found


def test_which_question_is_meant_must_be_known() -> None:
    with pytest.raises(UnreadableError, match="answers to 2 questions: give one with --question"):
        answers(CHATGPT)
    assert len(answers(WEBUI)) == 2
    with pytest.raises(UnreadableError, match="no other answer to this question"):
        answers(CHATGPT, "Who?")


@pytest.mark.parametrize("data", [b"{", b"[" * 200_000, b"7", b"[]", b'[{"mapping": 7}]', b"\xff"])
def test_what_is_no_export_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a.json").write_bytes(data)
    with pytest.raises(UnreadableError, match=r"a\.json: it (is not valid JSON|holds no answers)"):
        chats_of((tmp_path / "a.json").read_bytes(), "a.json")


def test_samples_of_an_export(tmp_path: Path) -> None:
    path = tmp_path / "conversations.json"
    path.write_text(json.dumps(CLAUDE))
    found = chats_of(path.read_bytes(), path, question=QUESTION)
    assert [(one.id, one.kind, one.title) for one in found] == [
        ("s1", "sample", "Ada"),
        ("s2", "sample", "Ada again"),
        ("s3", "sample", "Ada again"),
    ]


leaf = st.none() | st.booleans() | st.integers() | st.text(string.ascii_letters, max_size=5)
names = st.sampled_from(
    [
        "mapping",
        "message",
        "author",
        "role",
        "content",
        "parts",
        "parent",
        "chat",
        "history",
        "messages",
        "chat_messages",
        "sender",
        "text",
        "uuid",
        "id",
        "parentId",
        "user",
        "assistant",
    ]
)


@given(
    st.recursive(
        leaf | names,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=5),
        max_leaves=40,
    )
)
def test_anything_is_read_or_refused(chats: Any) -> None:
    with suppress(UnreadableError):
        answers(chats)
