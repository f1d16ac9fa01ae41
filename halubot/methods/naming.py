"""Does a sentence of a reference speak of what a fact is about?

Samples answer the same question as the message, so what they say is of its subject. A reference may
speak of others too: "the Ostby Bridge was opened in 1900" says nothing of the Kellan Bridge.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from halubot.match.words import Token, Worded, tokens

BEFORE: Final = 3
"""Sentences before one without a name, in which the name may stand that it takes up."""

Names = frozenset[str]


def speaks_of(head: str, text: Worded, sentence: int, title: str = "") -> bool:
    """Whether that sentence of a text (from 0) speaks of the head of a fact, as far as names tell.

    It does where it names the head, in full, in part, or with more names around. It does not where
    it names another in its place, or begins with another name. Where it names nobody, the last name
    before it decides, and without one the title. A head without names says nothing, so that it
    does."""
    wanted = frozenset(token.norm for token in _capitalised(tokens(head, 0, len(head))))
    if not wanted:
        return True
    runs = list(_runs(text, sentence))
    if any(_same(run, wanted) for _, run in runs):
        return True
    if any(run & wanted or first for first, run in runs):
        return False
    for number in range(sentence - 1, max(-1, sentence - 1 - BEFORE), -1):
        before = [run for _, run in _runs(text, number)]
        if before:
            return any(_same(run, wanted) for run in before)
    named = frozenset(token.norm for token in _capitalised(tokens(title, 0, len(title))))
    return not named or not named.isdisjoint(wanted)


def _same(run: Names, wanted: Names) -> bool:
    return run <= wanted or run >= wanted


def _runs(text: Worded, sentence: int) -> Iterator[tuple[bool, Names]]:
    """The names of a sentence, each as its words, and whether it begins with it."""
    content = [token for token in text.tokens[sentence] if token.kind != "stop"]
    run: list[Token] = []
    first = True
    for token in [*content, None]:
        named = token is not None and _is_capitalised(token)
        if run and not (
            token is not None
            and named
            and text.document.plain[run[-1].end : token.start] in (" ", "-")
        ):
            yield first, frozenset(one.norm for one in run)
            run, first = [], False
        if token is not None and named:
            run.append(token)
        elif token is not None:
            first = False


def _capitalised(found: tuple[Token, ...]) -> Iterator[Token]:
    return (token for token in found if token.kind != "stop" and _is_capitalised(token))


def _is_capitalised(token: Token) -> bool:
    return token.kind in ("name", "word") and token.text[0].isupper()
