"""Reading order of a page: columns from left to right, what spans them in its place, lines from the top down."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import replace

from knowledge.parsing.rows import Row, is_beside, joined, on_one_line

_Stretch = tuple[float, float]

_LEAST_LINES = 3  # of a column
_LEAST_FILL = 0.5  # mean share of a column's width that its lines take: cells of a table take less
_LEAST_WIDTH = 12.0  # of a column, in type sizes
_GUTTER = 0.7  # least width of a gap between columns, in type sizes
_NEAR = 4  # lines back that a part of a line may belong to: scans are skewed
_FAR = 3.0  # a gap in height that ends a set of columns, in type sizes


def ordered(rows: Sequence[Row]) -> list[Row]:
    """The rows in reading order, parts of one line joined, each with the edges of its column."""
    if not rows:
        return []
    found: list[Row] = []
    for group in _groups(_bands(rows)):
        columns = _columns(group)
        if len(columns) > 1:
            for column in columns:
                found += ordered(column)
        else:
            found += _lines(group)
    return found


def _lines(rows: Sequence[Row]) -> list[Row]:
    left, right = min(row.frame[0] for row in rows), max(row.frame[2] for row in rows)
    lines: list[list[Row]] = []
    for row in sorted(rows, key=lambda row: (row.frame[1] + row.frame[3], row.frame[0])):
        line = next((line for line in lines[-_NEAR:] if _belongs(row, line)), None)
        if line is None:
            lines.append([row])
        else:
            line.append(row)
    return [replace(joined(parts), left=left, right=right) for parts in lines]


def _belongs(row: Row, line: Sequence[Row]) -> bool:
    near = any(on_one_line(row.frame, other.frame) for other in line)
    return near and all(is_beside(row.frame, other.frame) for other in line)


def _bands(rows: Sequence[Row]) -> list[list[Row]]:
    """Rows that overlap in height, from the top down."""
    bands: list[list[Row]] = []
    bottom = 0.0
    for row in sorted(rows, key=lambda row: row.frame[1]):
        slack = 0.2 * (row.frame[3] - row.frame[1])  # boxes of neighbouring lines overlap a little
        if bands and row.frame[1] < bottom - slack:
            bands[-1].append(row)
        else:
            bands.append([row])
        bottom = max(bottom, row.frame[3]) if len(bands[-1]) > 1 else row.frame[3]
    return bands


def _groups(bands: Sequence[list[Row]]) -> Iterator[list[Row]]:
    """Bands that share a gutter, as far down as it goes; bands without one together."""
    group: list[Row] = []
    covered: list[_Stretch] | None = None  # across, by the group; None where it has no columns
    for index, band in enumerate(bands):
        if group and covered is None and not _starts_columns(bands, index):
            group += band
            continue
        if group and covered is not None:
            both = _cover(covered, band)
            if _keeps_gutter(group, covered, band, both):
                group, covered = group + band, both
                continue
        if group:
            yield group
        group = list(band)
        covered = _cover([], band) if _starts_columns(bands, index) else None
    if group:
        yield group


def _starts_columns(bands: Sequence[list[Row]], index: int) -> bool:
    """Whether columns begin at this band: it has a gutter, and with the bands below that keep it, real columns."""
    group = list(bands[index])
    covered = _cover([], group)
    if not _gaps(covered, group):
        return False
    for band in bands[index + 1 :]:
        both = _cover(covered, band)
        if not _keeps_gutter(group, covered, band, both):
            break
        group, covered = group + band, both
    return len(_columns(group)) > 1


def _keeps_gutter(
    group: list[Row], covered: Sequence[_Stretch], band: list[Row], both: Sequence[_Stretch]
) -> bool:
    """Whether a band goes on in the columns of the group above it: it leaves a gutter open, is not far below them, and
    does not stand in the gutter, as a page number does."""
    if not _gaps(both, band) or (_is_far(group, band) and not _gaps(_cover([], band), band)):
        return False
    if len(both) <= len(covered):
        return True
    return len(_columns(group + band)) > 1 or len(_columns(group)) < 2


def _is_far(above: Sequence[Row], below: Sequence[Row]) -> bool:
    gap = min(row.frame[1] for row in below) - max(row.frame[3] for row in above)
    return gap > _FAR * below[0].size


def _cover(covered: Sequence[_Stretch], rows: Sequence[Row]) -> list[_Stretch]:
    """The stretches across the frame that rows stand on, from left to right, none touching another."""
    found: list[_Stretch] = []
    for x0, x1 in sorted([*covered, *((row.frame[0], row.frame[2]) for row in rows)]):
        if found and x0 <= found[-1][1]:
            found[-1] = (found[-1][0], max(x1, found[-1][1]))
        else:
            found.append((x0, x1))
    return found


def _gaps(covered: Sequence[_Stretch], rows: Sequence[Row]) -> list[float]:
    """Where columns may be parted: the right edges of gaps wide enough for the type."""
    least = _GUTTER * max(6.0, min(row.size for row in rows))
    return [after[0] for before, after in itertools.pairwise(covered) if after[0] - before[1] >= least]


def _columns(rows: Sequence[Row]) -> list[list[Row]]:
    """The rows by column, or all in one where they are no columns of running text."""
    edges = _gaps(_cover([], rows), rows)
    columns: list[list[Row]] = [[] for _gap in range(len(edges) + 1)]
    for row in rows:
        columns[sum(edge <= row.frame[0] for edge in edges)].append(row)
    if len(columns) > 1 and all(map(_is_column, columns)):
        return columns
    return [list(rows)]


def _is_column(rows: Sequence[Row]) -> bool:
    if len(rows) < _LEAST_LINES:
        return False
    width = max(row.frame[2] for row in rows) - min(row.frame[0] for row in rows)
    fill = sum(row.frame[2] - row.frame[0] for row in rows) / (len(rows) * max(width, 1.0))
    return width >= _LEAST_WIDTH * rows[0].size and fill >= _LEAST_FILL
