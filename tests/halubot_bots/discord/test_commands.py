"""The slash commands, and the settings of a server."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from halubot.evidence.knowledge.additions import add
from halubot.evidence.knowledge.bases import home
from halubot_bots.entries import Key, Quoted
from tests.discord_peer import Interaction, User
from tests.halubot_bots.discord.scene import RIGHT, WRONG, Scene, has_card, run

if TYPE_CHECKING:
    import pytest

TWO = f"{RIGHT}\n---\n{RIGHT} Indeed."
THREE = f"{TWO}\n---\n{RIGHT} So it was."


async def said(
    here: Scene, command: str, words: str, user: User | None = None, **options: Any
) -> Interaction:
    """A command, once its answer holds these words."""
    use = await here.peer.uses_command(user or here.ben, here.channel, command, **options)
    await here.peer.until(lambda: words in use.text, f"{words!r}; it says {use.text!r}")
    return use


def test_a_text_is_checked_against_other_answers(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        use = await said(here, "check", "contradicted", text=WRONG, others=TWO)
        assert use.ephemeral
        assert "1815" in use.text

    run(tmp_path, work)


def test_a_text_is_corrected(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        use = await said(here, "correct", "Correction", text=WRONG, others=THREE)
        assert "~~1816~~" in use.text

    run(tmp_path, work)


def test_methods_stand_side_by_side(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        use = await said(
            here,
            "compare",
            "several methods",
            text=WRONG,
            others=TWO,
            methods="consensus, selfcheck-ngram, nosuch",
        )
        assert "consensus" in use.text
        assert "there is no method" in use.text.replace("\\", "")

    run(tmp_path, work)


def test_asking_without_a_model_says_what_is_missing(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await said(here, "ask", "No model is set up", question="Who was Ada?")

    run(tmp_path, work)


def test_help_privacy_and_usage(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await said(here, "help", "Check against these")
        await said(here, "check", "contradicted", text=WRONG, others=TWO)
        own = await said(here, "usage", "1 check")
        assert "left: 19 of 20 checks" in own.text
        assert "This server" not in own.text
        managers = await said(here, "usage", "This server", user=here.ada)
        assert "left: 100 of 100 checks" in managers.text or "99 of 100" in managers.text
        thread = await here.peer.opens_thread(here.ada, here.channel, "more")
        inside = await here.peer.uses_command(here.ada, thread, "usage")
        await here.peer.until(lambda: "This channel" in inside.text, "the use of the channel")
        assert "99 of 100 checks" in inside.text  # a thread counts for its channel
        privacy = await said(here, "privacy", "30 days")
        assert "nobody: halubot checks them on its own computer" in privacy.text

    run(tmp_path, work)


def test_privacy_links_to_the_server_in_which_somebody_was_quoted(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        quoted, elsewhere = [Quoted(6, here.ben.id)], 77
        here.desk.memory.quote(Key(1), quoted, asked_by=8, channel=2, server=elsewhere, begun=0)
        await said(here, "privacy", f"https://discord.com/channels/{elsewhere}/2/6")

    run(tmp_path, work)


def test_who_opts_out_is_left_out_and_may_come_back(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await said(here, "privacy", "You are left out", leave_out=True)
        await said(here, "check", "leave you out", text=WRONG, others=TWO)
        await said(here, "privacy", "leaves you out", leave_out=False)
        await said(here, "check", "contradicted", text=WRONG, others=TWO)

    run(tmp_path, work)


def test_a_person_is_forgotten(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HALUBOT_STATE", str(tmp_path / "state"))

    async def work(here: Scene) -> None:
        message = await here.peer.says(
            here.ben, here.channel, WRONG, files={"ada.txt": RIGHT.encode()}
        )
        use = await here.peer.uses_menu(here.ben, message, "Check facts")
        await here.peer.until(lambda: has_card(use), "the card")
        await said(here, "forget-me", "1 report was deleted")
        assert here.desk.memory.report(message.id) is None

    run(tmp_path, work)


def test_commands_may_be_switched_off(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.set(commands=False)
        await said(here, "check", "switched off", text=WRONG, others=TWO)

    run(tmp_path, work)


def test_the_knowledge_of_a_server_is_looked_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HALUBOT_KNOWLEDGE_FOLDER", str(tmp_path / "bases"))
    (tmp_path / "ada.txt").write_text(RIGHT, encoding="utf-8")
    add(home("lives"), [tmp_path / "ada.txt"])

    async def work(here: Scene) -> None:
        await here.set(knowledge="lives")
        use = await said(here, "check", "contradicted", text=WRONG)
        assert "1815" in use.text

    run(tmp_path, work, knowledge=["lives"])


def test_status_tells_how_busy_it_is(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await said(here, "check", "contradicted", text=WRONG, others=TWO)
        use = await said(here, "status", "halubot is here")
        assert "0 under way, 0 waiting, 1 since the start" in use.text
        assert "halubot compares by itself" in use.text

    run(tmp_path, work)
