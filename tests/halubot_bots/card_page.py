"""Cards as a page to look at, about as Discord shows them.

python -m tests.halubot_bots.card_page cards.html
chromium --headless --no-sandbox --screenshot=cards.png file://$PWD/cards.html
"""

from __future__ import annotations

import html
import re
import sys
from pathlib import Path

import halubot
from halubot_bots import cards
from halubot_bots.cards import Card
from halubot_bots.discord.components import COLOURS

STYLE = """
body { background: #313338; color: #dbdee1; font: 16px/1.4 "gg sans", "Noto Sans", sans-serif;
  margin: 12px; max-width: 620px }
section { background: #2b2d31; border-left: 4px solid #4e5058; border-radius: 8px;
  padding: 12px 16px; margin: 0 0 20px }
h3 { font-size: 18px; margin: 0 0 6px } p { margin: 8px 0 0; white-space: pre-wrap }
small { color: #949ba4; font-size: 13px } code { background: #1e1f22; padding: 2px 4px }
blockquote { border-left: 4px solid #4e5058; margin: 4px 0; padding-left: 8px }
span.b { display: inline-block; background: #4e5058; border-radius: 6px; padding: 5px 14px;
  margin: 10px 8px 0 0; font-size: 14px } span.b.strong { background: #5865f2; color: #fff }
"""

RIGHT = "Ada Lovelace was born on 10 December 1815 in London. She died in 1852, aged 36."
WRONG = (
    "Ada Lovelace was born on 10 December 1816 in Paris. She died in 1852, aged 36. "
    "[She](javascript:alert) told @everyone of **it** at discord.gg/abc."
)


def page_of(shown: list[Card]) -> str:
    """A page of cards; what Markdown they hold is shown as Discord would."""
    return (
        f"<!doctype html><meta charset=utf-8><title>Cards</title><style>{STYLE}</style>"
        + "".join(map(_card, shown))
    )


def _card(card: Card) -> str:
    colour = COLOURS[card.tone]
    edge = f' style="border-color:#{colour:06x}"' if colour is not None else ""
    parts = [f"<h3>{_inline(card.headline)}</h3>"]
    parts += [f"<p>{_lines(block)}</p>" for block in card.blocks]
    parts += [f"<p>{_lines(card.small)}</p>"] if card.small else []
    parts += [
        f'<span class="b{" strong" if button.strong else ""}">{html.escape(button.label)}</span>'
        for button in card.buttons
    ]
    return f"<section{edge}>{''.join(parts)}</section>"


def _lines(block: str) -> str:
    shown = []
    for line in block.split("\n"):
        if line.startswith("-# "):
            shown.append(f"<small>{_inline(line[3:])}</small>")
        elif line.startswith("> "):
            shown.append(f"<blockquote>{_inline(line[2:])}</blockquote>")
        else:
            shown.append(_inline(line))
    return "\n".join(shown).replace("</blockquote>\n", "</blockquote>")


def _inline(text: str) -> str:
    """Bold, struck out, italic and code; what is escaped with a backslash is itself."""
    kept = re.sub(r"\\(.)", lambda found: f"\ue000{ord(found[1])}\ue001", text)
    made = html.escape(kept)
    for pattern, tag in (
        (r"`([^`]+)`", "code"),
        (r"\*\*(.+?)\*\*", "b"),
        (r"~~(.+?)~~", "s"),
        (r"\*(.+?)\*", "i"),
    ):
        made = re.sub(pattern, rf"<{tag}>\1</{tag}>", made)
    return re.sub("\ue000(\\d+)\ue001", lambda found: html.escape(chr(int(found[1]))), made)


def samples() -> list[Card]:
    """A card of every kind."""
    report = halubot.check(WRONG, samples=[RIGHT, RIGHT + " Indeed.", WRONG], references=[RIGHT])
    corrected = halubot.correct(report)
    simple = "Ada Lovelace was born in 1816. She died in London in 1852."
    good = "Ada Lovelace was born in 1815. She died in London in 1852."
    return [
        cards.overview(report),
        cards.overview(halubot.check(simple, samples=[good] * 3)),
        cards.overview(halubot.check(simple, samples=[good])),
        cards.overview(halubot.check(good, samples=[good] * 3)),
        cards.overview(halubot.check(simple)),
        cards.facts(halubot.check(simple, samples=[good] * 3))[0],
        cards.facts(report)[0],
        cards.evidence(report)[0],
        cards.correction(corrected)[0],
        cards.comparison(
            [("consensus", report), ("selfcheck-prompt", "this method needs a model")]
        ),
        cards.message("Checking", "3 of 14 facts judged"),
        cards.message("Not checked", "this server's quota of 20 checks a day is used up"),
    ]


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(page_of(samples()), encoding="utf-8")
