"""Tables for a narrow screen: columns of text if they fit, else one line a cell."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Literal

from markdown_it.token import Token

from channels.formatting.characters import display_width, is_blank
from channels.formatting.document import DocumentBuilder, Style
from channels.formatting.inline import LinkRule, plain_inline, write_inline

WIDEST_COLUMNS = 50
"""A phone that is held upright shows 35 to 45 columns, and breaks longer lines."""

_BREAK = re.compile(r"<br\s*/?>", re.IGNORECASE)
_EMPTY_CELL = "—"

Alignment = Literal["left", "right", "center"]
Cell = Sequence[Token]
Row = Sequence[str]


@dataclass(frozen=True, slots=True)
class Table:
    """The cells of a table, row by row, and how the columns under the heading are aligned."""

    heading: Sequence[Cell]
    rows: Sequence[Sequence[Cell]]
    alignments: Sequence[Alignment]


def read_table(tokens: Sequence[Token]) -> Table:
    """Read the table in the tokens between its opening and its closing one."""
    rows: list[list[Cell]] = []
    alignments: list[Alignment] = []
    for token in tokens:
        if token.type == "tr_open":
            rows.append([])
        elif token.type == "th_open":
            alignments.append(_alignment(str(token.attrs.get("style", ""))))
        elif token.type == "inline":
            rows[-1].append(_with_breaks(token.children or ()))
    return Table(rows[0], rows[1:], alignments)


def write_table(builder: DocumentBuilder, table: Table, is_link: LinkRule) -> None:
    """Add `table` to `builder`, as text that is aligned in columns if that is not too wide."""
    heading = [plain_inline(cell) for cell in table.heading]
    rows = [[plain_inline(cell) for cell in row] for row in table.rows]
    columns = max(map(len, (heading, *rows)))
    widths = [0] * columns
    for row in (heading, *rows):
        for column, cell in enumerate(row):
            widths[column] = max(widths[column], *map(display_width, cell.split("\n")))
    if sum(widths) + 3 * (columns - 1) > WIDEST_COLUMNS:
        _write_records(builder, table, is_link)
    elif any(widths):
        lines = _grid(heading, rows, widths, table.alignments)
        builder.pre("\n".join(lines))


def _alignment(style: str) -> Alignment:
    match style.partition(":")[2]:
        case "right":
            return "right"
        case "center":
            return "center"
        case _:
            return "left"


def _with_breaks(cell: Cell) -> Cell:
    """A cell has no other way to hold two lines than HTML's."""
    for token in cell:
        if token.type == "text":
            token.content = _BREAK.sub("\n", token.content)
    return cell


def _grid(
    heading: Row, rows: Sequence[Row], widths: Sequence[int], alignments: Sequence[Alignment]
) -> Iterator[str]:
    if not all(map(is_blank, heading)):
        yield from _grid_lines(heading, widths, alignments)
        yield "-+-".join("-" * width for width in widths)
    for row in rows:
        yield from _grid_lines(row, widths, alignments)


def _grid_lines(row: Row, widths: Sequence[int], alignments: Sequence[Alignment]) -> Iterator[str]:
    for line in zip_longest(*(cell.split("\n") for cell in row), fillvalue=""):
        cells = zip_longest(line, widths, alignments[: len(widths)], fillvalue=None)
        yield " | ".join(_padded(*cell) for cell in cells).rstrip()


def _padded(cell: str | None, width: int | None, alignment: Alignment | None) -> str:
    text = cell or ""
    missing = (width or 0) - display_width(text)
    match alignment:
        case "right":
            return " " * missing + text
        case "center":
            return " " * (missing // 2) + text + " " * (missing - missing // 2)
        case _:
            return text + " " * missing


def _write_records(builder: DocumentBuilder, table: Table, is_link: LinkRule) -> None:
    """Write each row as lines of `heading: cell`, with an empty line between rows."""
    for number, row in enumerate(table.rows or [()]):
        if number:
            builder.begin_line()
            builder.newline()
        for label, cell in zip_longest(table.heading, row, fillvalue=()):
            _write_field(builder, label, cell, is_link)


def _write_field(builder: DocumentBuilder, label: Cell, cell: Cell, is_link: LinkRule) -> None:
    has_label, has_cell = (not is_blank(plain_inline(each)) for each in (label, cell))
    if not (has_label or has_cell):
        return
    builder.begin_line()
    if has_label:
        builder.open(Style.BOLD)
        write_inline(builder, label, is_link)
        builder.close()
        builder.write(": ")
    if has_cell:
        write_inline(builder, cell, is_link)
    else:
        builder.write(_EMPTY_CELL)
