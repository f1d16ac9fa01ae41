"""Texts of one pattern, of any length: what a pass that is not linear takes minutes for."""

from __future__ import annotations

from typing import Final

REPEATED: Final[dict[str, str]] = {
    "dashes": "-",
    "spaced dashes": "- ",
    "long dashes": "—",
    "stars": "*",
    "words in stars": "*a ",
    "double stars": "**a ",
    "underscores": "_",
    "words in underscores": "_a ",
    "tildes": "~",
    "backticks": "`",
    "words in backticks": "`a ``b ",
    "pipes": "|",
    "spaced pipes": "| ",
    "opening brackets": "[",
    "closing brackets": "]",
    "empty brackets": "[]",
    "links": "[a](b",
    "images": "![a](",
    "parentheses": "(",
    "pairs of parentheses": "()",
    "braces": "{",
    "angle brackets": "<",
    "closing angle brackets": ">",
    "spaced closing angle brackets": "> ",
    "tags": "<b>",
    "attributes": "<a b='c' ",
    "comments": "<!--",
    "scripts": "<script>",
    "quotes": '"',
    "words in quotes": '"a ',
    "apostrophes": "'",
    "curly quotes": "“",
    "closing curly quotes": "”",
    "guillemets": "«a» ",
    "dollars": "$",
    "formulas": "$a_",
    "double dollars": "$$a",
    "backslashes": "\\",
    "escaped parentheses": "\\(",
    "ampersands": "&",
    "entities": "&amp;",
    "numeric entities": "&#49;",
    "hashes": "#",
    "at signs": "@",
    "equals signs": "=",
    "colons": ":",
    "addresses": "http://",
    "long address": "/a-b",
    "commas": ",",
    "spaced commas": "a, ",
    "full stops": ".",
    "spaced full stops": ". ",
    "exclamation marks": "!",
    "question marks": "? ",
    "percent signs": "%",
    "digits": "1",
    "numbers": "1 ",
    "numbers with points": "1.",
    "numbers with commas": "1,",
    "ranges": "1815–",
    "dates": "10 December 1815 ",
    "percentages": "5% ",
    "money": "$5 million ",
    "spaces": " ",
    "words far apart": "a" + " " * 50,
    "tabs": "\t",
    "line breaks": "\n",
    "carriage returns": "\r",
    "blank lines": "a\n\n",
    "no-break spaces": "\u00a0",
    "zero-width spaces": "\u200b",
    "words with zero-width joiners": "a\u200d",
    "combining marks": "\u0301",
    "letters with combining marks": "e\u0301",
    "right-to-left marks": "\u202e",
    "Arabic": "مرحبا ",
    "Hebrew": "שלום",
    "Chinese": "東京",
    "Chinese sentences": "東京は日本の首都です。",
    "Thai": "กรุงเทพ",
    "emoji": "🙂",
    "joined emoji": "👩\u200d",
    "replacement characters": "\ufffd",
    "control characters": "\x00",
    "one long word": "a",
    "one long name": "A",
    "hyphenated words": "a-",
    "words with apostrophes": "a'",
    "initials": "A. ",
    "short words": "a ",
    "names": "Ada Lovelace ",
    "names joined": "Ada and ",
    "verbs": "was ",
    "negations": "not ",
    "clauses": "who said that ",
    "comparatives": "more than ",
    "short sentences": "Ada was born in 1815. ",
    "one long sentence": "Ada was born in 1815 and ",
    "list": "- a\n",
    "numbered list": "1. a\n",
    "quotations": "> a\n",
    "headings": "# a\n",
    "underlined headings": "a\n---\n",
    "fences": "```\n",
    "labels": "Name: a\n",
    "definitions": "[a]: http://b\n",
    "footnotes": "[^1]",
    "indented code": "    a\n",
    "rows": "| a | b |\n",
    "tables": "| a | b |\n|---|---|\n| 1 | 2 |\n\n",
    "HTML blocks": "<div>\na\n",
    "JSON": '{"a": [',
    "fenced data": '```json\n{"title": "Ada was born in 1815"}\n```\n',
    "thoughts": "<think>",
    "chat marks": "<|im_start|>",
    "hard line breaks": "a  \n",
}
"""Pieces that are repeated to the length that is wanted, by name."""


def repeated(piece: str, length: int) -> str:
    """Return a piece again and again, ``length`` characters in all."""
    return (piece * (length // len(piece) + 1))[:length]


def deep_list(length: int) -> str:
    """Return a list in which each item is one level deeper, down to 200, from the start again."""
    lines: list[str] = []
    size = 0
    while size < length:
        lines.append("  " * (len(lines) % 200) + "- a\n")
        size += len(lines[-1])
    return "".join(lines)[:length]


def wide_table(length: int) -> str:
    """Return a table of two rows with as many cells as there is room for."""
    cells = length // 12
    return ("| a " * cells + "|\n" + "|---" * cells + "|\n" + "| 1 " * cells + "|\n")[:length]


def one_heading(length: int) -> str:
    """Return words between marks at both ends only, which a search for the end runs through."""
    return "[" + repeated("a ", length - 2) + "]"


def texts(length: int) -> dict[str, str]:
    """Return a text of ``length`` characters of each pattern, by its name."""
    found = {name: repeated(piece, length) for name, piece in REPEATED.items()}
    # With a claim before and behind, so that what looks for one does not end at once.
    for name in ("dashes", "spaces", "opening brackets", "digits", "zero-width spaces"):
        middle = repeated(REPEATED[name], length - 44)
        found[f"{name} between sentences"] = f"Ada was born in 1815. {middle} She died in 1852."
    found["deep list"] = deep_list(length)
    found["deep list on one line"] = repeated("- ", length - 1) + "a"
    found["deep quotation"] = repeated("> ", length - 1) + "a"
    found["wide table"] = wide_table(length)
    found["backticks and an entity"] = repeated("`", length - 5) + "&#65;"
    found["one long word in a comment"] = "<!-- " + repeated("a", length - 9) + " -->"
    found["one long word in a fence"] = "```\n" + repeated("a", length - 8) + "\n```"
    found["words in brackets"] = one_heading(length)
    return found
