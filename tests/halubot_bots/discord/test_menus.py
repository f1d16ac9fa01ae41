"""The menus of a message, and the buttons of what they show."""

from __future__ import annotations

from pathlib import Path

import pytest

from halubot_bots.discord import actions
from halubot_bots.settings import Quota, ServerSettings
from tests.discord_peer import Interaction, Message, User
from tests.halubot_bots.discord.scene import RIGHT, WRONG, Scene, has_card, run


async def answered(here: Scene, author: User | None = None, text: str = WRONG) -> Message:
    """A message beside three others that answer the same question."""
    asked = await here.peer.says(here.ben, here.channel, "Who was Ada Lovelace?")
    for at in range(3):
        bot = here.peer.member(here.guild, here.peer.user(f"bot {at}", bot=True))
        await here.peer.says(bot, here.channel, RIGHT + " Indeed." * at, reply_to=asked)
    return await here.peer.says(author or here.other, here.channel, text, reply_to=asked)


async def checked(here: Scene, message: Message, user: User | None = None) -> Interaction:
    use = await here.peer.uses_menu(user or here.ben, message, "Check against these")
    await here.peer.until(lambda: has_card(use) or "Not" in use.text, "the card")
    return use


def test_a_message_is_checked_against_other_answers_to_the_same(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        use = await checked(here, await answered(here))
        assert use.ephemeral
        assert "1815" in use.text
        assert "1 of " in use.text

    run(tmp_path, work)


def test_without_other_answers_it_says_so(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        alone = await here.peer.says(here.other, here.channel, WRONG)
        use = await here.peer.uses_menu(here.ben, alone, "Check against these")
        await here.peer.until(lambda: bool(use.text), "an answer")
        assert "Nothing to compare with" in use.text

    run(tmp_path, work)


def test_in_a_thread_all_others_are_answers(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        thread = await here.peer.opens_thread(here.ben, here.channel, "Ada")
        await here.peer.says(here.ben, thread, RIGHT)
        await here.peer.says(here.ada, thread, RIGHT + " So it is.")
        wrong = await here.peer.says(here.other, thread, WRONG)
        use = await checked(here, wrong)
        assert "1815" in use.text

    run(tmp_path, work)


def test_without_anything_to_compare_with_nothing_passes(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        alone = await here.peer.says(here.other, here.channel, WRONG)
        use = await here.peer.uses_menu(here.ben, alone, "Check facts")
        await here.peer.until(lambda: "checked" in use.text, "the card")
        assert "None of 3 facts could be checked" in use.text or "could be checked" in use.text
        assert "supported" not in use.text

    run(tmp_path, work)


def test_an_attachment_is_a_reference(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        message = await here.peer.says(
            here.other, here.channel, WRONG, files={"ada.txt": RIGHT.encode()}
        )
        use = await here.peer.uses_menu(here.ben, message, "Check facts")
        await here.peer.until(lambda: has_card(use), "the card")
        assert "1815" in use.text

    run(tmp_path, work)


def test_the_same_message_is_checked_once_and_an_edited_one_anew(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        message = await here.peer.says(
            here.other, here.channel, WRONG, files={"ada.txt": RIGHT.encode()}
        )
        uses = [await here.peer.uses_menu(here.ben, message, "Check facts") for _ in range(2)]
        await here.peer.until(lambda: all(has_card(use) for use in uses), "the cards")
        assert here.desk.quotas.use_of("all").checks == 1
        await here.peer.edits(message, RIGHT)
        use = await here.peer.uses_menu(here.ben, message, "Check facts")
        await here.peer.until(lambda: "None of" in use.text, "the card")
        assert here.desk.quotas.use_of("all").checks == 2

    run(tmp_path, work)


def test_a_message_is_corrected(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        message = await answered(here)
        await checked(here, message)
        use = await here.peer.uses_menu(here.ben, message, "Correct this")
        await here.peer.until(lambda: "Correction" in use.text, "the correction")
        assert "~~1816~~" in use.text
        assert "Ada Lovelace was born in 1815\\." in use.text or "in 1815." in use.text

    run(tmp_path, work)


@pytest.mark.parametrize("label", ["All facts", "Evidence", "Correct"])
def test_the_buttons_of_a_card_work(tmp_path: Path, label: str) -> None:
    async def work(here: Scene) -> None:
        message = await answered(here)
        use = await checked(here, message)
        assert use.response is not None
        pressed = await here.peer.clicks(here.ben, use.response, label)
        await here.peer.until(lambda: "1815" in pressed.text, "what the button shows")

    run(tmp_path, work)


@pytest.mark.parametrize("way", ["menu", "button"])
def test_a_long_report_comes_as_a_page_too_for_who_asked_alone(tmp_path: Path, way: str) -> None:
    text = " ".join(f"Bridge {at} was built in {1700 + at}." for at in range(60))
    files = {"bridges.txt": text.encode()}

    async def work(here: Scene) -> None:
        await here.watch()
        message = await here.peer.says(here.other, here.channel, text, files=files)
        await here.peer.until(lambda: here.peer.said(here.channel), "the card")
        (card,) = here.peer.said(here.channel)
        if way == "menu":
            use = await here.peer.uses_menu(here.ben, message, "Check facts")
        else:
            use = await here.peer.clicks(here.ben, card, "All facts")
        await here.peer.until(lambda: use.followups, "the file")
        (page,) = use.followups
        assert page.ephemeral_to is here.ben
        (file,) = page.attachments
        assert "Bridge 59" in here.peer.content(file).decode()
        assert use.response is not None
        forth = "All facts" if way == "menu" else "Next ▶"
        leafed = await here.peer.clicks(here.ben, use.response, forth)
        assert leafed.followups == []  # once is enough

    run(tmp_path, work)


def test_a_verdict_is_called_wrong_and_that_is_heeded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HALUBOT_STATE", str(tmp_path / "state"))

    async def work(here: Scene) -> None:
        message = await answered(here)
        await checked(here, message)
        use = await here.peer.uses_menu(here.ben, message, "Wrong verdict")
        assert use.modal is not None
        done = await here.peer.fills(use, fact="0", note="the parish book says so")
        await here.peer.until(lambda: "Noted" in done.text, "that it was noted")
        again = await checked(here, message)
        assert "None of" in again.text
        other = await checked(here, message, here.ada)
        assert "1 of" in other.text

    run(tmp_path, work)


def test_a_verdict_of_what_was_never_checked_cannot_be_wrong(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        message = await here.peer.says(here.other, here.channel, WRONG)
        use = await here.peer.uses_menu(here.ben, message, "Wrong verdict")
        assert "no report yet" in use.text

    run(tmp_path, work)


def test_a_used_up_quota_is_said(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.desk.set(here.guild.id, ServerSettings(of_user=Quota(checks=0)))
        use = await checked(here, await answered(here))
        assert "quota" in use.text
        assert here.desk.quotas.use_of("all").checks == 0

    run(tmp_path, work)


def test_in_a_direct_message_too(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        channel = here.peer.dm(here.ben)
        message = await here.peer.says(here.ben, channel, WRONG, files={"ada.txt": RIGHT.encode()})
        use = await here.peer.uses_menu(here.ben, message, "Check facts")
        await here.peer.until(lambda: has_card(use), "the card")
        assert here.desk.quotas.use_of(f"user:{here.ben.id}").checks == 1

    run(tmp_path, work)


@pytest.mark.parametrize(
    "text", ["@everyone Ada was born in 1816.", "<@1> [x](javascript:a) ```` Ada was born in 1816."]
)
def test_nobody_is_mentioned_and_nothing_acts(tmp_path: Path, text: str) -> None:
    async def work(here: Scene) -> None:
        message = await here.peer.says(
            here.other, here.channel, text, files={"ada.txt": b"Ada was born in 1815."}
        )
        use = await here.peer.uses_menu(here.ben, message, "Check facts")
        await here.peer.until(lambda: has_card(use), "the card")
        assert use.response is not None
        assert not use.response.pinged
        assert "@everyone" not in use.text

    run(tmp_path, work)


def test_what_is_deleted_while_its_correction_waits_is_not_corrected(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(here: Scene) -> None:
        files = {"ada.txt": RIGHT.encode()}
        message = await here.peer.says(here.ben, here.channel, WRONG, files=files)
        shown = await here.peer.uses_menu(here.ada, message, "Check facts")
        await here.peer.until(lambda: "1815" in shown.text, "the card")
        usual = actions.thinking

        async def while_it_goes(interaction: actions.Asked) -> None:
            await usual(interaction)
            await here.desk.drop(message.id)

        monkeypatch.setattr(actions, "thinking", while_it_goes)
        assert shown.response is not None
        use = await here.peer.clicks(here.ada, shown.response, "Correct")
        await here.peer.until(lambda: use.text, "the answer")
        assert "deleted or forgotten" in use.text
        assert "1816" not in use.text

    run(tmp_path, work)
