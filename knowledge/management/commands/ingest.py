"""Put files, folders and lists of texts into a space."""

from __future__ import annotations

import json
import time
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from accounts.management.base import TenantCommand, WrongCall, read_jsonl
from accounts.messages import sentence
from accounts.types import Principal
from knowledge import services
from knowledge.errors import RefusedInput
from knowledge.models import Job, JobState, Space, Version
from knowledge.queries import WORKING
from knowledge.work import work_once

_KNOWN = {"id", "title", "text", "filename", "uri", "fields"}
_LONGEST_WAIT = 6 * 3600
_TELL_SECONDS = 5.0
_AT_ONCE = 500


@dataclass(frozen=True)
class Item:
    """One document to be: from a file, or from a line of a list."""

    filename: str
    data: bytes
    title: str = ""
    external_id: str = ""
    uri: str = ""
    folder: str = ""
    problem: str = ""  # why it could not be read, in words


def _file(path: Path, *, folder: str = "") -> Item:
    try:
        return Item(path.name, path.read_bytes(), folder=folder)
    except OSError as error:
        return Item(path.name, b"", problem=f"the file cannot be read: {error.strerror}")


class Command(TenantCommand):
    help = (
        "Put files, folders, or .jsonl lists of {id?, title?, text, filename?, uri?, fields?} into a space."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("paths", nargs="+", type=Path)
        parser.add_argument("--space", required=True)
        parser.add_argument("--create", action="store_true", help="make the space where it is not there")
        parser.add_argument(
            "--wait", action="store_true", help="end when all are done; works where no worker runs"
        )

    def act(self, principal: Principal, options: dict[str, Any]) -> dict[str, Any]:
        space = self._space(principal, options["space"], create=options["create"])
        self.ignored: Counter[str] = Counter()
        rows: list[dict[str, Any]] = []
        for item in self._items(options["paths"]):
            rows.append(self._upload(principal, space, item))
            if len(rows) % 50 == 0:
                self.say(f"{len(rows)} taken in")
        if options["wait"]:
            self._wait([row["version"] for row in rows if "version" in row])
        found = self._shown(rows)
        failed = sum(row["status"] == "failed" for row in found)
        return {"documents": found, "ignored_keys": dict(self.ignored), "failed": failed}

    def _space(self, principal: Principal, slug: str, *, create: bool) -> Space:
        space = Space.objects.filter(slug=slug).first()
        if space is None and not create:
            raise WrongCall(f"there is no space {slug!r}; --create makes it")
        return space or services.create_space(principal, slug, slug=slug)

    def _items(self, paths: list[Path]) -> Iterator[Item]:
        for path in paths:
            if path.is_dir():
                yield from self._folder(path)
            elif path.suffix == ".jsonl":
                yield from self._lines(path)
            elif path.is_file():
                yield _file(path)
            else:
                raise WrongCall(f"{path} is not there")

    def _folder(self, path: Path) -> Iterator[Item]:
        """Every file under a folder; what is hidden is left."""
        root = path.resolve().parent
        for file in sorted(path.resolve().rglob("*")):
            inside = file.relative_to(root / path.resolve().name)
            if file.is_file() and not any(part.startswith(".") for part in inside.parts):
                yield _file(file, folder=str(file.parent.relative_to(root)))

    def _lines(self, path: Path) -> Iterator[Item]:
        for number, row in enumerate(read_jsonl(path), 1):
            self.ignored.update(set(row) - _KNOWN)
            name = str(row.get("id") or f"{path.stem}-{number}")
            given = row.get("fields")
            fields = "".join(f"{k}: {v}\n" for k, v in given.items()) if isinstance(given, dict) else ""
            text = str(row.get("text") or "")
            text = f"{fields}\n{text}" if fields and text else text
            yield Item(
                str(row.get("filename") or f"{name}.txt"),
                text.encode("utf-8", "replace"),
                title=str(row.get("title") or ""),
                external_id=str(row.get("id") or ""),
                uri=str(row.get("uri") or ""),
            )

    def _upload(self, principal: Principal, space: Space, item: Item) -> dict[str, Any]:
        row: dict[str, Any] = {"external_id": item.external_id or None, "title": item.title or item.filename}
        if item.problem:
            return {**row, "status": "failed", "error": "unreadable", "detail": item.problem}
        try:
            done = services.upload_document(
                principal,
                space,
                item.filename,
                item.data,
                title=item.title,
                external_id=item.external_id,
                uri=item.uri,
                folder=item.folder,
            )
        except RefusedInput as error:
            return {
                **row,
                "status": "failed",
                "error": error.code,
                "detail": ". ".join(sentence(error.code, **error.params)),
            }
        return {**row, "version": done.version.id, "duplicate": done.is_duplicate}

    def _wait(self, versions: list[int]) -> None:
        """Until the versions are done, doing the work here too: the Job table shares it out among all workers."""
        deadline, told = time.monotonic() + _LONGEST_WAIT, 0.0
        while time.monotonic() < deadline:
            left = Version.objects.filter(id__in=versions, state__in=WORKING).count()
            follow = Job.objects.filter(state__in=[JobState.READY, JobState.RUNNING], version=None).exists()
            if not left and not follow:
                return
            if time.monotonic() - told > _TELL_SECONDS:
                self.say(f"{len(versions) - left} of {len(versions)} done")
                told = time.monotonic()
            self._work()

    def _work(self) -> None:
        """For about a second, whatever is due."""
        ends = time.monotonic() + 1.0
        while time.monotonic() < ends:
            if not work_once():
                time.sleep(0.2)
                return

    def _shown(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The rows of the result, read some hundred at a time."""
        shown: list[dict[str, Any]] = []
        for at in range(0, len(rows), _AT_ONCE):
            part = rows[at : at + _AT_ONCE]
            ids = [row["version"] for row in part if "version" in row]
            versions = Version.objects.select_related("document", "space").in_bulk(ids)
            shown += [self._row(row, versions.get(row.get("version", 0))) for row in part]
        return shown

    def _row(self, row: dict[str, Any], version: Version | None) -> dict[str, Any]:
        shown = {"id": None, "external_id": row["external_id"], "title": row["title"], "status": "failed"}
        shown |= {"error": row.get("error"), "pages": 0, "characters": 0, "chunks": 0, "failures": []}
        if version is None:
            return {**shown, "detail": row.get("detail", "it was deleted meanwhile")}
        return {
            **shown,
            "id": str(version.document.uid),
            "title": version.document.title,
            "status": version.state,
            "error": version.error_code or None,
            "pages": version.pages,
            "characters": version.characters,
            "chunks": version.chunks,
            "failures": [{"page": page} for page in version.pages_unread],
            "duplicate": row["duplicate"],
        }

    def show(self, result: dict[str, Any]) -> None:
        for row in result["documents"]:
            self.stdout.write(json.dumps(row, ensure_ascii=False))
