"""What a message is compared with: samples and references, read from files, cut into passages."""

from halubot.evidence.passages import passages
from halubot.evidence.sources import (
    contents,
    load,
    load_all,
    load_chats,
    load_sample,
    load_samples,
    page_of,
    source_of,
    text_source,
)
from halubot.formats.decoding import LARGEST

__all__ = [
    "LARGEST",
    "contents",
    "load",
    "load_all",
    "load_chats",
    "load_sample",
    "load_samples",
    "page_of",
    "passages",
    "source_of",
    "text_source",
]
