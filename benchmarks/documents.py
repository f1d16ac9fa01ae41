"""Reading hostile documents, and a folder of 300: seconds, and the memory of all processes.

    python -m benchmarks.documents [--folder-only]

Each hostile file is built in a temporary folder and read in a process of its own, as
`halubot check --reference FILE` reads it. Memory is the largest resident size of that process and
of its children together.
"""

from __future__ import annotations

import argparse
import io
import os
import subprocess
import sys
import tempfile
import threading
import time
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path
from typing import Final

WORD: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006/relationships"
DOCUMENT: Final = (
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
)
GIVE_UP_SECONDS: Final = 120
_READ: Final = """
import sys
from halubot.evidence import files
from halubot.errors import HalubotError
try:
    found = files.load_all(sys.argv[1])
    print(len(found), "read,", sum(len(one.text or "") for one in found), "characters")
except HalubotError as error:
    print("refused:", str(error).replace(sys.argv[1], "it"))
"""


def docx(body: str, relations: str = "") -> bytes:
    """A DOCX with that body, and more entries in its list of relationships."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        file.writestr(
            "_rels/.rels",
            f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r1" Type="{DOCUMENT}"'
            f' Target="word/document.xml"/>{relations}</Relationships>',
        )
        file.writestr(
            "word/document.xml",
            f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
        )
    return buffer.getvalue()


def paragraphs(count: int) -> bytes:
    """A DOCX of so many short paragraphs."""
    return docx("<w:p><w:r><w:t>x</w:t></w:r></w:p>" * count)


def relations(count: int) -> bytes:
    """A DOCX of one paragraph and so many relationships."""
    one = '<Relationship Id="a" Type="b" Target="c"/>'
    return docx("<w:p><w:r><w:t>Ada wrote.</w:t></w:r></w:p>", one * count)


def pdf(pages: int, content: bytes) -> bytes:
    """A PDF whose pages are as many references to one page with that content."""
    packed = zlib.compress(content, 9)
    kids = b" ".join([b"3 0 R"] * pages)
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (pages, kids),
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 300]/Contents 4 0 R"
        b"/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d/Filter/FlateDecode>>stream\n%s\nendstream" % (len(packed), packed),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]
    out = bytearray(b"%PDF-1.4\n")
    places = []
    for number, one in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj%s\nendobj\n" % (number, one)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        out += b"%010d 00000 n \n" % place
    out += b"trailer<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (
        len(objects) + 1,
        start,
    )
    return bytes(out)


def shown(lines: int) -> bytes:
    """The content of a page of so many lines."""
    line = b"(Ada Lovelace wrote the first program in 1843.) Tj 0 -1 Td "
    return b"BT /F1 1 Tf 20 250 Td " + line * lines + b"ET"


HOSTILE: Final[dict[str, Callable[[], bytes]]] = {
    "paragraphs.docx": lambda: paragraphs(800_000),
    "relations.docx": lambda: relations(800_000),
    "shared-pages.pdf": lambda: pdf(2_000, shown(2_000)),
    "unpacked.pdf": lambda: pdf(1, b"BT " + b" " * 400_000_000 + b" ET"),
    "deep.html": lambda: b"<html><body>" + b"<div>" * 1_000_000 + b"x",
    "cells.html": lambda: b"<html><table>" + b"<tr><td><p>1</p></td></tr>" * 800_000,
    "attributes.html": lambda: (
        b"<html><p " + b" ".join(b"a%d=1" % n for n in range(200_000)) + b">x"
    ),
}


def measured(path: Path) -> tuple[float, float, str]:
    """The seconds of reading it, the megabytes of all processes at the most, and what came."""
    started = time.perf_counter()
    with subprocess.Popen(  # noqa: S603 - this very interpreter
        [sys.executable, "-c", _READ, str(path)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ) as process:
        most = [0]
        ended = threading.Event()

        def watch() -> None:
            while not ended.wait(0.02):
                most[0] = max(most[0], sum(map(_resident, _family(process.pid))))

        watcher = threading.Thread(target=watch)
        watcher.start()
        try:
            said = process.communicate(timeout=GIVE_UP_SECONDS)[0].decode()
        except subprocess.TimeoutExpired:
            process.kill()
            said = "killed by this script"
        seconds = time.perf_counter() - started
        ended.set()
        watcher.join()
    return seconds, most[0] / 1024, " ".join(said.split())[-150:]


def _family(pid: int) -> list[int]:
    """A process and all below it."""
    found = [pid]
    for parent in found:
        try:
            for task in os.listdir(f"/proc/{parent}/task"):
                children = Path(f"/proc/{parent}/task/{task}/children").read_text()
                found += map(int, children.split())
        except OSError:
            continue
    return found


def _resident(pid: int) -> int:
    """The resident size of a process, in kilobytes."""
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) for line in lines if line.startswith("VmRSS")), 0)


def folder(where: Path) -> Path:
    """300 documents as people have them: 100 each of HTML, PDF and DOCX."""
    where.mkdir()
    words = "Ada Lovelace wrote the first program in 1843, and it was printed. " * 4
    for number in range(100):
        blocks = "".join(f"<h2>Part {n}</h2><p>{words}</p>" for n in range(20))
        (where / f"{number}.html").write_text(f"<html><title>{number}</title><body>{blocks}")
        (where / f"{number}.pdf").write_bytes(pdf(3, shown(40)))
        body = f"<w:p><w:r><w:t>{words}</w:t></w:r></w:p>" * 40
        (where / f"{number}.docx").write_bytes(docx(body))
    return where


def main() -> None:
    """Measure, and print a line for each."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--folder-only", action="store_true")
    only = parser.parse_args().folder_only
    with tempfile.TemporaryDirectory() as place:
        ordinary = folder(Path(place, "folder"))
        one = Path(place, "folder", "0.html")
        for path, name in ((one, "one page"), *((ordinary, "300 documents"),) * 3):
            print(f"{name:18}", "{:6.2f} s {:7.0f} MB  {}".format(*measured(path)), flush=True)
        for name, make in {} if only else HOSTILE.items():
            path = Path(place, name)
            path.write_bytes(make())
            size = path.stat().st_size
            figures = "{:6.2f} s {:7.0f} MB  {}".format(*measured(path))
            print(f"{name:18} {size:10,} bytes", figures, flush=True)
            path.unlink()


if __name__ == "__main__":
    main()
