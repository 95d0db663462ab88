"""BERT as an ONNX graph, written from its weights; no torch is needed.

Only operators that onnxruntime runs fused on a CPU are used, some of them its own
(`com.microsoft`). A batch holds texts of one length, so there is no attention mask.

In the `uint8` form the weights of each linear layer are signed integers with a scale
for each output, and each row of its input is rounded to 8 bits with a scale of its
own. A tensor-wide scale would be cheaper by a fifth, but make a text's vector depend
on its batch mates, and be three times less exact.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from onnx import ModelProto, NodeProto, TensorProto

Weights = Mapping[str, npt.NDArray[Any]]

OPSET = 18
_OWN = "com.microsoft"
_OWN_OPSET = 1
_IR_VERSION = 9

#: An input of 8 bits: zero is 128, so that 1 to 255 stand for -1 to 1.
_ZERO = np.uint8(128)
_STEP = np.float32(1 / 127)

#: Keeps a row of zeros from being divided by zero.
_LEAST = np.float32(1e-30)


@dataclass(frozen=True, slots=True)
class Shape:
    """Sizes of a BERT: its configuration's words for them."""

    hidden_size: int
    num_hidden_layers: int
    num_attention_heads: int
    layer_norm_eps: float


@dataclass
class _Graph:
    """Nodes and constants, in the order they are asked for."""

    weights: Weights
    shape: Shape
    weight_limit: int | None
    nodes: list["NodeProto"] = field(default_factory=list)
    constants: list["TensorProto"] = field(default_factory=list)

    def constant(self, value: npt.ArrayLike) -> str:
        """Name of a constant."""
        from onnx import numpy_helper  # noqa: PLC0415 lazy: only to export

        name = f"constant_{len(self.constants)}"
        self.constants.append(numpy_helper.from_array(np.array(value, order="C"), name))
        return name

    def node(
        self,
        kind: str,
        *inputs: str,
        own: bool = False,
        outputs: int = 1,
        **more: Any,  # noqa: ANN401 as ONNX declares them
    ) -> Any:  # noqa: ANN401 a name, or several
        """Name of a node's output; a list where it has several."""
        from onnx import helper  # noqa: PLC0415

        names = [f"value_{len(self.nodes)}_{place}" for place in range(outputs)]
        domain = _OWN if own else ""
        made = helper.make_node(kind, list(inputs), names, domain=domain, **more)
        self.nodes.append(made)
        return names[0] if outputs == 1 else names

    def norm(self, value: str, name: str) -> str:
        """Layer normalisation."""
        return str(
            self.node(
                "LayerNormalization",
                value,
                self.constant(self.weights[f"{name}.weight"]),
                self.constant(self.weights[f"{name}.bias"]),
                epsilon=self.shape.layer_norm_eps,
            )
        )

    def linear(self, value: str, names: Sequence[str]) -> str:
        """Linear layers of one input, their outputs side by side."""
        matrix = np.concatenate([self.weights[f"{n}.weight"].T for n in names], axis=1)
        bias = np.concatenate([self.weights[f"{n}.bias"] for n in names])
        if self.weight_limit is None:
            product = self.node("MatMul", value, self.constant(matrix))
        else:
            product = self._rounded_product(value, *_rounded(matrix, self.weight_limit))
        return str(self.node("Add", product, self.constant(bias)))

    def _rounded_product(
        self,
        value: str,
        matrix: npt.NDArray[np.int8],
        scale: npt.NDArray[np.float32],
    ) -> str:
        """Product of rows, each rounded to 8 bits by its largest, and a matrix."""
        axis = self.constant(np.array([-1], np.int64))
        high = self.node("ReduceMax", value, axis, keepdims=1)
        low = self.node("Neg", self.node("ReduceMin", value, axis, keepdims=1))
        largest = self.node("Max", high, low, self.constant(_LEAST))
        small = self.node("Mul", value, self.node("Reciprocal", largest))
        zero, step = self.constant(_ZERO), self.constant(_STEP)
        product = self.node(
            "MatMulIntegerToFloat",
            self.node("QuantizeLinear", small, step, zero),
            self.constant(matrix),
            step,
            self.constant(scale),
            zero,
            self.constant(np.zeros(len(scale), np.int8)),
            own=True,
        )
        return str(self.node("Mul", product, largest))


def bert(weights: Weights, shape: Shape, weight_limit: int | None) -> "ModelProto":
    """Write a BERT as a model: `ids` (b, t) int64 in, `states` (b, t, d) float32 out.

    Parameters
    ----------
    weights : mapping of str to array
        By the names that transformers gives them in a bare `BertModel`.
    shape : Shape
        Its sizes.
    weight_limit : int or None
        Largest integer that a weight is rounded to (127, or 63 for CPUs that would
        overflow); None: float32 throughout.
    """
    from onnx import TensorProto, helper  # noqa: PLC0415 lazy: only to export

    graph = _Graph(weights, shape, weight_limit)
    value = _embeddings(graph)
    for number in range(shape.num_hidden_layers):
        value = _layer(graph, value, f"encoder.layer.{number}.")
    graph.nodes.append(helper.make_node("Identity", [value], ["states"]))
    size = shape.hidden_size
    return helper.make_model(
        helper.make_graph(
            graph.nodes,
            "bert",
            [helper.make_tensor_value_info("ids", TensorProto.INT64, ["b", "t"])],
            [
                helper.make_tensor_value_info(
                    "states", TensorProto.FLOAT, ["b", "t", size]
                )
            ],
            graph.constants,
        ),
        opset_imports=[
            helper.make_opsetid("", OPSET),
            helper.make_opsetid(_OWN, _OWN_OPSET),
        ],
        ir_version=_IR_VERSION,
        producer_name="skillmill",
    )


def _embeddings(graph: _Graph) -> str:
    """Words by place; every text is of the first token type."""
    words = graph.weights["embeddings.word_embeddings.weight"]
    places = (
        graph.weights["embeddings.position_embeddings.weight"]
        + graph.weights["embeddings.token_type_embeddings.weight"][0]
    )
    length = graph.node("Shape", "ids", start=1, end=2)
    start = graph.constant(np.array([0], np.int64))
    own = graph.node("Slice", graph.constant(places), start, length, start)
    word = graph.node("Gather", graph.constant(words), "ids")
    return graph.norm(graph.node("Add", word, own), "embeddings.LayerNorm")


def _layer(graph: _Graph, value: str, name: str) -> str:
    """One layer: attention, then two linear layers, each added to what came in."""
    attention = f"{name}attention."
    own = [f"{attention}self.{part}" for part in ("query", "key", "value")]
    size = np.full(3, graph.shape.hidden_size, np.int64)
    parts = graph.node(
        "Split", graph.linear(value, own), graph.constant(size), axis=2, outputs=3
    )
    heads = graph.shape.num_attention_heads
    seen = graph.node("MultiHeadAttention", *parts, own=True, num_heads=heads)
    output = graph.linear(seen, [f"{attention}output.dense"])
    value = graph.norm(graph.node("Add", output, value), f"{attention}output.LayerNorm")
    wide = graph.node(
        "Gelu", graph.linear(value, [f"{name}intermediate.dense"]), own=True
    )
    output = graph.linear(wide, [f"{name}output.dense"])
    return graph.norm(graph.node("Add", output, value), f"{name}output.LayerNorm")


def _rounded(
    matrix: npt.NDArray[np.float32], limit: int
) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float32]]:
    """A matrix (k, n) as integers up to `limit` and the scale of each column (n,)."""
    scale = np.maximum(np.abs(matrix).max(axis=0), _LEAST) / limit
    whole = np.clip(np.rint(matrix / scale), -limit, limit)
    return whole.astype(np.int8), scale.astype(np.float32)
