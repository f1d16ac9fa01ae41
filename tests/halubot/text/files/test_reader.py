"""Documents made to harm are refused within limits, and the next one is read."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from halubot.concurrency import Deadline, working_until
from halubot.errors import DocumentLimitError, UnreadableError
from halubot.evidence.files import load, load_all
from halubot.text.files import Limits
from halubot.text.files.reader import DocumentReader, is_memory_limited
from tests import documents

PAGE = b"<html><title>Ada</title><p>She wrote in 1843.</p><h2>Later</h2></html>"

limited = pytest.mark.skipif(
    not is_memory_limited(), reason="the platform enforces no limit of memory"
)


@contextmanager
def within(seconds: float) -> Iterator[DocumentReader]:
    one = DocumentReader(Limits(seconds=seconds, most_seconds=seconds, memory=200 << 20))
    yield one
    one.close()


@pytest.fixture
def reader() -> Iterator[DocumentReader]:
    with within(0.5) as one:
        yield one


CALM = 20.0
"""Seconds enough to load the libraries on a slow machine."""


@pytest.fixture(scope="module")
def calm_reader() -> Iterator[DocumentReader]:
    """For what leaves its process as it is: it is started once."""
    with within(CALM) as one:
        yield one


@pytest.fixture
def new_reader() -> Iterator[DocumentReader]:
    """One that has started no process yet."""
    with within(CALM) as one:
        yield one


def pids(reader: DocumentReader) -> list[int]:
    return [process.pid for process in reader._idle]


def still_reads(reader: DocumentReader) -> bool:
    return reader.read(PAGE, "html", "a.html").text == "She wrote in 1843.\n\nLater"


def test_one_process_reads_many(calm_reader: DocumentReader) -> None:
    reader = calm_reader
    found = reader.read(PAGE, "html", "a.html")
    assert (found.title, found.headings) == ("Ada", frozenset({"Later"}))
    first = pids(reader)
    assert reader.read(documents.pdf(2, documents.shown(1)), "pdf", "a.pdf").text.count("Ada") == 2
    assert still_reads(reader)
    assert pids(reader) == first
    assert len(first) == 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("format", "made"),
    [
        ("pdf", lambda: documents.pdf(2_000, documents.shown(2_000))),
        ("docx", lambda: documents.paragraphs(200_000)),
        ("html", lambda: b"<html><body>" + b"<div>" * 300_000 + b"x"),
        ("html", lambda: b"<html><p " + b" ".join(b"a%d=1" % n for n in range(60_000)) + b">x"),
    ],
    ids=["pages that share one", "many paragraphs", "deep", "attributes"],
)
def test_what_takes_long_is_refused(
    reader: DocumentReader, format: Any, made: Callable[[], bytes]
) -> None:
    data = made()
    assert still_reads(reader)
    before = pids(reader)
    started = time.process_time()
    with pytest.raises(DocumentLimitError, match=r"cannot read a: reading it takes more than 0\.5"):
        reader.read(data, format, "a")
    assert time.process_time() - started < 1  # the processor's seconds were another process's
    assert still_reads(reader)
    assert pids(reader) != before


@pytest.mark.slow
@limited
def test_what_takes_much_memory_is_refused() -> None:
    reader = DocumentReader(Limits(memory=200 << 20))
    cells = b"<html><table>" + b"<tr><td><p>1</p></td></tr>" * 200_000
    with pytest.raises(DocumentLimitError, match="200 MiB of memory"):
        reader.read(cells, "html", "a.html")
    assert still_reads(reader)
    reader.close()


@pytest.mark.slow
def test_no_document_is_read_beyond_a_deadline(reader: DocumentReader) -> None:
    assert still_reads(reader)
    endless = b"<html><body>" + b"<div>" * 300_000 + b"x"
    patient = DocumentReader(Limits(seconds=1000, most_seconds=1000))
    for seconds in (1e-9, 1.0):
        with (
            working_until(Deadline(seconds)),
            pytest.raises(DocumentLimitError, match="the deadline passed before it was read"),
        ):
            patient.read(endless, "html", "a.html")
    assert still_reads(patient)
    patient.close()


def test_pages_and_characters_are_limited() -> None:
    reader = DocumentReader(Limits(pages=3, characters=1_000))
    with pytest.raises(DocumentLimitError, match="more than 3 pages; give a part"):
        reader.read(documents.pdf(4, documents.shown(1)), "pdf", "a.pdf")
    with pytest.raises(DocumentLimitError, match="more than 1,000 characters of text"):
        reader.read(b"<p>" + b"word " * 300, "html", "a.html")
    assert still_reads(reader)
    reader.close()


@pytest.mark.parametrize(
    ("format", "data"),
    [("pdf", b"%PDF-1.7"), ("docx", b"PK\x03\x04"), ("html", bytes(range(256)))],
)
def test_a_broken_one_costs_no_process(
    calm_reader: DocumentReader, format: Any, data: bytes
) -> None:
    reader = calm_reader
    assert still_reads(reader)
    before = pids(reader)
    with pytest.raises(UnreadableError) as refused:
        reader.read(data, format, "a")
    assert not isinstance(refused.value, DocumentLimitError)
    assert pids(reader) == before


@pytest.mark.skipif(not Path("/proc/self/environ").exists(), reason="no /proc to look into")
def test_it_has_no_keys(new_reader: DocumentReader, monkeypatch: pytest.MonkeyPatch) -> None:
    reader = new_reader
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    assert still_reads(reader)
    assert b"sk-secret" not in Path(f"/proc/{pids(reader)[0]}/environ").read_bytes()


def test_a_module_in_the_working_folder_is_not_run(
    new_reader: DocumentReader, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "selectolax.py").write_text("raise SystemExit(7)")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", *sys.path])
    assert still_reads(new_reader)


def test_it_refuses_what_no_reader_needs() -> None:
    # What a hostile document might bring a library to do.
    work = """
import socket, subprocess, sys
from halubot.text.files import worker
sys.addaudithook(worker._refuse)
def tried(call, *args):
    try: call(*args)
    except PermissionError: print("refused")
tried(socket.create_connection, ("127.0.0.1", 9))
tried(subprocess.run, ["true"])
tried(open, sys.argv[1], "w")
"""
    command = [sys.executable, "-c", work, os.devnull]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.stdout.split() == ["refused"] * 3, done.stderr


@pytest.mark.skipif(os.name == "nt", reason="no such signals")
def test_ctrl_c_ends_it_at_once(tmp_path: Path) -> None:
    path = tmp_path / "a.pdf"
    path.write_bytes(documents.pdf(2_000, documents.shown(2_000)) + b"%" * (2 << 20) + b"%%EOF")
    work = (
        "import sys; from halubot.evidence import files; print('on', flush=True);"
        "files.load(sys.argv[1])"
    )
    with subprocess.Popen(
        [sys.executable, "-c", work, str(path)],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        start_new_session=True,
    ) as process:
        assert process.stdout is not None
        process.stdout.readline()
        children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
        until = time.monotonic() + 60
        while children.exists() and not children.read_text() and time.monotonic() < until:
            pass
        os.killpg(process.pid, signal.SIGINT)
        started = time.monotonic()
        process.wait(60)
        assert time.monotonic() - started < 30  # of a minute that the document would take
        # Its pipe ends once the reader of documents has ended too.
        assert process.stdout.read() == b""


def test_a_folder_with_a_hostile_file_gives_the_others(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_bytes(PAGE)
    (tmp_path / "b.docx").write_bytes(documents.relations(800_000))
    (tmp_path / "c.html").write_bytes(PAGE)
    left_out: list[Any] = []
    assert [source.title for source in load_all(tmp_path, left_out=left_out)] == ["Ada", "Ada"]
    assert "32 MiB once unpacked" in str(left_out[0])
    with pytest.raises(DocumentLimitError):
        load(tmp_path / "b.docx")
