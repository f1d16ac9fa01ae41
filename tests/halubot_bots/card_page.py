"""All that the bot shows as a page to look at, about as Discord shows it, in each language.

python -m tests.halubot_bots.card_page FOLDER

writes FOLDER/cards-LANGUAGE.html, and with chromium at hand a picture of each, wide and as narrow
as a phone (390 px). Cards come from the bot's own views; the panel and the answers to commands are
taken from the loopback Discord.
"""

from __future__ import annotations

import asyncio
import html
import re
import sys
import tempfile
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import halubot
from halubot.report import Report
from halubot_bots import cards
from halubot_bots.catalogue import LANGUAGES, choose_language, money, phrase
from halubot_bots.discord.components import view_of
from halubot_bots.discord.error_words import as_sentence
from halubot_bots.settings import OwnerLimits, ServerSettings
from tests.discord_peer import Message, Payload
from tests.halubot_bots.discord.scene import Scene, scene
from tests.judge import Judge
from tests.loopback import loopback

STYLE: Final = """
body { background: #313338; color: #dbdee1; font: 16px/1.4 "gg sans", "Noto Sans", sans-serif;
  margin: 12px; max-width: 620px }
h2 { font-size: 13px; color: #949ba4; margin: 18px 0 4px; font-weight: normal }
section { background: #2b2d31; border-left: 4px solid #4e5058; border-radius: 8px;
  padding: 12px 16px; margin: 0 }
h3 { font-size: 18px; margin: 0 0 6px } .t { margin: 8px 0 0; white-space: pre-wrap;
  overflow-wrap: anywhere }
small { color: #949ba4; font-size: 13px } code { background: #1e1f22; padding: 2px 4px }
blockquote { border-left: 4px solid #4e5058; margin: 4px 0; padding-left: 8px }
.row { display: flex; flex-wrap: wrap; gap: 8px; margin-top: 10px }
.b { background: #4e5058; border-radius: 6px; padding: 5px 14px; font-size: 14px }
.s1 { background: #5865f2; color: #fff } .s3 { background: #248046; color: #fff }
.select { flex: 1; background: #1e1f22; border-radius: 6px; padding: 9px 12px; color: #949ba4 }
.at { background: #3c4270; color: #c9cdfb; border-radius: 3px; padding: 0 2px }
"""

RIGHT: Final = (
    "Ada Lovelace was born on 10 December 1815 in London. She died in 1852, aged 36. She wrote"
    " notes on the Analytical Engine of Charles Babbage."
)
WRONG: Final = (
    "Ada Lovelace was born on 10 December 1816 in Paris. She died in 1852, aged 36. "
    "[She](javascript:alert) told @everyone of **it** at discord.gg/abc."
)
SIMPLE: Final = "Ada Lovelace was born in 1816. She died in London in 1852."
GOOD: Final = "Ada Lovelace was born in 1815. She died in London in 1852."

Shown = tuple[str, list[Payload]]
"""What it is, and its components as they go to Discord."""


def page_of(shown: list[Shown]) -> str:
    """A page of what is shown; what Markdown it holds is shown as Discord would."""
    parts = (f"<h2>{html.escape(what)}</h2>{''.join(map(_part, made))}" for what, made in shown)
    return (
        '<!doctype html><meta charset=utf-8><meta name=viewport content="width=device-width">'
        f"<title>Cards</title><style>{STYLE}</style>{''.join(parts)}"
    )


def _part(part: Payload) -> str:
    """A component as HTML."""
    inner = "".join(map(_part, part.get("components") or []))
    match part["type"]:
        case 17:
            colour = part.get("accent_color")
            edge = f' style="border-color:#{colour:06x}"' if colour is not None else ""
            return f"<section{edge}>{inner}</section>"
        case 1:
            return f'<div class="row">{inner}</div>'
        case 2:
            return f'<span class="b s{part["style"]}">{html.escape(part["label"])}</span>'
        case 3 | 5 | 6 | 8:
            chosen = [one["label"] for one in part.get("options") or () if one.get("default")]
            chosen += [f"@{one['id']}" for one in part.get("default_values") or ()]
            words = ", ".join(chosen) or part.get("placeholder") or ""
            return f'<span class="select">{html.escape(words)} ▾</span>'
        case 10:
            text = str(part["content"])
            if text.startswith("### "):
                return f"<h3>{_inline(text[4:])}</h3>"
            return f'<div class="t">{_lines(text)}</div>'
    return inner


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
    """Bold, struck out, italic, code and mentions; what is escaped with a backslash is itself."""
    kept = re.sub(r"\\(.)", lambda found: f"\ue000{ord(found[1])}\ue001", text)
    made = html.escape(kept)
    made = re.sub(r"&lt;([#@]&amp;|[#@])(\d+)&gt;", r'<span class="at">\1name</span>', made)
    made = re.sub(r"&lt;t:\d+:f&gt;", '<span class="at">22 November 2026 21:15</span>', made)
    for pattern, tag in (
        (r"`([^`]+)`", "code"),
        (r"\*\*(.+?)\*\*", "b"),
        (r"~~(.+?)~~", "s"),
        (r"\*(.+?)\*", "i"),
    ):
        made = re.sub(pattern, rf"<{tag}>\1</{tag}>", made)
    return re.sub("\ue000(\\d+)\ue001", lambda found: html.escape(chr(int(found[1]))), made)


def samples() -> Iterator[Shown]:
    """A card in every state."""
    report = halubot.check(WRONG, samples=[RIGHT, RIGHT + " Indeed.", WRONG], references=[RIGHT])
    states = {
        "a reference contradicts it": report,
        "other answers contradict it": halubot.check(SIMPLE, samples=[GOOD] * 3),
        "one other answer": halubot.check(SIMPLE, samples=[GOOD]),
        "divided answers": halubot.check(SIMPLE, samples=[GOOD, GOOD, SIMPLE, SIMPLE]),
        "supported": halubot.check(GOOD, samples=[GOOD] * 3),
        "nothing to compare with": halubot.check(SIMPLE),
        "silent sources": halubot.check(SIMPLE, samples=["Bees make honey in May."] * 3),
        "no fact": halubot.check("\U0001f44d", samples=["Hi."]),
    }
    for what, one in states.items():
        yield _shown(f"first card: {what}", cards.overview(one))
    yield _shown("first card without quotes", cards.without_quotes(report))
    yield _shown("all facts", cards.facts(report)[0], leaf="facts")
    yield _shown("evidence", cards.evidence(report)[0], leaf="evidence")
    many = _many()
    yield _shown("first card of many facts", cards.overview(many))
    yield _shown("a page of many facts", cards.facts(many)[1], leaf="facts")
    yield _shown("correction", cards.correction(halubot.correct(report))[0])
    yield _shown("nothing to correct", cards.correction(halubot.correct(states["supported"]))[0])
    methods: list[tuple[str, Report | str]] = [
        ("consensus", report),
        ("selfcheck-prompt", phrase("declined.model")),
    ]
    yield _shown("methods", cards.comparison(methods))
    for what in ("progress.waiting", "progress.judged"):
        words = phrase(what, before=3, seconds=12, done=3, of=14)
        yield _shown(what, cards.message(phrase("progress.headline"), words))
    refusals = ("at_once", "cooldown", "role", "opted_out", "author_opted_out", "direct", "gone")
    for name in refusals:
        words = as_sentence(phrase(f"declined.{name}", count=4, seconds=7))
        yield _shown(name, cards.message(phrase("declined.headline"), words))
    limit = phrase("quota.checks", count=20)
    for name in ("used_up", "busy", "little"):
        whose = phrase("quota.whose.server")
        shown = money(2.5) if name == "little" else limit
        words = as_sentence(
            phrase(f"quota.{name}", whose=whose, limit=shown, left=money(0.0123, 4))
        )
        yield _shown(f"quota {name}", cards.message(phrase("declined.headline"), words))
    for name in ("no_text", "no_others", "no_report", "dismiss"):
        headline = phrase(f"declined.{name}_headline")
        yield _shown(name, cards.message(headline, phrase(f"declined.{name}")))
    yield _shown(
        "wrong verdict: noted", cards.message(phrase("wrong.noted_headline"), phrase("wrong.noted"))
    )
    for name in ("slow", "broken_off"):
        headline = phrase(f"failed.{name}_headline")
        yield _shown(name, cards.message(headline, phrase(f"failed.{name}")))
    for name in ("discord", "moderated", "moderated_part", "manage"):
        words = phrase(f"failed.{name}")
        yield _shown(f"failed: {name}", cards.message(phrase("failed.headline"), words))


def _many() -> Report:
    text = " ".join(f"Person {at} was born in {1600 + at} in Paris." for at in range(30))
    other = " ".join(f"Person {at} was born in {1650 + at} in Paris." for at in range(30))
    return halubot.check(text, samples=[other] * 3)


def _shown(what: str, card: cards.Card, *, leaf: str = "") -> Shown:
    return what, view_of(card, 1, leaf=leaf).to_components()  # type: ignore[no-untyped-call]


async def answers(folder: Path, language: str) -> list[Shown]:
    """What commands answer, and the pages of the panel."""
    owner = OwnerLimits(models=("openai/gpt-4o-mini",), knowledge=("lives",))
    shown: list[Shown] = []
    async with scene(folder, owner) as here:
        here.ada.locale = language
        watched = {"on": True, "channels": [here.channel.id], "authors": [here.other.id]}
        set_apart = {"apart": {here.channel.id: {"style": "thread", "settled": 9}}}
        settings = ServerSettings.model_validate(watched | set_apart)
        await here.desk.set(here.guild.id, settings, person=here.ada.id)
        for name in ("help", "usage", "status", "privacy", "forget-me"):
            use = await here.peer.uses_command(here.ada, here.channel, name)
            await here.peer.until(lambda use=use: use.text, name)  # type: ignore[misc]
            assert use.response is not None
            shown.append((f"/{name}", use.response.components))
        shown += await _panel(here)
    return shown


CODE: Final = (
    "```python\nfrom functools import cache\n\n@cache\ndef f(n: int) -> int:\n    return n\n```"
)

TOLD: Final = {
    "short": RIGHT,
    "with code": f"It is done so:\n\n{CODE}\n\nAda Lovelace was born in 1815.",
    "over 2,000 characters": " ".join(f"{RIGHT} Note {at}." for at in range(15)),
    "over 4,000 characters": f"{CODE}\n\n" + "\n\n".join(f"{RIGHT} Note {at}." for at in range(50)),
}
"""Answers of a model, by what they are."""


async def asked(folder: Path, language: str) -> list[Shown]:
    """Answers of `/ask` with what follows them, and the public annotation of an answer."""
    shown: list[Shown] = []
    for what, text in TOLD.items():
        judge = Judge(answer=text, samples=(text.replace("1815", "1816"), text))
        with loopback() as model:
            model.answer(judge.reply)
            owner = OwnerLimits.model_validate(
                {"models": ["openai/gpt-4o-mini"], "api_base": model.url, "in_all": {}}
            )
            async with scene(folder / what, owner) as here:
                here.ada.locale = language
                await here.set(answers=True, method="consensus", samples=4, language=language)
                use = await here.peer.uses_command(here.ada, here.channel, "ask", question="Ada?")
                await here.peer.until(lambda here=here: not here.client.asking, what)  # type: ignore[misc]
                assert use.response is not None
                for part in (use.response, *use.followups):
                    shown.append((f"/ask, {what}", _of_message(part)))
                if what == "short":
                    question = f"{here.peer.bot.mention} who was Ada?"
                    await here.peer.says(here.ben, here.channel, question)
                    await here.quiet()
                    for part in here.peer.said(here.channel):
                        shown.append(("in public", _of_message(part)))
                    shown += await _in_direct(here)
    return shown


async def _in_direct(here: Scene) -> list[Shown]:
    """What is shown in a direct message."""
    shown: list[Shown] = []
    channel = here.peer.dm(here.ada)
    for name in ("check", "usage", "privacy", "status", "ask"):
        given: dict[str, Any] = (
            {"text": SIMPLE, "others": f"{GOOD}---{GOOD}"} if name == "check" else {}
        )
        given = {"question": "Ada?"} if name == "ask" else given
        use = await here.peer.uses_command(here.ada, channel, name, **given)
        await here.peer.until(lambda: not here.client.asking, name)
        assert use.response is not None
        shown.append((f"/{name} in a direct message", use.response.components))
    return shown


def _of_message(message: Message) -> list[Payload]:
    """A message as components: its text, and the names of its files."""
    texts = [message.content, *(f"`{one['filename']}`" for one in message.attachments)]
    return [*({"type": 10, "content": one} for one in texts if one), *message.components]


async def _panel(here: Scene) -> list[Shown]:
    use = await here.peer.uses_command(here.ada, here.channel, "settings")
    panel = use.response
    assert panel is not None
    shown = []
    for name in ("annotation", "checks", "people", "limits", "changes"):
        await here.peer.clicks(here.ada, panel, f"halubot-settings:page_{name}:0")
        shown.append((f"/settings: {name}", panel.components))
    return shown


def write(folder: Path) -> list[Path]:
    """Writes the pages; where they are."""
    folder.mkdir(parents=True, exist_ok=True)
    pages = []
    for language in LANGUAGES:
        choose_language(language)
        with tempfile.TemporaryDirectory() as name:
            shown = [*samples(), *asyncio.run(answers(Path(name), language))]
            shown += asyncio.run(asked(Path(name), language))
        pages.append(folder / f"cards-{language}.html")
        pages[-1].write_text(page_of(shown), encoding="utf-8")
    return pages


def picture(page: Path) -> None:
    """Takes a picture of a page, wide and narrow."""
    api = import_module("playwright.sync_api")
    with api.sync_playwright() as play:
        browser = play.chromium.launch(executable_path="/usr/bin/chromium")
        for width in (720, 390):
            tab = browser.new_page(viewport={"width": width, "height": 900})
            tab.goto(page.resolve().as_uri())
            tab.screenshot(path=page.with_name(f"{page.stem}-{width}.png"), full_page=True)
        browser.close()


if __name__ == "__main__":
    for made in write(Path(sys.argv[1])):
        picture(made)
