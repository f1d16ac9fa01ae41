"""Tokens of chat templates in other people's text, broken up so that they are only words.

A model's server reads them wherever they stand, also in the middle of a message: a text that
holds ``<|im_end|>`` could end its message there and begin one in another's name. A dot goes behind
the first sign of each (``<·|im_end|>``). Where a text holds such dots already there is one more,
so that `restore` gives back exactly what was there.
"""

from __future__ import annotations

import re
from typing import Final

MARK: Final = "·"

_IN_ANGLES: Final = (
    # Llama 2, Mistral, Gemma, T5 and others: the ends of texts, what is unknown, masked or left out
    *("s", "bos", "eos", "pad", "unk", "mask", "sep", "cls", "eod", "eot", "eom", "BOS_TOKEN"),
    *(
        "EOS_TOKEN",
        "PAD_TOKEN",
        "UNK_TOKEN",
        "MASK_TOKEN",
        "CLS",
        "SEP",
        "sop",
        "eop",
        "eoh",
        "eoa",
    ),
    # Gemma
    *("start_of_turn", "end_of_turn", "start_of_image", "end_of_image", "image_soft_token"),
    # Qwen, DeepSeek, Hermes, GLM
    *(
        "think",
        "tool_call",
        "tool_calls",
        "tool_response",
        "tool_declare",
        "tools",
        "function_call",
    ),
    *("answer", "arg_key", "arg_value", "reserved_106", "reserved_107", "AI", "用户"),
    # Seed-OSS, ERNIE
    *("seed:bos", "seed:eos", "seed:pad", "seed:think", "seed:tool_call", "mask:1", "mask:7"),
)
_IN_BRACKETS: Final = (
    # Llama 2 and Mistral
    *("INST", "SYSTEM_PROMPT", "AVAILABLE_TOOLS", "TOOL_CALLS", "TOOL_RESULTS", "TOOL_CONTENT"),
    *("ARGS", "CALL_ID", "THINK", "IMG", "IMG_BREAK", "IMG_END", "AUDIO", "BEGIN_AUDIO"),
    *("MODEL_SETTINGS", "PREFIX", "MIDDLE", "SUFFIX", "TOOL_CALL", "REF"),
    # GLM, BERT
    *("gMASK", "sMASK", "MASK", "sop", "eop", "CLS", "SEP", "PAD", "UNK"),
)
_NUMBERED: Final = r"(?:unused|extra_id_|SPECIAL_|reserved_|pad|mask:|image:)\d+"


def _any(words: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, words))


_OPENING: Final = re.compile(
    rf"""
      < {MARK}* (?=
          [|｜]                                                   # <|im_end|>, <｜User｜>
        | /? (?: [\w:]{{1,40}} [|｜] > | (?: {_any(_IN_ANGLES)} | {_NUMBERED} ) > )  # <turn|>, </s>
        | < /? SYS > >                                            # <<SYS>>
      )
    | \[ {MARK}* (?=
          \|                                                      # [|endofturn|]
        | /? (?: {_any(_IN_BRACKETS)} ) \]                        # [/INST]
        | e~\[                                                    # [e~[
      )
    | \] {MARK}* (?= ~!?b[\[\]] )                                 # ]~b]
    """,
    re.VERBOSE,
)


def break_up(text: str) -> str:
    """The text with a dot, or one more, in each token of a chat template."""
    return _OPENING.sub(lambda found: f"{found[0]}{MARK}", text)


def restore(text: str) -> str:
    """The text that `break_up` was given."""
    return _OPENING.sub(lambda found: found[0].removesuffix(MARK), text)
