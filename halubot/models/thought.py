"""What a model thinks before it answers, taken out of its answer.

Servers that know a model keep its thought apart (``reasoning_content``, which is never read).
Others send it on: between ``<think>`` and ``</think>``, where a chat template may have begun it so
that only the end comes, or in the channels of the harmony format. No expressions: they take
17 s for 160 kB of "<think>" that never end.
"""

from __future__ import annotations

from typing import Final

BEGIN: Final = "<think>"
END: Final = "</think>"
_FINAL: Final = "<|channel|>final<|message|>"
_CHANNEL: Final = "<|channel|>"
_ENDS: Final = ("<|end|>", "<|return|>", "<|call|>", "<|start|>")


def without_thought(text: str) -> str:
    """Return an answer without its thought, and without the blanks around that. Of a thought that
    does not end nothing is left; a "<think>" amid an answer that does not end is part of it."""
    if _CHANNEL in text:
        return _final(text)
    begin, end = text.find(BEGIN), text.find(END)
    if end >= 0 and not 0 <= begin < end:
        return text[end + len(END) :].lstrip()
    if begin < 0:
        return text
    end = text.find(END, begin)
    if end >= 0:
        return text[:begin].rstrip() + text[end + len(END) :].lstrip()
    return text if text[:begin].strip() else ""


def _final(text: str) -> str:
    """The final message of the harmony format; "" if none has begun."""
    _, found, message = text.rpartition(_FINAL)
    if not found:
        return ""
    ends = [at for at in map(message.find, _ENDS) if at >= 0]
    return message[: min(ends, default=len(message))].strip()


class ThoughtFilter:
    """Lets through the pieces of an answer that are no thought, as they come.

    Of a thought whose beginning the server left out nothing tells until it ends: its pieces come
    through, and `without_thought` of the whole is what counts.
    """

    def __init__(self) -> None:
        self._held = ""
        self._open = False

    def hear(self, piece: str) -> str:
        """Return what is shown of one more piece; "" while it may be thought."""
        if self._open:
            return piece
        self._held += piece
        text = self._held.lstrip()
        if any(len(text) < len(one) and one.startswith(text) for one in (BEGIN, "<|")):
            return ""
        if text.startswith(BEGIN) and END not in text:
            return ""
        if text.startswith("<|") and _FINAL not in text:
            return ""
        shown = without_thought(text)
        self._open = bool(shown)
        return shown

    @property
    def hides(self) -> bool:
        """Whether all that came may be thought."""
        return not self._open
