import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

from halubot.render.markdown_report import escape, to_markdown
from halubot.report import Report

READER = MarkdownIt("gfm-like", {"html": True, "linkify": True})
if READER.linkify:
    READER.linkify.set({"fuzzy_link": False, "fuzzy_email": False})
SIGNS = st.text(alphabet=st.sampled_from("ab1 .)(*_`~#>-+=|[]<>&$!:@/\\\n\té東"), max_size=60)


def read(markdown: str) -> tuple[str, set[str]]:
    """The words a reader sees, and the kinds of elements around them."""
    words, kinds = [], set()
    for token in READER.parse(markdown):
        kinds.add(token.type)
        for child in token.children or []:
            kinds.add(child.type)
            words.append(child.content if child.type == "text" else "\n" * (child.type != "text"))
        if token.type in ("code_block", "fence", "html_block"):
            words.append(token.content)
    return "".join(words), kinds


def bare(text: str) -> str:
    return re.sub(r"[\s\u200b]+", "", text)


@given(SIGNS)
def test_escaped_text_is_read_letter_by_letter(text: str) -> None:
    shown, kinds = read(escape(text))
    assert bare(shown) == bare(text)
    assert kinds <= {
        "paragraph_open",
        "paragraph_close",
        "inline",
        "text",
        "hardbreak",
        "softbreak",
        "text_special",
    }


@pytest.mark.parametrize(
    "text",
    ["# no heading", "1. no list", "- no list", "> no quote", "a\n===", "a\n---", "    no code"],
)
def test_blocks_do_not_begin(text: str) -> None:
    _, kinds = read(escape(text))
    assert {kind for kind in kinds if kind.endswith("_open")} == {"paragraph_open"}


def test_nobody_is_mentioned() -> None:
    shown = escape("@everyone <@123> me@example.org http://example.org www.example.org")
    assert not re.search(r"@\w", shown)
    assert "<@" not in shown.replace("\\<", "")
    assert "link_open" not in read(shown)[1]


def test_the_message_and_its_correction_are_read_as_quotes(report: Report) -> None:
    assert report.correction is not None
    words, kinds = read(to_markdown(report))
    assert {"s_open", "strong_open", "blockquote_open", "ordered_list_open"} <= kinds
    assert not {"table_open", "code_block", "html_block", "html_inline"} & kinds
    assert bare(report.correction.text) in bare(words)


def test_markup_in_a_message_stays_text(report: Report) -> None:
    hostile = "[x](http://e.org) <script>alert(1)</script> `c` @everyone **b**"
    shown = to_markdown(report.model_copy(update={"text": hostile, "correction": None}))
    words, kinds = read(shown)
    assert not {"link_open", "html_inline", "html_block", "code_inline"} & kinds
    assert "<script>alert(1)</script>" in words
