"""Answers in the chats that ChatGPT, Claude and Open WebUI export as JSON.

Each tool writes messages with a role, a text and what came before. If an answer was made again,
or several models answered, one question has several answers: those are the samples wanted here.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from halubot.errors import UnreadableError
from halubot.text.files import Content

_ROLES: Final = {"user": "user", "human": "user", "assistant": "assistant"}
_NO_WORD: Final = re.compile(r"[\W_]+")
# Open WebUI keeps a model's thoughts in the answer.
_THOUGHTS: Final = re.compile(r"<details type=\"reasoning\".*?</details>", re.DOTALL)


class Answer(NamedTuple):
    """An answer of a model, the question before it, and the title of the chat."""

    question: str
    text: str
    chat: str


class _Message(NamedTuple):
    role: str
    text: str
    before: str | None


def read(data: bytes, request: dict[str, Any]) -> Content:
    """Return the answers in an exported file to what was asked for, as JSON."""
    found = find_answers(data, request["question"], request["message"])
    return Content(json.dumps(found), "")


def find_answers(data: bytes, question: str, message: str) -> list[Answer]:
    """Return the answers to ``question`` in an exported file; without one, those to the question
    that ``message`` answers there, or to the only question there is. The message itself is no
    other answer and is left out. Both are fingerprints, or "".

    Raises UnreadableError if the file is no export, or if nothing tells which question is meant.
    """
    try:
        chats = json.loads(data)
    except (ValueError, RecursionError) as error:
        raise UnreadableError("it", "it is not valid JSON") from error
    marked = [(one, fingerprint(one.question), fingerprint(one.text)) for one in _answers(chats)]
    if not marked:
        why = "it holds no answers: give the conversations.json of ChatGPT or Claude, or an export"
        raise UnreadableError("it", f"{why} of Open WebUI")
    wanted = {question} if question else {asked for _, asked, said in marked if said == message}
    wanted = wanted or {asked for _, asked, _ in marked}
    if len(wanted) > 1:
        why = f"it holds answers to {len(wanted)} questions: give one with --question"
        raise UnreadableError("it", why)
    found = {said: one for one, asked, said in marked if asked in wanted and said != message}
    if not found:
        raise UnreadableError("it", "it holds no other answer to this question")
    return list(found.values())


def fingerprint(text: str) -> str:
    """Return a hash of a text that ignores case, spaces and signs; "" for no words."""
    words = _NO_WORD.sub(" ", text.casefold()).strip()
    return hashlib.sha256(words.encode("utf-8", "surrogatepass")).hexdigest() if words else ""


def _answers(chats: Any) -> Iterator[Answer]:
    """Yield every answer in what an export holds, in its order."""
    if isinstance(chats, dict):
        chats = chats.get("conversations", [chats])
    for chat in chats if isinstance(chats, list) else ():
        if not isinstance(chat, dict):
            continue
        title = str(chat.get("title") or chat.get("name") or "")
        messages = dict(_messages(chat))
        found = {
            name: walk
            for name, one in messages.items()
            if one.role == "assistant" and one.text and (walk := _walk_up(name, messages))
        }
        # A text before a call of a tool is the beginning of the one after it.
        continued = {name for _, said in found.values() for name in said[1:]}
        for name, (question, said) in found.items():
            if name not in continued:
                text = "\n\n".join(messages[one].text for one in reversed(said))
                yield Answer(question, text, title)


def _walk_up(name: str, messages: dict[str, _Message]) -> tuple[str, list[str]] | None:
    """Return the question before an answer, and the names of the model's texts from this one up to
    it; None if there is no question."""
    said: list[str] = []
    at: str | None = name
    for _ in messages:  # no more steps than messages: a hostile file may go in a circle
        one = messages.get(at) if at is not None else None
        if at is None or one is None:
            return None
        if one.role == "user":
            return (one.text, said) if one.text else None
        if one.role == "assistant" and one.text:
            said.append(at)
        at = one.before
    return None


def _messages(chat: dict[str, Any]) -> Iterator[tuple[str, _Message]]:
    """Yield the messages of a chat, whichever tool wrote it, by their names."""
    if isinstance(chat.get("mapping"), dict):
        yield from _in_turn(_of_chatgpt(chat["mapping"]), "id", "parent", "role")
    elif isinstance(chat.get("chat_messages"), list):
        yield from _in_turn(chat["chat_messages"], "uuid", "parent_message_uuid", "sender")
    elif isinstance(chat.get("chat"), dict):
        inner = chat["chat"]
        history = inner.get("history")
        kept = history.get("messages") if isinstance(history, dict) else None
        messages = kept.values() if isinstance(kept, dict) and kept else inner.get("messages")
        if isinstance(messages, Iterable):
            yield from _in_turn(messages, "id", "parentId", "role")


def _of_chatgpt(mapping: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yield the nodes of a tree of ChatGPT as messages like those of other tools."""
    for name, node in mapping.items():
        if isinstance(node, dict):
            message = node.get("message")
            message = message if isinstance(message, dict) else {}
            content, author = message.get("content"), message.get("author")
            role = author.get("role") if isinstance(author, dict) else None
            said = content if isinstance(content, dict) else {}
            # What is said to a tool is no answer, nor are thoughts and code that is run.
            told = said.get("content_type", "text") in ("text", "multimodal_text")
            if not told or message.get("recipient") not in (None, "all"):
                said = {}
            yield {
                "id": name,
                "parent": node.get("parent"),
                "role": role,
                "content": said.get("parts"),
            }


def _in_turn(
    messages: Iterable[Any], name: str, before: str, role: str
) -> Iterator[tuple[str, _Message]]:
    last: str | None = None
    for number, message in enumerate(messages):
        if not isinstance(message, dict):
            continue
        own, who = message.get(name), message.get(role)
        own = own if isinstance(own, str) else f"#{number}"
        # An export without the tree of a chat is in the order in which it was said.
        parent = message.get(before) if before in message else last
        text = _text(message.get("content")) or _text(message.get("text"))
        known = _ROLES.get(who, "") if isinstance(who, str) else ""
        yield own, _Message(known, text, parent if isinstance(parent, str) else None)
        last = own


def _text(content: Any) -> str:
    """Return the words of a message: a string, or parts that are strings or hold a text."""
    if isinstance(content, str):
        return _THOUGHTS.sub("", content).strip()
    parts = []
    for part in content if isinstance(content, list) else ():
        said = part
        if isinstance(part, dict):
            said = part.get("text") if part.get("type", "text") == "text" else None
        if isinstance(said, str):
            parts.append(said)
    return "\n\n".join(parts).strip()
