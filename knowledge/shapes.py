"""Found passages and documents as the API's JSON."""

from __future__ import annotations

from typing import Any

from knowledge.models import Version
from knowledge.queries import DocumentRow
from knowledge.types import Found, Passage, TraceStep


def passage_json(passage: Passage) -> dict[str, Any]:
    return {
        "text": passage.text,
        "document": str(passage.document),
        "external_id": passage.external_id or None,
        "title": passage.title,
        "version": str(passage.version),
        "start": passage.start,
        "end": passage.end,
        "page": passage.pages[0] if passage.pages else None,
        "boxes": [{"page": box.page, "box": list(box.box)} for box in passage.boxes(0, len(passage.text))],
        "section": list(passage.section),
        "distance": None if passage.distance is None else round(passage.distance, 4),
        "pinned": passage.pinned,
        "why": list(passage.why),
    }


def step_json(step: TraceStep) -> dict[str, Any]:
    return {"name": step.name, "ms": step.ms, "detail": dict(step.detail)}


def found_json(found: Found, *, trace: bool = False) -> dict[str, Any]:
    baseline = found.baseline
    result: dict[str, Any] = {
        "passages": [passage_json(passage) for passage in found],
        "baseline": None
        if baseline is None
        else {
            "mean": round(baseline.mean, 4),
            "deviation": round(baseline.deviation, 4),
            "samples": baseline.samples,
        },
    }
    if trace:
        result["trace"] = [step_json(step) for step in found.trace]
    return result


def version_json(version: Version) -> dict[str, Any]:
    return {
        "id": str(version.uid),
        "number": version.number,
        "status": version.state,
        "step": version.step,
        "error": version.error_code or None,
        "pages": version.pages,
        "pages_unread": version.pages_unread,
        "characters": version.characters,
        "chunks": version.chunks,
        "vectors": version.vectors,
        "size": version.size,
        "format": version.format,
        "warnings": version.warnings,
        "created_at": version.created_at.isoformat(),
        "finished_at": version.finished_at.isoformat() if version.finished_at else None,
    }


def document_json(row: DocumentRow) -> dict[str, Any]:
    document, error = row.document, row.error
    return {
        "id": str(document.uid),
        "external_id": document.external_id or None,
        "title": document.title,
        "filename": document.filename,
        "uri": document.uri or None,
        "status": row.version.state,
        "percent": row.percent,
        "detail": ". ".join(error) if error else None,
        "version": version_json(row.version),
        "created_at": document.created_at.isoformat(),
    }
