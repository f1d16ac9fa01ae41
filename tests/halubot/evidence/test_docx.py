"""References and messages in DOCX."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from halubot.errors import (
    DocumentLimitError,
    MissingExtraError,
    UnreadableError,
)
from halubot.evidence.files import load
from halubot.text.files import docx, reader

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PACKAGE = "http://schemas.openxmlformats.org/package/2006/relationships"
DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"


def paragraph(text: str, style: str = "") -> str:
    kind = f'<w:pPr><w:pStyle w:val="{style}"/></w:pPr>' if style else ""
    return f'<w:p>{kind}<w:r><w:t xml:space="preserve">{text}</w:t></w:r></w:p>'


def table(*rows: tuple[str, ...]) -> str:
    cells = ("".join(f"<w:tc>{paragraph(cell)}</w:tc>" for cell in row) for row in rows)
    return f"<w:tbl>{''.join(f'<w:tr>{row}</w:tr>' for row in cells)}</w:tbl>"


def document(body: str) -> bytes:
    """The smallest DOCX with that body."""
    parts = {
        "_rels/.rels": f'<Relationships xmlns="{PACKAGE}"><Relationship Id="r1" Type="{DOCUMENT}"'
        ' Target="word/document.xml"/></Relationships>',
        "word/document.xml": f'<w:document xmlns:w="{WORD}"><w:body>{body}</w:body></w:document>',
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as file:
        for name, text in parts.items():
            file.writestr(name, f'<?xml version="1.0" encoding="UTF-8"?>{text}')
    return buffer.getvalue()


BRIDGE = document(
    paragraph("The Kellan Bridge", "Heading1")
    + paragraph("It was opened in 1931 &amp; links Osby to Varn.")
    + f"<w:p><w:ins>{'<w:r><w:t>Trams</w:t></w:r>'}</w:ins><w:del><w:r><w:delText>Ships"
    "</w:delText></w:r></w:del><w:r><w:t> cross it.</w:t></w:r></w:p>"
    + table(("arch", "212 metres"), ("road", "38 metres"))
)


def test_blocks_tables_and_the_title(tmp_path: Path) -> None:
    path = tmp_path / "a.docx"
    path.write_bytes(BRIDGE)
    source = load(path)
    assert source.text == (
        "The Kellan Bridge\n\nIt was opened in 1931 & links Osby to Varn.\n\nTrams cross it.\n\n"
        "arch | 212 metres\n\nroad | 38 metres"
    )
    assert (source.title, source.location) == ("The Kellan Bridge", str(path))


@pytest.mark.parametrize("part", ["word/document.xml", "word/_rels/document.xml.rels"])
def test_one_that_unpacks_to_too_much_is_refused(tmp_path: Path, part: str) -> None:
    buffer = io.BytesIO(BRIDGE)
    with zipfile.ZipFile(buffer, "a", zipfile.ZIP_DEFLATED) as file:
        file.writestr(f"more/{part}", b" " * (docx.LARGEST + 1))
    (tmp_path / "a.docx").write_bytes(buffer.getvalue())
    with pytest.raises(DocumentLimitError, match="larger than 32 MiB once unpacked"):
        load(tmp_path / "a.docx")


@pytest.mark.parametrize("part", ["WordDocument", "EncryptedPackage"])
@pytest.mark.parametrize("name", ["a.doc", "a.docx"])
def test_old_and_encrypted_documents_are_told_what_to_do(
    tmp_path: Path, name: str, part: str
) -> None:
    data = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(64) + part.encode("utf-16-le")
    (tmp_path / name).write_bytes(data)
    with pytest.raises(UnreadableError, match="save it as a DOCX with no password"):
        load(tmp_path / name)


@pytest.fixture
def no_mammoth(
    tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Let the process that reads documents find no mammoth."""
    place = tmp_path_factory.mktemp("modules")
    (place / "mammoth.py").write_text("raise ImportError")
    monkeypatch.syspath_prepend(place)
    own = reader.DocumentReader()
    monkeypatch.setattr(reader, "_reader", own)
    yield
    own.close()


@pytest.mark.usefixtures("no_mammoth")
def test_without_its_reader_the_extra_is_named(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(BRIDGE)
    with pytest.raises(
        MissingExtraError, match=r"a\.docx, a DOCX file, needs an extra: .*\[docx\]"
    ):
        load(tmp_path / "a.docx")
