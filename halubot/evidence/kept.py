"""What servers answered, kept on disk for a time: results of searches, pages, records of works."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from typing import Any

from platformdirs import user_cache_path

from halubot_cache import Request, Store, StoreError


class KeptAnswers:
    """Answers by what was asked, each for the time ``age``; a disk that fails only costs answers.
    They lie in ``folder``, by default in one of that ``name`` in the platform's folder for caches.
    It may be used from any thread."""

    def __init__(self, name: str, age: timedelta, folder: Path | None = None) -> None:
        self._name = name
        self._age = age
        self._folder = folder or user_cache_path("halubot", appauthor=False) / name
        self._opening = threading.Lock()
        self._store: Store | None = None
        self._closed = False
        self.trouble: str | None = None
        """Why nothing can be kept; None if it can."""

    def get(self, address: str, asked: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return what this address answered to this, if it is kept and not too old."""
        store = self._open()
        if store is None:
            return None
        with suppress(StoreError):
            match store.get(_request(address, asked), 0):
                case {"at": float(at), "answer": dict(answer)}:
                    if 0 <= time.time() - at < self._age.total_seconds():
                        return answer
        return None

    def put(self, address: str, asked: Mapping[str, Any], answer: Mapping[str, Any]) -> None:
        store = self._open()
        if store is not None:
            with suppress(StoreError):
                store.put(_request(address, asked), 0, {"at": time.time(), "answer": dict(answer)})

    def close(self) -> None:
        """Close the store; a second time does nothing."""
        with self._opening:
            if self._store is not None:
                self._store.close()
            self._store, self._closed = None, True

    def _open(self) -> Store | None:
        with self._opening:
            if self._store is None and not self._closed and self.trouble is None:
                try:
                    self._store = Store.open(self._folder, namespace=self._name)
                    self._store.clear(older_than=self._age)
                except (StoreError, OSError) as error:
                    self.trouble = str(error)
            return self._store


def _request(address: str, asked: Mapping[str, Any]) -> Request:
    # The address among what was asked too: the store's own form of an endpoint leaves parts out.
    whole = {"address": address, **asked}
    return Request.of(endpoint=address, model="", messages=[whole], parameters=None)
