"""Checks in processes of their own, which are killed at the deadline.

    pool           the processes: one check at a time each, replaced if one hangs or ends
    process        what runs in such a process
    remote_models  models there: each call is made by the process that started it

A check of a text of a stranger may take long in one step of a library in C, and no thread of the
same process goes on meanwhile. The process that checks calls no model and opens no store.
"""

from halubot.workers.pool import WorkerGoneError, Workers

__all__ = ["WorkerGoneError", "Workers"]
