"""The material that a message is compared with: samples and references, read from files, cut into
passages."""

from halubot.evidence.retrieval import passages
from halubot.evidence.sources import (
    chats_of,
    contents,
    load,
    load_all,
    load_chats,
    load_sample,
    load_samples,
    page_of,
    samples_of,
    source_of,
    text_source,
)
from halubot.text.files.encodings import LARGEST

__all__ = [
    "LARGEST",
    "chats_of",
    "contents",
    "load",
    "load_all",
    "load_chats",
    "load_sample",
    "load_samples",
    "page_of",
    "passages",
    "samples_of",
    "source_of",
    "text_source",
]
