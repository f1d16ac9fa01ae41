"""What members and moderators use: commands, menus, buttons and the settings."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from halubot_bots.discord.components import CardButton
from halubot_bots.discord.settings_panel import Panel
from halubot_bots.settings import ServerSettings
from tests.discord_peer import Interaction, Peer
from tests.halubot_bots.scene import (
    AGREES,
    QUESTION,
    RIGHT,
    WRONG,
    Scene,
    in_scene,
    run,
    try_again_at_once,
)
from tests.loopback import Reply, loopback

LONG = " ".join(f"In {1800 + at} the city had {at + 2} thousand people." for at in range(80))


async def shown(peer: Peer, use: Interaction, *words: str) -> str:
    """What is shown in the end, once it has these words."""
    await peer.until(lambda: use.text and all(word in use.text for word in words), f"{words}")
    assert use.ephemeral
    return use.text


def _has_button(use: Interaction, label: str) -> bool:
    return use.response is not None and label in use.response.buttons


def _has_changed(use: Interaction, before: str) -> bool:
    return use.response is not None and use.response.text != before


@in_scene(checks=True)
async def test_check_and_its_pages(here: Scene) -> None:
    peer = here.peer
    use = await peer.uses_command(
        here.ben,
        here.channel,
        "check",
        text=WRONG,
        question=QUESTION,
        others=f"{RIGHT}\n---\n{AGREES}",
    )
    assert use.answer == 5  # deferred at once
    assert "otherwise" not in await shown(peer, use, "**1816**, 2 other answers say **1815**")
    for label, word in (
        ("All facts", "All facts"),
        *(("Overview", "1815"), ("Correct", "~~1816~~")),
    ):
        assert use.response is not None
        await peer.until(partial(_has_button, use, label), label)
        await peer.clicks(here.ben, use.response, label)
        await shown(peer, use, word)
    here.client.private_checks._asking[here.ben.id] = 3  # comparing long texts takes a processor
    again = await peer.clicks(here.ben, use.response, "Overview")  # type: ignore[arg-type]
    await peer.until(lambda: "already waiting" in again.text)


@in_scene(checks=True)
async def test_correct_is_offered_where_something_can_be_settled(here: Scene) -> None:
    many = "\n---\n".join(["It rains."] * 7 + [RIGHT, AGREES])  # a thousand would take hours
    for others, offered in ((RIGHT, False), (f"{RIGHT}\n---\n{AGREES}", True), (many, False)):
        use = await here.peer.uses_command(
            here.ben, here.channel, "check", text=WRONG, question=QUESTION, others=others
        )
        await shown(here.peer, use, "other answer")
        assert _has_button(use, "Correct") is offered


@in_scene(checks=True)
async def test_the_menu_compares_with_the_other_answers_of_watched_bots(here: Scene) -> None:
    asked = await here.answers(RIGHT, AGREES)
    wrong = await here.peer.says(here.ben, here.channel, WRONG, reply_to=asked)
    use = await here.peer.uses_menu(here.ben, wrong, "Check facts")
    text = await shown(here.peer, use, "1816")
    assert "2 other answers" in text
    use = await here.peer.uses_menu(here.ben, wrong, "Correct this")
    assert "1815" in await shown(here.peer, use, "1816")
    assert here.cards == []


@pytest.mark.parametrize("locale", ["en-US", "de"])
@in_scene()
async def test_every_command_answers_in_the_language_of_who_uses_it(
    here: Scene, locale: str
) -> None:
    words = {"en-US": ("halubot is here", "Privacy"), "de": ("halubot ist da", "Datenschutz")}
    here.ben.locale = locale
    for name, word in zip(("status", "privacy"), words[locale], strict=True):
        use = await here.peer.uses_command(here.ben, here.channel, name)
        await shown(here.peer, use, word)
    use = await here.peer.uses_command(here.ben, here.channel, "help")
    await shown(here.peer, use, "/settings" if locale == "en-US" else "/einstellungen")


@in_scene()
async def test_commands_are_sent_once_in_both_languages(here: Scene) -> None:
    names = {one["name"]: one for one in here.peer.commands}
    assert len(names) == 8
    assert names["forget-me"]["name_localizations"] == {"de": "vergiss-mich"}
    assert names["settings"]["integration_types"] == [0]
    assert names["check"]["integration_types"] == [0, 1]
    assert int(names["settings"]["default_member_permissions"]) == 1 << 5
    described = {one["name"]: one for one in names["check"]["options"]}
    assert "de" in described["text"]["description_localizations"]


@in_scene()
async def test_details_leave_nothing_out(here: Scene) -> None:
    other = LONG.replace(" thousand", "0 thousand")
    half = len(LONG) // 3
    answers = LONG[:half], other[: half + 40]
    asked = await here.answers(*answers, asked="How many people lived there?")
    (card,) = here.cards
    assert len(card.text.splitlines()) <= 3
    use = await here.peer.clicks(here.ben, card, "Details")
    text = await shown(here.peer, use, "differ")
    while use.response is not None and "Next ▶" in use.response.buttons:
        before = use.response.text
        await here.peer.clicks(here.ben, use.response, "Next ▶")
        await here.peer.until(partial(_has_changed, use, before))
        text += use.response.text
    kept = here.store.card(asked.id)
    assert kept is not None
    for difference in kept.what.differences:
        for group in difference.groups:
            assert group[0].quote.split(" the city")[0] in text


@in_scene()
async def test_a_reader_chooses_between_two_values(here: Scene) -> None:
    await here.answers(RIGHT, f"{'🎉' * 60} {WRONG}")
    (card,) = here.cards
    use = await here.peer.clicks(here.ben, card, "Choose…")
    await shown(here.peer, use, "Which value")
    details, before = use.response, card.text
    assert details is not None
    await here.peer.selects(here.ben, details, *_menu_of(use, "1815"))
    await here.peer.until(lambda: "~~1816~~ **1815**" in details.text)
    assert card.text == before  # the choice of one reader is theirs alone


@in_scene()
async def test_buttons_are_deferred_and_cool_down(here: Scene) -> None:
    await here.answers(RIGHT, WRONG)
    uses = [
        await here.peer.clicks(here.ben, here.cards[0], "Details", wait=False) for _ in range(40)
    ]
    await here.peer.until(lambda: sum(bool(use.answer) for use in uses) == 16)
    await here.quiet()
    assert [use.answer for use in uses] == [5] * 8 + [4] * 8 + [0] * 24
    assert "a little quick" in uses[8].text
    other = await here.peer.clicks(here.ada, here.cards[0], "Details")
    await shown(here.peer, other, "differ")


@in_scene()
async def test_what_comes_too_late_is_left_alone(here: Scene) -> None:
    use = await here.peer.uses_command(here.ben, here.channel, "help", wait=False, age=5)
    await here.peer.until(lambda: here.peer.refused)
    assert here.peer.refused[0].code == 10062
    here.peer.refused.clear()
    assert not use.answer


@in_scene()
async def test_an_answer_is_sent_again_after_an_outage(
    here: Scene, monkeypatch: pytest.MonkeyPatch
) -> None:
    try_again_at_once(monkeypatch)
    here.peer.fault("@original", "PATCH", status=503, times=1)
    use = await here.peer.uses_command(here.ben, here.channel, "help")
    await shown(here.peer, use, "halubot")


@pytest.mark.parametrize(
    ("owner", "where", "words"),
    [
        ({"servers": [1]}, "server", "not work in this server"),
        ({"direct": False}, "direct", "only in"),
        ({}, "direct", "fact"),
        ({"direct": False}, "elsewhere", "only in"),
        ({"servers": [1]}, "elsewhere", "fact"),
    ],
)
def test_where_it_works(tmp_path: Path, owner: dict[str, Any], where: str, words: str) -> None:
    async def work(here: Scene) -> None:
        peer = here.peer
        user = peer.user("Cleo", installed=True)
        other = peer.guild("other", with_bot=False)  # where only Cleo has it
        peer.member(other, user)
        peer.member(here.guild, user)
        places = {"direct": peer.dm(user), "elsewhere": other.channel("general")}
        place = places.get(where, here.channel)
        use = await peer.uses_command(user, place, "check", text=WRONG)
        await shown(peer, use, words)

    run(tmp_path, work, **owner)


@in_scene()
async def test_a_report_is_shown_to_nobody_else(here: Scene) -> None:
    use = await here.peer.uses_command(here.ben, here.channel, "check", text=WRONG)
    await shown(here.peer, use, "fact")
    kept = here.store.report(1)
    assert kept is not None
    assert kept.asker == here.ben.id
    asking: Any = SimpleNamespace(user=here.ada)
    reply: Any = await here.client.private_checks.press(asking, CardButton("report", "facts", 1))
    assert "no longer kept" in str(reply.to_components())


@in_scene(checks=True)
async def test_a_verdict_called_wrong_is_so_for_who_said_it(here: Scene) -> None:
    peer = here.peer

    async def check() -> Interaction:
        use = await peer.uses_command(here.ben, here.channel, "check", text=WRONG, others=RIGHT)
        await shown(peer, use, "1816")
        return use

    use = await check()
    assert use.response is not None
    await peer.clicks(here.ben, use.response, "All facts")
    await shown(peer, use, "All facts")
    await peer.selects(here.ben, use.response, *_menu_of(use, "1816"))
    await shown(peer, use, "You said on")
    again = await check()
    await shown(peer, again, "You said on", "1 supported")
    (word,) = here.store.all_words()
    assert (word["says"], word["verdict"]) == ("right", "doubtful")
    assert not any("1816" in str(one) for one in word.values())
    # Another person sees what the evidence says; forgetting takes the word back.
    other = await peer.uses_command(here.ada, here.channel, "check", text=WRONG, others=RIGHT)
    assert "You said" not in await shown(peer, other, "1816")
    await peer.uses_command(here.ben, here.channel, "forget-me")
    await peer.until(lambda: not here.store.all_words())


@in_scene()
async def test_a_difference_called_none_is_so_for_who_said_it(here: Scene) -> None:
    two = "Ada Lovelace was born in 1815 in London, and she died in 1852."
    other = two.replace("1815", "1816").replace("1852", "1853")
    await here.answers(two, other, two)
    use = await here.peer.clicks(here.ben, here.cards[0], "Details")
    text = await shown(here.peer, use, "says **1816**", "says **1853**")
    assert text.count("“") == 4  # the same words of two stand there once
    await here.peer.clicks(here.ada, here.cards[0], "Correct")
    await here.peer.until(lambda: "~~1816~~ **1815** in London" in here.cards[0].text)
    assert use.response is not None
    await here.peer.selects(here.ben, use.response, *_menu_of(use, "1815 ≠ 1816"))
    await shown(here.peer, use, "You said on")
    (word,) = here.store.all_words()
    assert (word["verdict"], word["kind"]) == ("difference", "value")
    # Chosen again, it is taken back.
    await here.peer.selects(here.ben, use.response, *_menu_of(use, "1815 ≠ 1816"))
    await here.peer.until(lambda: "You said" not in use.text)
    assert here.store.all_words() == []


def _menu_of(use: Interaction, label: str) -> tuple[str, str]:
    """The select menu that is shown, and its entry with these words."""
    assert use.response is not None
    (menu,) = [part for part in use.response.parts if part["type"] == 3]
    (value,) = [one["value"] for one in menu["options"] if label in one["label"]]
    return menu["custom_id"], value


@in_scene()
async def test_setting_up_from_nothing(here: Scene) -> None:
    peer, guild = here.peer, here.guild
    here.store.set_settings(guild.id, ServerSettings())
    await here.answers(RIGHT, WRONG)
    assert here.cards == []
    use = await peer.uses_command(here.ada, here.channel, "settings")
    await shown(peer, use, "are **off**")
    panel = use.response
    assert panel is not None

    def menu(kind: int) -> str:
        return str(next(part["custom_id"] for part in panel.parts if part["type"] == kind))

    await peer.clicks(here.ada, panel, "Switch cards on")
    await peer.until(lambda: "choose a channel first" in panel.text)
    await peer.selects(here.ada, panel, menu(8), here.channel)
    await peer.until(lambda: "choose a channel" not in panel.text)
    await peer.selects(here.ada, panel, menu(5), here.ben, *here.bots[:2])
    await peer.until(lambda: len(_now(here).bots) == 2)
    await peer.until(lambda: f"Left out: {here.ben.mention}. What people" in panel.text)
    await peer.clicks(here.ada, panel, "Switch cards on")
    await peer.until(lambda: "are **on**" in panel.text)
    asked = await here.answers(RIGHT, WRONG)
    # A busy machine may lose the connection; then the question before is compared, too.
    assert here.cards[-1].reply_to is asked


@pytest.mark.parametrize(
    ("name", "content", "word"),
    [
        ("facts.txt", RIGHT.encode(), "1 reference"),
        ("facts.exe", RIGHT.encode(), "is no text"),
        ("facts.txt", b"", "\nfacts.txt is empty."),
        ("facts.txt", b"a" * (2 << 20), "is larger than"),
        pytest.param(*("facts.pdf", b"%PDF-1.7\n\x00broken", "is broken"), marks=pytest.mark.slow),
    ],
)
@in_scene(checks=True)
async def test_a_file_counts_as_true_if_it_can_be_read(
    here: Scene, name: str, content: bytes, word: str
) -> None:
    options: dict[str, Any] = {"text": WRONG, "reference": (name, content)}
    use = await here.peer.uses_command(here.ben, here.channel, "check", **options)
    text = await shown(here.peer, use, word)
    assert ("1815" in text) == (word == "1 reference")


@in_scene()
async def test_settings_say_what_no_menu_shows_and_what_is_left_out(here: Scene) -> None:
    peer, guild = here.peer, here.guild
    more = [peer.member(guild, peer.user(f"b{at}", bot=True)).id for at in range(24)]
    await here.set(bots=_now(here).bots.union(more), channels=frozenset((here.channel.id, 77)))
    use = await peer.uses_command(here.ada, here.channel, "settings")
    text = await shown(peer, use, "No longer here: <#77>", "no place for it: <@")
    assert text.count("<@") == 2
    stranger, me = peer.user("stranger", bot=True), peer.bot
    (menu,) = [part for part in use.response.parts if part["type"] == 5]  # type: ignore[union-attr]
    await peer.selects(here.ada, use.response, menu["custom_id"], stranger, me)  # type: ignore[arg-type]
    await shown(peer, use, f"Left out: {stranger.mention}. Only", f"{me.mention}. halubot")
    assert _now(here).bots == set(more[-2:])


@in_scene()
async def test_two_choices_at_once_are_both_kept(here: Scene) -> None:
    guild: Any = here.client.get_guild(here.guild.id)
    panel = Panel(here.client, guild, _now(here))
    asking: Any = SimpleNamespace(permissions=SimpleNamespace(manage_guild=True))
    changes: Any = [{"channels": {1, 2}}, {"bots": {3, 4}}, {"language": "de"}]
    await asyncio.gather(*(panel._change(asking, change) for change in changes))
    assert changes == [_now(here).model_dump(include=set(one)) for one in changes]


@in_scene(checks=True, models=["openai/gpt-4o-mini"], person_checks=0)
async def test_without_a_budget_a_text_is_compared_without_the_model(here: Scene) -> None:
    await here.set(model="openai/gpt-4o-mini")
    for others, words in ((RIGHT, ("1815", "the model was not asked")), ("", ("Your budget",))):
        texts: Any = {"text": WRONG, "others": others}
        use = await here.peer.uses_command(here.ben, here.channel, "check", **texts)
        await shown(here.peer, use, *words)


@in_scene()
async def test_settings_say_what_keeps_cards_away(here: Scene) -> None:
    channel: Any = here.client.get_channel(here.channel.id)
    channel.slowmode_delay = 6 * 3_600
    use = await here.peer.uses_command(here.ada, here.channel, "settings")
    await shown(here.peer, use, "⚠ In", "lacks: Bypass Slowmode")
    await here.peer.forbids(here.channel, "send_messages")
    await here.peer.heard()
    use = await here.peer.uses_command(here.ada, here.channel, "settings")
    await shown(here.peer, use, "lacks: Send Messages")


def _now(here: Scene) -> ServerSettings:
    return here.store.settings(here.guild.id)


@in_scene()
async def test_only_who_manages_the_server_sets_it(here: Scene) -> None:
    use = await here.peer.uses_command(here.ada, here.channel, "settings")
    await shown(here.peer, use, "Cards are **on**")
    here.guild.members[here.ada.id].roles.clear()
    assert use.response is not None
    again = await here.peer.clicks(here.ada, use.response, "Switch cards off")
    await here.peer.until(lambda: "right to manage" in again.text)
    assert _now(here).on


@in_scene(models=["openai/gpt-4o-mini"], api_base="http://me:geheim77@10.1.2.3:8080/v1")
async def test_members_do_not_see_the_owners_keys_and_hosts(here: Scene) -> None:
    await here.set(model="openai/gpt-4o-mini")
    use = await here.peer.uses_command(here.ben, here.channel, "privacy")
    text = await shown(here.peer, use, "openai/gpt-4o-mini", "whoever runs halubot")
    assert not any(part in text for part in ("geheim77", "10.1.2.3", "8080"))


@in_scene()
async def test_who_asked_to_be_left_out_is(here: Scene) -> None:
    use = await here.peer.uses_command(here.ben, here.channel, "privacy", leave_out=True)
    await shown(here.peer, use, "left out")
    await here.answers(RIGHT, WRONG, asked=QUESTION)
    assert here.cards == []
    about = await here.peer.says(here.ben, here.channel, WRONG)
    use = await here.peer.uses_menu(here.ada, about, "Check facts")
    await shown(here.peer, use, "leave them out")


@pytest.mark.slow
def test_a_failing_model_is_told_without_what_is_the_owners(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with loopback() as server:
        server.answer(lambda _: Reply(status=401, error="the account of geheim77 is closed"))

        async def work(here: Scene) -> None:
            await here.set(model="openai/gpt-4o-mini")
            use = await here.peer.uses_command(here.ben, here.channel, "check", text=WRONG)
            # On a busy machine the library that calls models takes long to load.
            await here.peer.until(lambda: use.text, "the answer", 240.0)
            text = await shown(here.peer, use, "the model did not answer")
            owners = ("geheim77", "127.0.0.1", "OPENAI", "key")
            assert not any(word in text for word in owners)
            assert "127.0.0.1" in caplog.text
            use = await here.peer.uses_command(here.ada, here.channel, "settings")
            await shown(here.peer, use, "⚠ The model openai/gpt-4o-mini did not answer")

        models = ["openai/gpt-4o-mini"]
        run(tmp_path, work, checks=True, models=models, api_base=server.url)
