"""The store of samples and other completions.

request = Request.of(endpoint=..., model=..., messages=[...], parameters={...})
with Store.open(folder) as store:
    for index in range(20):
        if store.get(request, index) is None:
            store.put(request, index, {"text": ...})
    store.record(path, [(request, 0)])

record = Record(path)
record.get(request, 0)
"""

from halubot_cache.database import examine
from halubot_cache.disk import Stats
from halubot_cache.errors import (
    Problem,
    RecordError,
    StoreError,
    UnstorableError,
)
from halubot_cache.folder import find_asides
from halubot_cache.record import Record
from halubot_cache.request import Request
from halubot_cache.store import Store

__all__ = [
    "Problem",
    "Record",
    "RecordError",
    "Request",
    "Stats",
    "Store",
    "StoreError",
    "UnstorableError",
    "examine",
    "find_asides",
]
