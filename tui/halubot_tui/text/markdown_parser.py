"""The parser of messages: markdown-it with the place of each token in its source."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from markdown_it import MarkdownIt
from markdown_it.parser_inline import ParserInline
from markdown_it.rules_inline.state_inline import StateInline

from halubot_tui.text.markdown_source import AT

if TYPE_CHECKING:
    from markdown_it.token import Token


@cache
def parser() -> MarkdownIt:
    """The parser of messages: CommonMark with tables and strikethrough."""
    made = MarkdownIt("commonmark").enable(["table", "strikethrough"])
    made.inline = _Inline()
    made.inline.ruler.enableOnly(MarkdownIt("commonmark").get_active_rules()["inline"])
    made.inline.ruler.enable("strikethrough")
    made.inline.ruler2.enableOnly(["balance_pairs", "strikethrough", "emphasis"])
    made.core.ruler.disable("text_join")
    return made


class _State(StateInline):
    """Inline text being parsed, whose tokens learn their beginnings."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self._fresh, self._began = True, 0
        self._pushed = (-1, 0)

    def append_pending(self, text: str) -> None:
        if self._fresh:
            self._fresh, self._began = False, self.pos
        super().append_pending(text)

    def pushPending(self) -> Token:  # noqa: N802 - markdown-it's name
        token, self._fresh = super().pushPending(), True
        token.meta = {**token.meta, AT: self._began}
        return token

    def push(self, ttype: str, tag: str, nesting: Literal[-1, 0, 1]) -> Token:
        token, self._fresh = super().push(ttype, tag, nesting), True
        times = 0
        if ttype == "text":  # each sign of a run, as of emphasis, is a token
            times = self._pushed[1] + 1 if self._pushed[0] == self.pos else 0
            self._pushed = (self.pos, times)
        token.meta = {**token.meta, AT: self.pos + times}
        return token


class _Inline(ParserInline):
    def parse(self, src: str, md: MarkdownIt, env: Any, tokens: list[Token]) -> list[Token]:
        state = _State(src, md, env, tokens)
        self.tokenize(state)
        for rule in self.ruler2.getRules(""):
            rule(state)
        return state.tokens
