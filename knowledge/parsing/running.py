"""Running headers, footers and page numbers: what recurs at the edge of many pages and belongs to none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from knowledge.parsing.page_numbers import page_number
from knowledge.parsing.pdf_page import Page, without_rows
from knowledge.parsing.rows import Row
from knowledge.types import Drop

_MARGIN = 0.12  # of the page's height
_SHARE = 0.4  # of the pages on which a line must stand; headers of left and right pages take half each
_LEAST_PAGES = 3
_DIGITS = re.compile(r"\d+")
_Key = tuple[str, bool]


def drop_running(pages: Sequence[Page]) -> list[Page]:
    """The pages without what runs over them; each line left out is in the page's drops. A document that would be
    left without words keeps them."""
    recurring = _recurring(pages)
    numbers = _numbered(pages)
    found = []
    for page in pages:
        kept, drops = [], list[Drop]()
        for row in page.rows:
            reason = _reason(row, page, recurring, numbers)
            if reason:
                drops.append(Drop(reason, len(row.text), page.read.page))
            else:
                kept.append(row)
        found.append(without_rows(page, kept, drops))
    if any(page.rows or page.tables for page in found):
        return found
    return list(pages)


def _reason(row: Row, page: Page, recurring: set[_Key], numbers: set[int]) -> str:
    number = page_number(row.text) if _is_outermost(row, page) else None
    if number is not None and page.read.page - number in numbers:
        return "page_number"
    if not _in_margin(row, page) or _key(row, page) not in recurring:
        return ""
    return "running_header" if _is_top(row, page) else "running_footer"


def _is_top(row: Row, page: Page) -> bool:
    return row.frame[1] < page.height / 2


def _in_margin(row: Row, page: Page) -> bool:
    return row.frame[3] < page.height * _MARGIN or row.frame[1] > page.height * (1 - _MARGIN)


def _is_outermost(row: Row, page: Page) -> bool:
    """In the margin, or near it with nothing between it and the edge."""
    if _in_margin(row, page):
        return True
    if _is_top(row, page):
        return row.frame[3] < 2 * _MARGIN * page.height and row.frame[1] <= min(r.frame[1] for r in page.rows)
    return row.frame[1] > (1 - 2 * _MARGIN) * page.height and row.frame[3] >= max(
        r.frame[3] for r in page.rows
    )


def _key(row: Row, page: Page) -> _Key:
    return _DIGITS.sub("#", row.text), _is_top(row, page)


def _recurring(pages: Sequence[Page]) -> set[_Key]:
    """Lines on a large share of the pages, or at one height on pages that follow each other: a chapter's header."""
    seen: dict[_Key, list[tuple[int, int]]] = {}
    for page in pages:
        for row in page.rows:
            if _in_margin(row, page):
                seen.setdefault(_key(row, page), []).append((page.read.page, round(row.frame[1] / 3)))
    least = max(_LEAST_PAGES, _SHARE * sum(bool(page.rows or page.tables) for page in pages))
    return {key for key, places in seen.items() if len({at for at, _y in places}) >= least or _runs(places)}


def _runs(places: Sequence[tuple[int, int]]) -> bool:
    length, before = 1, places[0]
    for place in places[1:]:
        near = 0 < place[0] - before[0] <= 2 and abs(place[1] - before[1]) <= 1
        length = length + 1 if near else 1
        if length >= _LEAST_PAGES:
            return True
        before = place
    return False


def _numbered(pages: Sequence[Page]) -> set[int]:
    """What must be taken from a page's place to get its printed number: seen on two pages, or the place itself."""
    offsets: Counter[int] = Counter()
    for page in pages:
        numbers = [page_number(row.text) for row in page.rows if _is_outermost(row, page)]
        offsets.update({page.read.page - number for number in numbers if number is not None})
    return {offset for offset, count in offsets.items() if count > 1 or offset == 0}
