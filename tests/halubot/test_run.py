"""A run logs, is followed, stopped, and never loses what it knew."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from halubot import api, check, inputs
from halubot.errors import InputError, SettingError, UnknownMethodError
from halubot.events import Done, Event, FactJudged, FactsExtracted, Progress, Started
from halubot.methods import registry
from halubot.methods.registry import Case, Size
from halubot.report import Fact, Report, Source, Threshold, Triple

TEXT = "Ada was born in 1815. She wrote notes."
FACTS = (
    Fact(index=0, triple=Triple("Ada", "was born in", "1815"), sentences=(0,), spans=((0, 20),)),
    Fact(index=1, triple=Triple("Ada", "wrote", "notes"), sentences=(1,), spans=((22, 37),)),
)


class Scripted:
    """A method that judges both facts, waiting at ``gate`` between them."""

    summary = "a script"
    needs: tuple[str, ...] = ()
    needs_all = False
    source = "the tests"
    default_threshold = Threshold(value=0.5)

    def __init__(self, name: str, failure: Exception | None = None) -> None:
        self.name = name
        self.gate = threading.Event()
        self.failure = failure

    def open(self) -> None:
        """Lets the method go on."""
        self.gate.set()

    def calls(self, size: Size) -> int:
        return 0

    def judge(self, case: Case) -> Iterator[Event] | AsyncIterator[Event]:
        return self._judge()

    def _judge(self) -> Iterator[Event]:
        yield FactsExtracted(facts=FACTS)
        yield FactJudged(index=0, score=0.1, verdict="supported")
        while not self.gate.wait(0.001):
            yield Progress(what="waiting", done=0, of=1)
        if self.failure is not None:
            raise self.failure
        yield FactJudged(index=1, score=0.9, verdict="doubtful")


class ScriptedOnTheLoop(Scripted):
    """The same as an asynchronous generator."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.door = asyncio.Event()

    def open(self) -> None:
        self.door.set()

    def judge(self, case: Case) -> AsyncIterator[Event]:
        return self._on_the_loop()

    async def _on_the_loop(self) -> AsyncIterator[Event]:
        yield FactsExtracted(facts=FACTS)
        yield FactJudged(index=0, score=0.1, verdict="supported")
        await self.door.wait()
        yield FactJudged(index=1, score=0.9, verdict="doubtful")


@pytest.fixture(autouse=True)
def _clean_registry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "_registered", {})


@pytest.mark.parametrize("kind", [Scripted, ScriptedOnTheLoop])
def test_viewers_early_and_late_see_the_same_log(kind: type[Scripted]) -> None:
    async def scenario() -> None:
        method = kind("scripted")
        registry.register(method)
        run = api.start(TEXT, method="scripted")
        early: list[Event] = []

        async def follow() -> None:
            async for event in run.events():
                early.append(event)
                if isinstance(event, FactJudged):
                    method.open()

        await follow()
        report = await run.wait()
        late = [event async for event in run.events()]
        assert early == late == list(run.log)
        assert isinstance(early[0], Started)
        assert isinstance(early[-1], Done)
        assert early[-1].outcome == "finished"
        assert run.done
        assert [fact.verdict for fact in report.facts] == ["supported", "doubtful"]

    asyncio.run(scenario())


@pytest.mark.parametrize("kind", [Scripted, ScriptedOnTheLoop])
def test_a_cancelled_run_keeps_what_was_judged(kind: type[Scripted]) -> None:
    async def scenario() -> Report:
        method = kind("scripted")
        registry.register(method)
        run = api.start(TEXT, method="scripted")
        async for event in run.events():
            if isinstance(event, FactJudged):
                break
        run.cancel()
        report = await run.wait()
        assert run.done
        return report

    report = asyncio.run(scenario())
    assert [fact.verdict for fact in report.facts] == ["supported", "not_checked"]
    assert report.facts[1].reason == "the check was cancelled before this was judged"
    assert report.problems[-1].why == "it was stopped"


def test_a_deadline_stops_the_work_and_says_so() -> None:
    registry.register(Scripted("scripted"))
    report = api.check(TEXT, method="scripted", deadline=0.5)
    assert report.facts[1].verdict == "not_checked"
    assert "deadline of 0.5 s" in report.problems[-1].why


def test_a_failing_method_raises_and_its_run_keeps_the_rest() -> None:
    async def scenario() -> None:
        method = Scripted("scripted", failure=RuntimeError("boom"))
        method.open()
        registry.register(method)
        run = api.start(TEXT, method="scripted")
        with pytest.raises(RuntimeError, match="boom"):
            await run.wait()
        assert run.report.facts[0].verdict == "supported"
        assert run.report.problems[-1].why == "RuntimeError: boom"

    asyncio.run(scenario())


def test_check_works_inside_a_running_loop() -> None:
    async def scenario() -> Report:
        method = Scripted("scripted")
        method.open()
        registry.register(method)
        return api.check(TEXT, method="scripted")

    assert len(asyncio.run(scenario()).facts) == 2


def test_watch_hears_every_event() -> None:
    method = Scripted("scripted")
    method.open()
    registry.register(method)
    heard: list[Event] = []
    api.check(TEXT, method="scripted", watch=heard.append)
    assert isinstance(heard[0], Started)
    assert isinstance(heard[-1], Done)


def test_nothing_to_compare_with_is_not_a_pass() -> None:
    report = api.check(TEXT)
    assert report.facts
    assert {fact.verdict for fact in report.facts} == {"not_checked"}
    assert {sentence.verdict for sentence in report.sentences} == {"not_checked"}
    assert "nothing to compare with" in (report.facts[0].reason or "")
    assert report.score is None


def test_sources_get_ids_of_their_own_in_order() -> None:
    given = Source(id="mine", kind="sample", text="Ada was born in 1815.")
    report = api.check(
        TEXT, samples=["Ada was born in 1815.", given], references=["She wrote notes."]
    )
    assert [source.id for source in report.sources] == ["s1", "s2", "r1"]


def test_wrong_options_are_refused_with_their_remedy() -> None:
    with pytest.raises(UnknownMethodError, match="did you mean 'consensus'"):
        api.check(TEXT, method="concensus")
    with pytest.raises(SettingError, match="between 0 and 1"):
        api.check(TEXT, threshold=1.5)
    with pytest.raises(SettingError, match="deadline"):
        api.check(TEXT, deadline=0)
    with pytest.raises(InputError, match="sample 1 is empty"):
        api.check(TEXT, samples=[" "])
    with pytest.raises(InputError, match="up to 200,000"):
        api.check("a" * (api.LONGEST_MESSAGE + 1))


def test_a_deadline_does_not_wait_for_a_step_that_never_ends() -> None:
    class Stuck(Scripted):
        def _judge(self) -> Iterator[Event]:
            yield FactsExtracted(facts=FACTS)
            self.gate.wait()
            yield FactJudged(index=0, score=0.1, verdict="supported")

    method = Stuck("stuck")
    registry.register(method)
    report = api.check(TEXT, method="stuck", deadline=0.5)
    method.open()
    assert [fact.verdict for fact in report.facts] == ["not_checked", "not_checked"]


@pytest.mark.parametrize("name", ["reference", "sample", "bogus"])
def test_an_option_that_does_not_exist_is_refused(name: str) -> None:
    with pytest.raises(SettingError, match=f"no option '{name}'.*references"):
        check("Ada was born in 1815.", **{name: ["Ada was born in 1815."]})  # type: ignore[arg-type]


def test_files_of_a_folder_that_cannot_be_read_are_named(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("Ada was born in 1815.")
    for number in range(7):
        (tmp_path / f"torn{number}.pdf").write_bytes(b"%PDF-1.4 torn")
    report = api.check("Ada was born in 1815.", references=[tmp_path])
    assert report.facts[0].verdict == "supported"
    left_out = [problem for problem in report.problems if "left out" in problem.what]
    assert len(left_out) == inputs.MOST_LEFT_OUT + 1
    assert "torn0.pdf" in left_out[0].why
    assert left_out[-1].why == "2 more could not be read"
