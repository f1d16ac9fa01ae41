"""Sessions keep what was typed, what happened and what was decided, whoever else is at work."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from halubot.api import acheck
from halubot.errors import StateError
from halubot.events import (
    Answered,
    AnswerToken,
    Done,
    Event,
    FactJudged,
    FactsExtracted,
    Progress,
    Started,
    fold,
)
from halubot.evidence import text_source
from halubot.report import Correction, Edit, Fact, Threshold, Triple
from halubot.state import NameTakenError, recorder
from halubot.state.sessions import Sessions

STARTED = Started(
    text="", sentences=(), method="consensus", engine="0", threshold=Threshold(value=0.5)
)
FACT = Fact(index=0, triple=Triple("Ada", "was born in", "1816"), sentences=(0,), spans=((0, 20),))
LOG: tuple[Event, ...] = (
    STARTED,
    AnswerToken(text="Ada was "),
    Progress(what="drawing samples", done=1, of=20),
    AnswerToken(text="born in 1816."),
    Answered(text="Ada was born in 1816.", sentences=((0, 21),)),
    FactsExtracted(facts=(FACT,)),
    FactJudged(index=0, score=0.9, verdict="doubtful", basis=("samples",)),
    Done(seconds=1.5),
)

WRITER = """
import sys
from pathlib import Path
from halubot.events import AnswerToken, Started
from halubot.report import Threshold
from halubot.state.sessions import Sessions
sessions = Sessions.open(Path(sys.argv[1]))
session = int(sys.argv[2])
message = sessions.append(session, "message", {"text": "When?"}, words="When?")
recording = sessions.begin(session, message, {"method": "consensus"})
print(recording.run, flush=True)
recording.hear(Started(
    text="", sentences=(), method="consensus", engine="0", threshold=Threshold(value=0.5)
))
for number in range(int(sys.argv[3])):
    recording.hear(AnswerToken(text=f"{number} "))
    recording.flush()
    print(number, flush=True)
sessions.close()
"""


@pytest.fixture
def sessions(tmp_path: Path) -> Iterator[Sessions]:
    with Sessions.open(tmp_path) as opened:
        yield opened


def record(sessions: Sessions, session: int, log: tuple[Event, ...]) -> int:
    """Saves a log as a run of a new message; its run."""
    message = sessions.append(session, "message", {"text": "When was Ada born?"})
    kept = sessions.begin(session, message, {"method": "consensus"})
    for event in log:
        kept.hear(event)
    kept.flush()
    return kept.run


def test_a_session_is_found_again_with_all_that_was_put_in(tmp_path: Path) -> None:
    sample = text_source("Ada was born in 1815.", "sample", 1)
    edit = Edit(
        sentence=0, start=16, end=20, before="1816", after="1815", facts=(0,), action="changed"
    )
    with Sessions.open(tmp_path) as sessions:
        session = sessions.new("Ada")
        data = {"text": "Ada was born in 1816.", "samples": [sample], "file": tmp_path / "a.md"}
        message = sessions.append(session.id, "message", data, words="Ada was born in 1816.")
        run = sessions.begin(session.id, message, {"method": "consensus"}).run
        correction = Correction(text="Ada was born in 1815.", edits=(edit,))
        proposed = sessions.append(session.id, "correction", {"is": correction}, about=run)
        sessions.append(session.id, "edit", {"accepted": [0], "rejected": []}, about=proposed)
    with Sessions.open(tmp_path) as sessions:
        (found,) = sessions.all()
        assert (found.id, found.name, found.messages) == (session.id, "Ada", 1)
        assert found.opening == "Ada was born in 1816."
        assert found.created <= found.changed
        entries = sessions.entries(found.id)
    assert [entry.kind for entry in entries] == ["message", "run", "correction", "edit"]
    assert [entry.about for entry in entries] == [None, message, run, proposed]
    assert entries[0].data["samples"] == [sample.model_dump(by_alias=True)]
    assert entries[0].data["file"] == str(tmp_path / "a.md")
    assert Correction.model_validate(entries[2].data["is"]) == correction
    assert entries[3].data == {"accepted": [0], "rejected": []}


@pytest.mark.parametrize("length", range(1, len(LOG)))
def test_a_run_that_was_cut_off_has_the_report_of_what_was_known(
    sessions: Sessions, length: int
) -> None:
    run = record(sessions, sessions.new().id, LOG[:length])
    assert sessions.report(run) == fold(LOG[:length])
    assert not any(entry.done for entry in sessions.entries(1))


def test_pieces_of_an_answer_are_saved_as_few_and_progress_is_not(sessions: Sessions) -> None:
    kinds = [event.kind for event in recorder.join_pieces(LOG)]
    assert kinds.count("answer_token") == 1
    assert "progress" not in kinds
    tokens = [AnswerToken(text=str(number)) for number in range(1000)]
    run = record(sessions, sessions.new().id, (STARTED, *tokens))
    assert len(sessions.events(run)) < 20
    report = sessions.report(run)
    assert report is not None
    assert report.text == "".join(map(str, range(1000)))


def test_a_real_check_is_saved_while_it_runs(sessions: Sessions) -> None:
    text = "Ada was born in 1816."
    session = sessions.new()
    message = sessions.append(session.id, "message", {"text": text}, words=text)
    kept = sessions.begin(session.id, message, {"method": "consensus"})
    report = asyncio.run(acheck(text, references=["Ada was born in 1815."], watch=kept.hear))
    kept.flush()
    assert sessions.report(kept.run) == report


def test_outlines_have_all_but_evidence_and_the_texts_of_sources(sessions: Sessions) -> None:
    session = sessions.new()
    message = sessions.append(session.id, "message", {})
    kept = sessions.begin(session.id, message, {})
    text, reference = "Ada was born in 1816.", "Ada was born in 1815."
    report = asyncio.run(acheck(text, references=[reference], watch=kept.hear))
    cut_off = record(sessions, session.id, LOG[:3])
    outline = sessions.outline(kept.run)
    assert outline is not None
    assert sessions.outline(cut_off) is None
    assert [source.text for source in outline.sources] == [None]
    assert [fact.evidence for fact in outline.facts] == [()]
    assert outline.facts[0].verdict == report.facts[0].verdict == "contradicted"
    whole = {"facts": report.facts, "sources": report.sources}
    assert outline.model_copy(update=whole) == report


def test_a_session_that_several_open_at_one_moment_is_begun_once(tmp_path: Path) -> None:
    at_once, found = threading.Barrier(4), set()

    def open_it() -> None:
        with Sessions.open(tmp_path) as own:
            at_once.wait()
            found.add(own.open_named("Ada").id)

    threads = [threading.Thread(target=open_it) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
    with Sessions.open(tmp_path) as sessions:
        assert [one.id for one in sessions.all()] == [*found]


def test_names_are_ones_own_and_told_apart(sessions: Sessions) -> None:
    ada = sessions.new(" Ada\n Lovelace ")
    assert ada.name == "Ada Lovelace"
    assert sessions.find_named("Ada Lovelace") == ada
    with pytest.raises(NameTakenError, match="'Ada Lovelace' already: choose another"):
        sessions.new("Ada Lovelace")
    other, third = sessions.new(), sessions.new()
    assert other.name == third.name == ""
    assert sessions.find_named("") is None
    with pytest.raises(NameTakenError):
        sessions.rename(other.id, "Ada Lovelace")
    sessions.rename(ada.id, "Countess")
    sessions.rename(other.id, "Ada Lovelace")
    assert sessions.get(ada.id).name == "Countess"


def test_the_latest_changed_comes_first(sessions: Sessions) -> None:
    first, second = sessions.new("first"), sessions.new("second")
    assert [one.id for one in sessions.all()] == [second.id, first.id]
    sessions.append(first.id, "note", {})
    assert [one.id for one in sessions.all()] == [first.id, second.id]


def test_search_finds_all_words_in_names_entries_and_answers(sessions: Sessions) -> None:
    ada, other = sessions.new("Countess"), sessions.new("Weather")
    record(sessions, ada.id, LOG)
    sessions.append(other.id, "message", {}, words="Straße 100%_")
    assert sessions.search("countess BORN") == (sessions.get(ada.id),)
    assert sessions.search("STRASSE") == (sessions.get(other.id),)
    assert sessions.search("%_") == (sessions.get(other.id),)
    assert sessions.search("countess weather") == ()
    assert len(sessions.search("  ")) == 2


def test_a_draft_is_kept_until_it_is_sent(sessions: Sessions) -> None:
    session = sessions.new()
    assert sessions.draft(session.id) == ""
    sessions.keep_draft(session.id, "When was")
    sessions.append(session.id, "note", {"about": "something else"})
    assert sessions.draft(session.id) == "When was"
    sessions.append(session.id, "message", {"text": "When was Ada born?"})
    assert sessions.draft(session.id) == ""


def test_what_is_deleted_is_gone_with_all_traces(tmp_path: Path) -> None:
    with Sessions.open(tmp_path) as sessions:
        session = sessions.new("secret plans")
        run = record(sessions, session.id, LOG)
        sessions.delete(session.id)
        assert sessions.all() == ()
        assert sessions.report(run) is None
        for file in tmp_path.iterdir():
            assert b"1816" not in file.read_bytes()
            assert b"secret" not in file.read_bytes()


@pytest.mark.skipif(os.name == "nt", reason="kills as POSIX does")
def test_a_kill_loses_nothing_that_was_told_to_be_saved(tmp_path: Path) -> None:
    with Sessions.open(tmp_path) as sessions:
        session = sessions.new("killed")
    command = [sys.executable, "-c", WRITER, str(tmp_path), str(session.id), "100000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
        assert writer.stdout is not None
        run, told = int(writer.stdout.readline()), -1
        while told < 10:
            told = int(writer.stdout.readline())
        writer.send_signal(signal.SIGKILL)
    with Sessions.open(tmp_path) as sessions:
        report = sessions.report(run)
        assert report is not None
        assert report.text.startswith("".join(f"{number} " for number in range(told + 1)))
        assert sessions.entries(session.id)[0].data == {"text": "When?"}


def test_hearing_waits_for_no_disk_and_what_could_not_be_saved_is_saved_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    warned: list[StateError] = []
    real, free = recorder.write, threading.Event()

    def write(*args: object) -> None:
        if not free.is_set():
            raise StateError("the disk is full: free some space")
        real(*args)  # type: ignore[arg-type]

    monkeypatch.setattr(recorder, "write", write)
    with Sessions.open(tmp_path, warn=warned.append) as sessions:
        session = sessions.new()
        message = sessions.append(session.id, "message", {})
        kept = sessions.begin(session.id, message, {})
        for event in LOG[:4]:
            kept.hear(event)
        for _ in range(2):
            with pytest.raises(StateError, match="disk is full"):
                kept.flush()
        free.set()
        for event in LOG[4:]:
            kept.hear(event)
        kept.flush()
        assert sessions.report(kept.run) == fold(LOG)
    assert [str(error) for error in warned] == ["the disk is full: free some space"]


def test_events_that_cannot_be_read_are_told_and_the_rest_is_there(sessions: Sessions) -> None:
    session = sessions.new()
    run, other = record(sessions, session.id, LOG[:-1]), record(sessions, session.id, LOG)
    with sessions._base.change() as changing:
        changing.execute('UPDATE event SET data = \'{"kind": "dream"}\' WHERE place = 1')
        changing.execute("UPDATE event SET data = '{' WHERE run = ? AND place = 1", (run,))
    with pytest.raises(StateError, match=f"events of run {run} .*cannot be read"):
        sessions.report(run)
    assert sessions.report(other) == fold(LOG)
    assert len(sessions.entries(session.id)) == 4
