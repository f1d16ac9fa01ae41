"""Writes a tiny language model with random weights, for tests of what surrounds a real one.

    python tests/llama/tiny_model.py FILE.gguf

It reads any text, byte by byte, and answers words without sense, short for a model of its kind:
its first dimension is the same for every token, so that the first column of the output layer
says how likely a token is.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from gguf import GGUFWriter, TokenType

CONTEXT = 65_536
"""Tokens the model can read: a token is a byte or a word."""

WIDTH, INNER, HEADS, LAYERS = 64, 128, 2, 1

WORDS = "Ada Charles London Paris a and was is in born the of wrote engine house 1815 1828 not 12"

SPECIAL = ("<unk>", "<s>", "</s>")
END = SPECIAL.index("</s>")

TEMPLATE = (
    "{% for message in messages %}{{ message.role }}: {{ message.content }}\n{% endfor %}assistant:"
)


def write(path: Path) -> None:
    """Writes the model."""
    writer = GGUFWriter(path, "llama")
    writer.add_name("tiny")
    writer.add_context_length(CONTEXT)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(INNER)
    writer.add_block_count(LAYERS)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(HEADS)
    writer.add_layer_norm_rms_eps(1e-5)
    writer.add_rope_dimension_count(WIDTH // HEADS)
    _add_vocabulary(writer)
    _add_weights(writer, _vocabulary())
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def _vocabulary() -> list[tuple[str, TokenType]]:
    """Every byte, and some words with the space before them."""
    special = [(one, TokenType.CONTROL) for one in SPECIAL]
    single = [(f"<0x{byte:02X}>", TokenType.BYTE) for byte in range(256)]
    printable = [(chr(byte), TokenType.NORMAL) for byte in range(0x21, 0x7F)]
    words = [(f"▁{word}", TokenType.NORMAL) for word in ("", *WORDS.split())]
    return special + single + printable + words


def _add_vocabulary(writer: GGUFWriter) -> None:
    vocabulary = _vocabulary()
    writer.add_tokenizer_model("llama")
    writer.add_token_list([text for text, _ in vocabulary])
    writer.add_token_scores([0.0] * len(vocabulary))
    writer.add_token_types([kind for _, kind in vocabulary])
    writer.add_unk_token_id(SPECIAL.index("<unk>"))
    writer.add_bos_token_id(SPECIAL.index("<s>"))
    writer.add_eos_token_id(END)
    writer.add_chat_template(TEMPLATE)


def _add_weights(writer: GGUFWriter, vocabulary: list[tuple[str, TokenType]]) -> None:
    chance = np.random.default_rng(7)

    def random(spread: float, *shape: int) -> np.ndarray:
        return chance.normal(0, spread, shape).astype(np.float32)

    def add(name: str, weights: np.ndarray) -> None:
        writer.add_tensor(f"{name}.weight", weights)

    embedding = random(0.3, len(vocabulary), WIDTH)
    embedding[:, 0] = 1
    output = random(0.15, len(vocabulary), WIDTH)
    output[:, 0] = [_habit(text, kind) for text, kind in vocabulary]
    before = [text for text, _ in vocabulary].index(TEMPLATE[-1])
    output[END, 1:] -= embedding[before, 1:]  # no answer ends before it begins
    add("token_embd", embedding)
    add("output_norm", np.ones(WIDTH, np.float32))
    add("output", output)
    for layer in range(LAYERS):
        block = f"blk.{layer}"
        add(f"{block}.attn_norm", np.ones(WIDTH, np.float32))
        for part in ("attn_q", "attn_k", "attn_v", "attn_output"):
            add(f"{block}.{part}", random(0.02, WIDTH, WIDTH))
        add(f"{block}.ffn_norm", np.ones(WIDTH, np.float32))
        add(f"{block}.ffn_gate", random(0.02, INNER, WIDTH))
        add(f"{block}.ffn_up", random(0.02, INNER, WIDTH))
        add(f"{block}.ffn_down", random(0.02, WIDTH, INNER))


def _habit(text: str, kind: TokenType) -> float:
    """How likely a token is: each 1 makes it about twenty times as likely."""
    if kind is TokenType.BYTE:
        return -1
    ending = text in ("</s>", ".", '"')
    word = len(text) > 1 and kind is TokenType.NORMAL
    return 1 if ending or word else 0


if __name__ == "__main__":
    write(Path(sys.argv[1]))
