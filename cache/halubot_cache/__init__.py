"""The store of samples and other completions.

request = Request.of(endpoint=..., model=..., messages=[...], parameters={...})
with Store.open(folder) as store:
    have = store.take(request, 20)              # 12 of them
    for index in range(len(have), 20):          # draw 8
        store.put(request, index, {"text": ...})
"""

from halubot_cache.database import examine
from halubot_cache.disk import Stats
from halubot_cache.errors import (
    FolderError,
    NewerStoreError,
    Problem,
    RecordError,
    StoreError,
    UnavailableError,
    UnstorableError,
)
from halubot_cache.folder import find_asides
from halubot_cache.request import Request
from halubot_cache.store import Store

__all__ = [
    "FolderError",
    "NewerStoreError",
    "Problem",
    "RecordError",
    "Request",
    "Stats",
    "Store",
    "StoreError",
    "UnavailableError",
    "UnstorableError",
    "examine",
    "find_asides",
]
