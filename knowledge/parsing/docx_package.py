"""The parts of a DOCX: its XML read without entities, its styles, its notes, its headers and footers."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from lxml import etree

from knowledge.errors import UnreadableFile

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_R = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"
_RELATION = "{http://schemas.openxmlformats.org/package/2006/relationships}Relationship"
_STRICT = (b"http://purl.oclc.org/ooxml/wordprocessingml/main", W[1:-1].encode())
_STRICT_R = (b"http://purl.oclc.org/ooxml/officeDocument/relationships", _R[1:-1].encode())
_MAIN = re.compile(r"word/document\d*\.xml")
# Names of heading styles as Word writes them in its languages.
_HEADING = re.compile(r"(?:heading|제목|标题|標題|見出し|überschrift|titre|título)\s*(\d)\b", re.I)
_TITLES = frozenset(("title", "제목", "标题", "標題", "表題", "titel", "titre", "título"))
_DEEPEST = 20  # styles based on styles


@dataclass(frozen=True, slots=True)
class Style:
    """What a paragraph style says: heading level (0 for body text) and its place in a numbered list, if any."""

    level: int = 0
    number: str = ""
    depth: int = 0


class Package:
    """Raises UnreadableFile(damaged or needs_password) where a part cannot be read."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        self._archive = archive
        self._names = set(archive.namelist())
        self.main = next((name for name in sorted(self._names) if _MAIN.fullmatch(name)), "")

    def part(self, name: str) -> Any | None:
        """The root of a part, with entities and network off; None where there is no such part."""
        if name not in self._names:
            return None
        parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False, huge_tree=False)
        try:
            data = self._archive.read(name).replace(*_STRICT).replace(*_STRICT_R)
            root = etree.fromstring(data, parser)
        except RuntimeError:  # zipfile's word for an encrypted member
            raise UnreadableFile("needs_password") from None
        except (etree.XMLSyntaxError, zipfile.BadZipFile, OSError, EOFError, NotImplementedError, ValueError):
            raise UnreadableFile("damaged") from None
        if root.getroottree().docinfo.doctype:
            raise UnreadableFile("damaged")  # Word writes none: it is there to swell
        return root

    def notes(self, kind: str) -> dict[str, Any]:
        """The footnotes or endnotes by their id, without the rules between them and the text."""
        part = self.part(f"word/{kind}s.xml")
        found = part.iter(f"{W}{kind}") if part is not None else ()
        return {note.get(f"{W}id"): note for note in found if note.get(f"{W}type") is None}

    def frames(self, document: Any, kind: str) -> Iterator[Any]:
        """The headers or footers that sections of the document use, each once."""
        targets = self._relations()
        used = (node.get(f"{_R}id") for node in document.iter(f"{W}{kind}Reference"))
        for name in dict.fromkeys(targets.get(one, "") for one in used):
            part = self.part(name)
            if part is not None:
                yield part

    def _relations(self) -> dict[str, str]:
        folder, file = posixpath.split(self.main)
        part = self.part(f"{folder}/_rels/{file}.rels")
        return {
            node.get("Id", ""): posixpath.normpath(posixpath.join(folder, node.get("Target", "")))
            for node in (part.iter(_RELATION) if part is not None else ())
        }


def value(node: Any | None, path: str, default: str = "") -> str:
    """The w:val of the child at `path`, as "pPr/pStyle"; `default` where there is none."""
    found = node.find("/".join(W + name for name in path.split("/"))) if node is not None else None
    return str(found.get(f"{W}val", default)) if found is not None else default


def whole(text: str, default: int) -> int:
    return int(text) if text.lstrip("-").isdecimal() else default


def read_styles(part: Any | None) -> dict[str, Style]:
    """Paragraph styles by their id; what a style leaves open comes from the one that it is based on."""
    nodes = {node.get(f"{W}styleId"): node for node in (part.iter(f"{W}style") if part is not None else ())}
    return {name: _style(name, nodes) for name in nodes}


def _style(name: str, nodes: Mapping[str, Any]) -> Style:
    level, number, depth = 0, "", 0
    for _step in range(_DEEPEST):
        node = nodes.get(name)
        if node is None:
            break
        level = level or _level(node)
        if not number:
            number = value(node, "pPr/numPr/numId")
            depth = whole(value(node, "pPr/numPr/ilvl"), 0)
        name = value(node, "basedOn")
    return Style(level, number, depth)


def _level(node: Any) -> int:
    words = value(node, "name")
    found = _HEADING.search(words)
    if found:
        return int(found[1])
    if words.lower() in _TITLES:
        return 1
    outline = whole(value(node, "pPr/outlineLvl", "9"), 9)
    return outline + 1 if outline < 9 else 0
