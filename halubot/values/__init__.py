"""Exact values of a text: numbers, dates, times, money, measures and names, compared in code.

>>> old, new = find("It cost 5 euros, now it costs €7.")
>>> old.kind, old.span, differ(old, new)
('money', (8, 15), True)
"""

from __future__ import annotations

from halubot.values.comparison import Value, differ, same
from halubot.values.names import same_name
from halubot.values.reader import find

__all__ = ["Value", "differ", "find", "same", "same_name"]
