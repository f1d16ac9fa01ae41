"""Tokens of chat templates in other people's text, broken up so that they are only words.

A model's server reads them wherever they stand, also in the middle of a message: a text that
holds ``<|im_end|>`` could end its message there and begin one in another's name. A dot goes behind
the first sign of each (``<·|im_end|>``). Where a text holds such dots already there is one more,
so that `restore` gives back exactly what was there.

New models bring new tokens, so anything of their form is broken up: ``<word>``, also of HTML, and
``[WORD]``.
"""

from __future__ import annotations

import re
from typing import Final

MARK: Final = "·"

_OPENING: Final = re.compile(
    rf"""
      < {MARK}* (?=
          [|｜]                               # <|im_end|>, <｜User｜>
        | /? [\w:]{{1,40}} [|｜]? >             # <turn|>, </s>, <<SYS>>
      )
    | \[ {MARK}* (?=
          \|                                  # [|endofturn|]
        | /? (?: [gs]?[A-Z_]{{2,40}} | [se]op ) \]    # [/INST], [gMASK], [sop]
        | e~\[                                # [e~[
      )
    | \] {MARK}* (?= ~!?b[\[\]] )             # ]~b]
    """,
    re.VERBOSE,
)


def break_up(text: str) -> str:
    """The text with a dot, or one more, in each token of a chat template."""
    return _OPENING.sub(lambda found: f"{found[0]}{MARK}", text)


def restore(text: str) -> str:
    """The text that `break_up` was given."""
    return _OPENING.sub(lambda found: found[0].removesuffix(MARK), text)
