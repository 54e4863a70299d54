"""Where a converted model is kept: a folder of its own for each version, weight file and way to multiply."""

from __future__ import annotations

import hashlib
import platform
from enum import StrEnum
from functools import lru_cache
from pathlib import Path

from knowledge.e5.weights import PACKAGE, weight_file, weight_version

FORMAT = 2  # raised when the files of a converted model change
DOT_PRODUCTS = frozenset({"avx512_vnni", "avx_vnni", "asimddp", "amx_int8"})
"""Flags of /proc/cpuinfo: x86's VNNI and AMX, ARM's dot product. Without one of them the product of unsigned and
signed bytes is summed in 16 bits, where it can saturate, and eight-bit matrices would be wrong."""


class NotConverted(RuntimeError):
    """The folder holds no model converted from the installed weights: run `python -m knowledge.e5.convert`."""


class Variant(StrEnum):
    """How matrices are multiplied. INT8 quantises again, to eight bits; NBITS keeps the four bits of the file."""

    INT8 = "int8"
    NBITS = "nbits"


def has_dot_products(cpuinfo: Path = Path("/proc/cpuinfo")) -> bool:
    """Whether this processor multiplies bytes without saturating. Where the system does not say (macOS), Apple's
    processors do and of others nothing is assumed."""
    try:
        lines = cpuinfo.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError:
        return platform.machine() == "arm64"
    flags = {
        flag
        for name, _, value in (line.partition(":") for line in lines)
        if name.strip().lower() in {"flags", "features"}
        for flag in value.split()
    }
    return not DOT_PRODUCTS.isdisjoint(flags)


def fitting_variant() -> Variant:
    return Variant.INT8 if has_dot_products() else Variant.NBITS


@lru_cache(maxsize=1)
def _weight_hash() -> str:
    with weight_file().open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()[:16]


def place(folder: Path, variant: Variant | None = None) -> Path:
    """The folder of the installed weights under `folder`, whether or not it is there."""
    kind = variant or fitting_variant()
    return folder / f"{PACKAGE}-{weight_version()}-{_weight_hash()}-{kind}-{FORMAT}"


def is_converted(folder: Path, variant: Variant | None = None) -> bool:
    return place(folder, variant).is_dir()


def converted(folder: Path, variant: Variant | None = None) -> Path:
    """The folder of the converted model under `folder`. Raises NotConverted."""
    found = place(folder, variant)
    if not found.is_dir():
        raise NotConverted(f"no converted model under {folder}")
    return found
