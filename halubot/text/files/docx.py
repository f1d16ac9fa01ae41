"""The text of a DOCX, as word processors write them."""

from __future__ import annotations

import io
import zipfile
from typing import Any, Final

import mammoth
from selectolax.lexbor import SelectolaxError

from halubot.errors import DocumentLimitError, UnreadableError
from halubot.text.files import Content, webpage

LARGEST: Final = 32 * 1024 * 1024
"""The most bytes of its text parts once unpacked: a small file may hold very much."""

_READ: Final = (".xml", ".rels")


def read(data: bytes, request: dict[str, Any]) -> Content:
    """Return the content of a DOCX: blocks parted by blank lines,
    table cells by `` | ``, footnotes at the end; changes that are only proposed count as made.
    Headers, footers, comments and pictures are left out. The title is the first main heading.

    Raises UnreadableError if it is broken or too large.
    """
    no_pictures = mammoth.images.img_element(lambda _: {})
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            text_parts = (part for part in parts.infolist() if part.filename.endswith(_READ))
            size = sum(part.file_size for part in text_parts)
        if size <= LARGEST:
            page = mammoth.convert_to_html(io.BytesIO(data), convert_image=no_pictures).value
            return webpage.extract(page)
    except (MemoryError, SelectolaxError):  # the latter is of the page: it lacked memory
        raise
    except Exception as error:  # its reader lets errors of many kinds through
        raise UnreadableError("it", "the DOCX is broken") from error
    why = f"its text is larger than {LARGEST >> 20} MiB once unpacked"
    raise DocumentLimitError("it", why)
