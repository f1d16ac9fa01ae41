"""Documents that are built for tests: ordinary ones, and such as take much to read."""

from __future__ import annotations

import io
import zipfile
import zlib
from typing import Final

WORD: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006/relationships"
DOCUMENT: Final = (
    "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
)


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
