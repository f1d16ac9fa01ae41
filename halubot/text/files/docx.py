"""The text of a DOCX, as word processors write them."""

from __future__ import annotations

import io
import os
import zipfile
from typing import Final

from halubot.errors import DocumentLimitError, MissingExtraError, UnreadableError
from halubot.text.files import webpage
from halubot.text.files.protocol import Content

LARGEST: Final = 32 * 1024 * 1024
"""The most bytes of its text parts once unpacked: a small file may hold very much."""

_READ: Final = (".xml", ".rels")


def extract(data: bytes, path: str | os.PathLike[str]) -> Content:
    """Return the content of a DOCX: blocks parted by blank lines,
    table cells by `` | ``, footnotes at the end; changes that are only proposed count as made.
    Headers, footers, comments and pictures are left out. The title is the first main heading.

    Raises UnreadableError if it is broken or too large, MissingExtraError if its reader is
    not installed.
    """
    try:
        import mammoth
    except ImportError as error:
        raise MissingExtraError(f"{os.fspath(path)}, a DOCX file,", "docx") from error
    no_pictures = mammoth.images.img_element(lambda _: {})
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as parts:
            read = (part for part in parts.infolist() if part.filename.endswith(_READ))
            size = sum(part.file_size for part in read)
        if size <= LARGEST:
            page = mammoth.convert_to_html(io.BytesIO(data), convert_image=no_pictures).value
            return webpage.extract(page)
    except MemoryError:
        raise
    except Exception as error:  # its reader lets errors of many kinds through
        raise UnreadableError(path, "the DOCX is broken") from error
    why = f"its text is larger than {LARGEST >> 20} MiB once unpacked"
    raise DocumentLimitError(path, why)
