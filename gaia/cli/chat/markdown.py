"""Markdown as the chat shows it: which blocks are finished, and how they look."""

from __future__ import annotations

from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console, ConsoleOptions, RenderResult
from rich.markdown import Markdown
from rich.segment import Segment


class ReplyMarkdown:
    """A piece of a reply, to be printed with rich, without empty lines around it.

    Unlike in rich's own reading, nothing written is lost or hidden: line breaks
    stay, HTML is shown as text, and a link or image shows where it leads.
    `last_lines` keeps only the end of it.
    """

    def __init__(self, text: str, *, last_lines: int | None = None) -> None:
        self._text = text
        self._last_lines = last_lines

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        lines = console.render_lines(_parsed(self._text), options, pad=False)
        while lines and _is_blank(lines[0]):
            del lines[0]
        while lines and _is_blank(lines[-1]):
            del lines[-1]
        for line in lines if self._last_lines is None else lines[-self._last_lines :]:
            yield from line
            yield Segment.line()


def finished_length(text: str) -> int:
    """How many characters of `text` belong to blocks that more text cannot change.

    That is all before the last block: a paragraph, list, table or code fence
    may go on, and whatever stands before its beginning may not.
    """
    starts = [token.map[0] for token in _parser().parse(text) if _opens_block(token) and token.map]
    if len(starts) < 2:
        return 0
    return sum(len(line) + 1 for line in text.split("\n")[: starts[-1]])


def _parsed(text: str) -> Markdown:
    markdown = Markdown(text, hyperlinks=False)
    markdown.parsed = _parser().parse(text)
    for token in markdown.parsed:
        for child in token.children or ():
            if child.type == "softbreak":
                child.type = "hardbreak"
    return markdown


def _is_blank(line: list[Segment]) -> bool:
    return not any(segment.text.strip() for segment in line)


def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False})
    return parser.enable(["strikethrough", "table"]).disable("image")


def _opens_block(token: Token) -> bool:
    return token.level == 0 and token.nesting >= 0
