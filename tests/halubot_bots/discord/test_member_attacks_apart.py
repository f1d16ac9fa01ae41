"""What a member who means harm can send besides: forged and expired interactions, panels and cards
of others, text that would be markup, floods, and forms that outlive what they are about. Against
the bot as it is installed: a process of its own, with Discord's clock."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from tests.discord_peer import Guild, Interaction, Peer
from tests.discord_peer.interactions import COMPONENT
from tests.halubot_bots.discord.apart import Apart, member, run_apart, waited
from tests.halubot_bots.discord.scene import RIGHT, WRONG, has_card
from tests.halubot_bots.discord.test_attacks import files

pytestmark = pytest.mark.slow

FIRST_SIGN = 3.0
FORGED = (
    "halubot-settings:annotate:0",
    "halubot-settings:form_cooldown:0",
    "halubot-settings:form_nothing:0",
    "halubot-settings:page_limits:99999999999999999999",
    "halubot:dismiss:{message}:1:public",
    "halubot:facts:{message}:9999:these",
    "halubot:facts:1:1:public",
    "halubot:evidence:99999999999999999999:0:facts",
    "halubot:nothing:{message}:1:public",
    "halubot:facts:{message}:1:public:more",
    "\x00" * 100,
)
MARKUP = (
    "# @everyone @here <@{ada}> <@&1> [Ada](https://evil.example) was born in 1816.\n"
    "> ||Ada Lovelace|| was born in **1816**. ```Ada``` discord.gg/evil <https://evil.example>"
    " \u202eAda\u202c was born in 1816. -# Ada Lovelace was born in 1816."
)
WORD = "quokkawombat"


def _ended(use: Interaction) -> bool:
    return bool(use.text) and "Checking" not in use.text


def test_what_a_member_forges_changes_nothing(tmp_path: Path) -> None:
    async def work(peer: Peer, guild: Guild, bot: Apart) -> None:
        place, ada = guild.channel("answers"), guild.owner
        mallory = peer.member(guild, "Mallory")
        first, second = member(guild, "First"), member(guild, "Second")
        asked = await peer.says(ada, place, "Who was Ada Lovelace?")
        wrong = await peer.says(first, place, WRONG, reply_to=asked)
        await peer.says(second, place, RIGHT, reply_to=asked)
        await peer.until(lambda: peer.said(place), "the annotation")
        (card,) = peer.said(place)
        opened = await peer.uses_command(ada, place, "settings")
        assert opened.response is not None
        before = opened.response.text

        # Ids that no card of theirs has, from a card that everybody sees.
        for forged in FORGED:
            name = forged.format(message=wrong.id)
            data = {"custom_id": name, "component_type": 2, "id": 1}
            made = peer.service.interactions.new(
                COMPONENT, mallory, place, data, {"0": str(guild.id)}, message=card
            )
            await peer.service.gateway.interaction(made.payload(peer.world), guild)
        # Many clicks at once, some of which are answered too late.
        for _ in range(20):
            await peer.clicks(mallory, card, "Dismiss", wait=False, age=2.9)
            await peer.clicks(mallory, card, "Evidence", wait=False)
        # Markup and length
        for text in (MARKUP.format(ada=ada.id), "Ada " * 1500, "\u0300" * 4000, "a" * 6000):
            use = await peer.uses_command(mallory, place, "check", text=text, others=RIGHT)
            assert waited(use) < FIRST_SIGN
            await peer.until(partial(_ended, use), "an answer")
            assert use.response is not None
            assert not use.response.pinged
            assert "[Ada](" not in use.text
            assert "<@&1>" not in use.text

        honest = await peer.uses_command(ada, place, "check", text=WRONG, others=RIGHT)
        assert waited(honest) < FIRST_SIGN
        await peer.until(partial(has_card, honest), "the check of another")
        again = await peer.uses_command(ada, place, "settings")
        assert again.response is not None
        assert again.response.text == before
        assert peer.said(place) == [card]
        assert not card.deleted
        assert len(card.versions) == 1
        assert "Traceback" not in bot.log()
        peer.refused.clear()

    run_apart(tmp_path, work, watched=True)


def test_a_form_keeps_nothing_of_what_was_deleted_meanwhile(tmp_path: Path) -> None:
    """A member has the form for a wrong verdict open while the message is deleted."""

    async def work(peer: Peer, guild: Guild, bot: Apart) -> None:
        place = guild.channel("general")
        victim, mallory = peer.member(guild, "Vic"), peer.member(guild, "Mallory")
        told = f"Ada Lovelace was born in 1815 in {WORD.capitalize()}."
        said = await peer.says(victim, place, told, files={"ada.txt": RIGHT.encode()})
        use = await peer.uses_menu(mallory, said, "Check facts")
        await peer.until(partial(_ended, use), "the card")
        form = await peer.uses_menu(mallory, said, "Wrong verdict")
        assert form.modal is not None
        assert WORD.encode() in files(tmp_path).lower()
        await peer.deletes(said)
        await peer.until(
            lambda: WORD.encode() not in files(tmp_path).lower(), "that it is on the disk no more"
        )
        done = await peer.fills(form, fact="0", note="I keep this")
        await peer.until(lambda: done.text, "the answer")
        assert "no longer kept" in done.text
        assert WORD.encode() not in files(tmp_path).lower()

    run_apart(tmp_path, work)


def hostile_files() -> dict[str, bytes]:
    """Files whose names or contents mean harm; each under a megabyte."""
    return {
        "deep.json": b"[" * 400_000 + b"]" * 400_000,
        "wide.csv": b'"' + b"a," * 400_000,
        "../../../state/bots.db.txt": RIGHT.encode(),
        "@everyone [x](https:__evil.example) <@1>.txt": RIGHT.encode(),
        "empty.pdf": b"%PDF-1.4\n%%EOF",
        "not.docx": b"PK\x03\x04" + b"\x00" * 1000,
        "broken.txt": b"\xff\xfe\x00\xd8" * 50_000,
        "entity.html": b"<!DOCTYPE a [<!ENTITY b SYSTEM 'file:///etc/passwd'>]><p>&b;</p>",
    }


def test_hostile_files_links_and_edits_are_survived(tmp_path: Path) -> None:
    """As references and below checked messages; messages that change or go while they wait; links
    to where the bot, or who asks, may not read."""

    async def work(peer: Peer, guild: Guild, bot: Apart) -> None:
        place, hidden = guild.channel("answers"), guild.channel("general")
        mallory, first = peer.member(guild, "Mallory"), member(guild, "First")
        other = peer.guild("other", with_bot=False)
        there = other.channel("general")
        away = await peer.says(peer.member(other, "Eve"), there, f"{RIGHT} {WORD}")
        secret = await peer.says(guild.owner, hidden, f"{RIGHT} {WORD}")
        await peer.forbids(hidden, "view_channel", user=mallory)
        links = [
            f"https://discord.com/channels/{one.channel.guild.id}/{one.channel.id}/{one.id}"
            for one in (away, secret)
            if one.channel.guild
        ]
        for name, content in hostile_files().items():
            use = await peer.uses_command(
                mallory, place, "check", text=WRONG, reference=(name, content)
            )
            assert waited(use) < FIRST_SIGN, name
            await peer.until(partial(_ended, use), name)
            assert "[x](" not in use.text
            assert "root:" not in use.text
            assert use.response is not None
            assert not use.response.pinged
        message = await peer.says(mallory, place, f"{WRONG} {' '.join(links)}")
        use = await peer.uses_menu(mallory, message, "Check facts")
        await peer.until(partial(_ended, use), "the card")
        assert "nothing to compare with" in use.text
        assert WORD not in use.text

        # It changes ten times, and another goes, while they wait to settle.
        changed = await peer.says(first, place, WRONG, files={"ada.txt": RIGHT.encode()})
        gone = await peer.says(first, place, f"{WRONG} Gone.", files={"ada.txt": RIGHT.encode()})
        for at in range(10):
            await peer.edits(changed, f"{WRONG} {at}")
        await peer.deletes(gone)
        await peer.until(lambda: peer.said(place), "the annotation")
        (card,) = peer.said(place)
        assert card.reply_to is changed
        assert WORD.encode() not in files(tmp_path)
        assert "Traceback" not in bot.log()

    run_apart(tmp_path, work, watched=True)
