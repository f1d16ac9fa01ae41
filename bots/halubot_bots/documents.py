"""Files that people attach, each read in a process of its own with limits of time, memory and text.

Never more than two are read at once, on threads of their own: however many slow files somebody
sends, the bot's other work, which needs the usual threads, goes on.
"""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Final

from halubot.evidence import files
from halubot.text.files.protocol import Limits
from halubot.text.files.reader import AT_ONCE, DocumentReader

if TYPE_CHECKING:
    from halubot.report import Source

LIMITS: Final = Limits(
    memory=256 << 20, seconds=2.5, most_seconds=5.0, pages=1_000, characters=1 << 20
)
"""The most that one file may take; seconds are of the processor."""


class Documents:
    """Reads attached files; `close` when the bot ends."""

    def __init__(self) -> None:
        self._reader = DocumentReader(LIMITS)
        # As many threads as the reader has processes: more would only wait for these.
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="documents")

    async def read(self, data: bytes, name: str) -> Source:
        """Return a file as a reference. Raises InputError if it cannot be read or takes too much,
        MissingExtraError if its reader is not installed."""
        read = partial(files.source_of, data, name, reader=self._reader)
        return await asyncio.get_running_loop().run_in_executor(self._threads, read)

    def close(self) -> None:
        """Read nothing more; what is being read ends by its limits."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self._reader.close()
