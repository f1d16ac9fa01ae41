"""Interactions that expired and permissions that were lost in the middle: nothing that was paid for
is lost, and the log says what happened in one line."""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from halubot.errors import StateError
from halubot_bots.discord import actions, bot, resumption
from tests.discord_peer import Interaction
from tests.halubot_bots.discord.scene import RIGHT, WRONG, Scene, has_card, run
from tests.halubot_bots.discord.test_answers import ANSWER, answering, quiet
from tests.halubot_bots.discord.test_menus import answered
from tests.judge import Judge

FILES = {"ada.txt": RIGHT.encode()}
FIRST, ORIGINAL, FOLLOW_UP = "/callback$", "/messages/@original$", r"/webhooks/\d+/[^/]+$"
LONG = " ".join(f"Person {at} was born in {1600 + at} in Paris." for at in range(70))
OTHER = LONG.replace(" 16", " 18")


@pytest.fixture(autouse=True)
def logged(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "halubot.discord")


@pytest.fixture(autouse=True)
def surroundings(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-a-test")
    monkeypatch.setenv("HALUBOT_STATE", str(tmp_path / "state"))


def said(caplog: pytest.LogCaptureFixture) -> list[str]:
    """The warnings and errors of the log: none with a traceback, none of the library's."""
    found = [one for one in caplog.records if one.levelno >= logging.WARNING]
    assert not [one for one in found if one.exc_info], caplog.text
    assert not [one for one in found if not one.name.startswith("halubot")], caplog.text
    return [one.getMessage() for one in found]


async def done(here: Scene) -> None:
    """Returns once nobody waits for an answer."""
    await here.quiet()
    await here.peer.until(lambda: not here.client.asking, "that nobody waits")


def test_a_first_answer_that_came_too_late_costs_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(here: Scene) -> None:
        message = await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        use = await here.peer.uses_menu(here.ben, message, "Check facts", wait=False, age=3.5)
        await here.peer.until(lambda: here.peer.refused, "the refusal")
        await done(here)
        assert not use.answer
        assert [one.code for one in here.peer.refused] == [10062]
        assert here.desk.quotas.use_of(f"server:{here.guild.id}").checks == 0
        assert not here.desk.activity.checks
        (line,) = said(caplog)
        assert "10062" in line
        here.peer.refused.clear()
        use = await here.peer.uses_menu(here.ben, message, "Check facts")
        await here.peer.until(lambda: has_card(use), "the card")

    run(tmp_path, work)


@pytest.mark.parametrize(
    ("status", "code"), [(401, 50027), (404, 10008), (404, 10015), (403, 50001), (404, 10003)]
)
def test_a_report_that_could_not_be_shown_is_there_at_the_next_use(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, status: int, code: int
) -> None:
    async def work(here: Scene) -> None:
        message = await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        fault = here.peer.fault(ORIGINAL, "PATCH", status=status, code=code, times=99)
        use = await here.peer.uses_menu(here.ben, message, "Check facts")
        await here.peer.until(lambda: fault.met, "the refusal")
        await done(here)
        assert not has_card(use)
        said(caplog)
        lines = [one for one in caplog.messages if f"code {code}" in one]
        assert len(lines) == 1, caplog.text
        here.peer.service.faults.clear()
        use = await here.peer.uses_menu(here.ben, message, "Check facts")
        await here.peer.until(lambda: has_card(use), "the card")
        assert here.desk.quotas.use_of(f"server:{here.guild.id}").checks == 1
        here.peer.refused.clear()

    run(tmp_path, work)


@pytest.mark.parametrize("way", ["refused", "gone"])
def test_what_was_shown_stays_when_the_rest_cannot_be_sent(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, way: str
) -> None:
    """The report is shown, the attached page is refused: the report must not make way for an
    error."""

    async def work(here: Scene) -> None:
        status, code = (413, 40005) if way == "refused" else (404, 10015)
        fault = here.peer.fault(FOLLOW_UP, "POST", status=status, code=code)
        use = await here.peer.uses_command(
            here.ben, here.channel, "check", text=LONG, others=f"{OTHER}\n---\n{OTHER}"
        )
        await here.peer.until(lambda: fault.met, "the refusal")
        await done(here)
        assert has_card(use)
        assert use.response is not None
        assert use.response.versions[-1] != use.response.versions[0]
        assert len(said(caplog)) == 1, caplog.text
        here.peer.refused.clear()

    run(tmp_path, work)


def test_of_a_long_answer_only_the_part_that_automod_blocks_is_missing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    answer = "".join(f"Ada Lovelace was born in 1815: {n}. " for n in range(300))
    answer += "This is the END."

    async def work() -> None:
        async with answering(tmp_path, Judge(answer=answer, samples=(answer,))) as (here, _):
            here.peer.fault(FOLLOW_UP, "POST", status=400, code=200000)
            use = await here.peer.uses_command(here.ben, here.channel, "ask", question="Ada?")
            await done(here)
            assert "born in 1815: 1." in use.text
            assert "the END" in use.text
            assert "AutoMod" in use.text
            assert has_card(use)
            assert len(said(caplog)) == 1, caplog.text
            here.peer.refused.clear()

    asyncio.run(work())


def test_an_answer_that_automod_blocks_is_not_silence(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def work() -> None:
        async with answering(tmp_path) as (here, _):
            here.guild.blocked.add("London")
            question = f"{here.peer.bot.mention} who was Ada?"
            asked = await here.peer.says(here.ben, here.channel, question)
            (told,) = await quiet(here)
            assert told.reply_to is asked
            assert "AutoMod" in told.text
            assert here.desk.memory.in_work() == ()
            assert len(said(caplog)) == 1, caplog.text
            here.peer.refused.clear()

    asyncio.run(work())


def test_who_may_no_longer_write_answers_is_told_to_the_owner(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def work() -> None:
        gate = threading.Event()
        async with answering(tmp_path) as (here, model):
            model.answer(Judge(answer=ANSWER, samples=(ANSWER,)).held(gate))
            await here.peer.says(here.ben, here.channel, f"{here.peer.bot.mention} who was Ada?")
            await here.peer.until(lambda: model.received, "the call")
            await here.peer.forbids(here.channel, "send_messages")
            gate.set()
            assert await quiet(here) == []
            (told,) = here.peer.said(here.peer.dm(here.guild.owner))
            assert "Send Messages" in told.text
            assert here.desk.memory.in_work() == ()
            assert len(said(caplog)) == 1, caplog.text
            here.peer.refused.clear()

    asyncio.run(work())


def test_a_bot_that_is_removed_in_mid_check_stops_and_keeps_nothing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def work() -> None:
        gate = threading.Event()
        async with answering(tmp_path) as (here, model):
            model.answer(Judge(answer=ANSWER, samples=(ANSWER,)).held(gate))
            await here.watch(method="consensus", samples=2)
            await here.peer.says(here.other, here.channel, WRONG)
            await here.peer.until(lambda: model.received, "the call")
            await here.peer.kicks(here.guild)
            await here.peer.heard()
            gate.set()
            await here.quiet()
            assert here.desk.memory.in_work() == ()
            with here.desk.memory.base.read() as reading:
                for table in ("report", "quoted", "shown", "told", "heard"):
                    query = f"SELECT count(*) FROM {table}"  # noqa: S608
                    assert reading.execute(query).fetchone()[0] == 0, table
            assert here.peer.said(here.peer.dm(here.guild.owner)) == []
            assert here.desk.checks.running == 0
            assert said(caplog) == [], caplog.text
            here.peer.refused.clear()

    asyncio.run(work())


def test_a_connection_that_breaks_in_mid_check_loses_no_report(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """Showing the progress fails, and showing the result."""

    async def work() -> None:
        gate = threading.Event()
        async with answering(tmp_path) as (here, model):
            model.answer(Judge(answer=ANSWER, samples=(ANSWER,)).held(gate))
            message = await here.peer.says(here.other, here.channel, WRONG, files=FILES)
            fault = here.peer.fault(ORIGINAL, "PATCH", drop=True, times=99)
            use = await here.peer.uses_menu(here.ben, message, "Check facts")
            await here.peer.until(lambda: model.received, "the call")
            gate.set()
            await here.peer.until(lambda: fault.met, "the fault")
            await done(here)
            assert not has_card(use)
            assert len(said(caplog)) == 1, caplog.text
            before = len(model.received)
            here.peer.service.faults.clear()
            use = await here.peer.uses_menu(here.ben, message, "Check facts")
            await here.peer.until(lambda: has_card(use), "the card")
            assert len(model.received) == before

    asyncio.run(work())


def test_a_form_that_came_too_late_leaves_no_traceback(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def work(here: Scene) -> None:
        message = await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        use = await here.peer.uses_menu(here.ben, message, "Check facts")
        await here.peer.until(lambda: has_card(use), "the card")
        form = await here.peer.uses_menu(here.ben, message, "Wrong verdict")
        await here.peer.fills(form, fact=form_choice(form), wait=False, age=4)
        await here.peer.until(lambda: here.peer.refused, "the refusal")
        await done(here)
        (line,) = said(caplog)
        assert "10062" in line
        here.peer.refused.clear()

    run(tmp_path, work)


def form_choice(form: Interaction) -> str:
    """The first fact of the form for a wrong verdict."""
    assert form.modal is not None
    return str(form.modal["components"][0]["component"]["options"][0]["value"])


def test_who_waits_for_the_check_of_somebody_else_gets_it_when_that_one_gives_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        gate = threading.Event()
        async with answering(tmp_path) as (here, model):
            model.answer(Judge(answer=ANSWER, samples=(ANSWER,)).held(gate))
            message = await here.peer.says(here.other, here.channel, WRONG, files=FILES)
            monkeypatch.setattr(actions, "LONGEST_SECONDS", 2.0)
            one = await here.peer.uses_menu(here.ada, message, "Check facts")
            await here.peer.until(lambda: here.client.underway, "the check")
            monkeypatch.setattr(actions, "LONGEST_SECONDS", 60.0)
            two = await here.peer.uses_menu(here.ben, message, "Check facts")
            await here.peer.until(lambda: "too long" in one.text, "that one gives up")
            gate.set()
            await here.peer.until(lambda: has_card(two), "the card")

    asyncio.run(work())


def test_who_asks_again_for_what_was_not_taken_pays_no_second_time(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """A question by a command has no message whose report could be kept: its calls are."""

    async def work() -> None:
        async with answering(tmp_path) as (here, model):
            fault = here.peer.fault(ORIGINAL, "PATCH", status=401, code=50027, times=99)
            await here.peer.uses_command(here.ben, here.channel, "ask", question="Ada?")
            await here.peer.until(lambda: fault.met, "the refusal")
            await done(here)
            (line,) = said(caplog)
            assert "too late" in line
            before = len(model.received)
            assert before
            here.peer.service.faults.clear()
            use = await here.peer.uses_command(here.ben, here.channel, "ask", question="Ada?")
            await here.peer.until(lambda: has_card(use), "the card")
            assert len(model.received) == before
            assert here.desk.quotas.use_of("all").calls == before
            await done(here)

    asyncio.run(work())


def test_a_question_about_what_is_gone_does_not_think_forever(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        message = await here.peer.says(here.other, here.channel, WRONG, files=FILES)
        here.peer.fault("/channels/.*/messages", "GET", status=404, code=10008, times=99)
        use = await here.peer.uses_menu(here.ben, message, "Check against these")
        await done(here)
        assert use.response is not None
        assert not use.response.loading
        assert use.text

    run(tmp_path, work)


def test_a_channel_that_is_deleted_takes_its_reports_along(tmp_path: Path) -> None:
    async def work(here: Scene) -> None:
        await here.watch()
        thread = await here.peer.opens_thread(here.ada, here.channel, "a thread")
        for place in (here.channel, thread):
            await here.peer.says(here.other, place, WRONG, files=FILES)
        await here.quiet()
        with here.desk.memory.base.read() as reading:
            assert reading.execute("SELECT count(*) FROM report").fetchone()[0] == 2
        await here.peer.deletes_channel(here.channel)
        await here.quiet()
        with here.desk.memory.base.read() as reading:
            for table in ("report", "quoted", "work"):
                query = f"SELECT count(*) FROM {table}"  # noqa: S608
                assert reading.execute(query).fetchone()[0] == 0, table
        here.peer.refused.clear()

    run(tmp_path, work)


def test_settings_that_cannot_be_read_are_said_and_leave_no_traceback(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(here: Scene) -> None:
        def broken(_: int) -> None:
            raise StateError("the ledger cannot be reached")

        monkeypatch.setattr(here.desk.memory, "server", broken)
        use = await here.peer.uses_command(here.ben, here.channel, "help")
        assert "halubot cannot do this now" in use.text
        assert said(caplog) == []

    run(tmp_path, work)


def test_a_bot_that_is_removed_checks_nothing_that_still_settled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with answering(tmp_path) as (here, model):
            # A shared ledger's `in_work` names only what processes that are gone left.
            monkeypatch.setattr(here.desk.memory, "in_work", tuple)
            await here.watch(method="consensus", samples=2, settled=1)
            await here.peer.says(here.other, here.channel, WRONG)
            await here.peer.until(lambda: here.client.annotator.busy, "the message")
            await here.peer.kicks(here.guild)
            await here.quiet()
            assert not model.received
            here.peer.refused.clear()

    asyncio.run(work())


def test_what_expired_goes_although_the_base_failed_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work(here: Scene) -> None:
        expired: list[int] = []

        def expire(days: int) -> int:
            expired.append(days)
            if len(expired) == 1:
                raise StateError("the ledger cannot be reached")
            return 0

        monkeypatch.setattr(here.desk.memory, "expire", expire)
        monkeypatch.setattr(bot, "HOUR", 0.01)
        keeping = asyncio.create_task(here.client._keep_house())
        await here.peer.until(lambda: len(expired) > 1 or keeping.done(), "the second time")
        assert len(expired) > 1
        keeping.cancel()
        assert said(caplog) == ["nothing expired: StateError"]

    run(tmp_path, work)


def test_an_answer_whose_context_cannot_be_read_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def work() -> None:
        async with answering(tmp_path) as (here, _):

            def broken(_: int) -> bool:
                raise StateError("the ledger cannot be reached")

            before = await here.peer.says(here.ada, here.channel, "Ada wrote programs.")
            monkeypatch.setattr(here.desk.memory, "opted_out", broken)
            question = f"{here.peer.bot.mention} when?"
            await here.peer.says(here.ben, here.channel, question, reply_to=before)
            (answer,) = await quiet(here)
            assert "halubot cannot do this now" in answer.content
            assert here.desk.memory.in_work() == ()
            gc.collect()  # a task whose error nobody looked at is logged when it goes
            assert len(said(caplog)) == 1

    asyncio.run(work())


def test_a_channel_that_cannot_be_caught_up_does_not_hold_up_the_others(
    caplog: pytest.LogCaptureFixture,
) -> None:
    heard: list[int] = []

    class Place:
        def __init__(self, id: int) -> None:
            self.id = id

        async def history(self, **_: object) -> AsyncIterator[SimpleNamespace]:
            yield SimpleNamespace(id=self.id)

    async def on_message(message: SimpleNamespace) -> None:
        if message.id == 1:
            raise StateError("the ledger cannot be reached")
        heard.append(message.id)

    nothing = SimpleNamespace(has=lambda _: False)
    client: Any = SimpleNamespace(
        desk=SimpleNamespace(memory=SimpleNamespace(last_heard=lambda: {1: 0, 2: 0})),
        get_channel=Place,
        annotator=nothing,
        answerer=nothing,
        on_message=on_message,
    )
    asyncio.run(resumption.catch_up(client))
    assert heard == [2]
    assert said(caplog) == ["channel 1 is not caught up: StateError"]


def test_a_check_against_these_hides_no_check_that_others_wait_for(tmp_path: Path) -> None:
    async def work() -> None:
        gate = threading.Event()
        async with answering(tmp_path) as (here, model):
            model.answer(Judge(answer=ANSWER, samples=(ANSWER,)).held(gate))
            message = await answered(here)
            one = await here.peer.uses_menu(here.ada, message, "Check facts")
            await here.peer.until(lambda: here.client.underway, "the check")
            these = await here.peer.uses_menu(here.ben, message, "Check against these")
            await here.peer.until(lambda: has_card(these), "the card")
            assert here.client.underway
            gate.set()
            await here.peer.until(lambda: has_card(one), "the card")
            assert not here.client.underway

    asyncio.run(work())
