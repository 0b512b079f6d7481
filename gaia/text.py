"""Texts cut to what a line has room for."""

from __future__ import annotations

ELLIPSIS = "…"


def cut(text: str, longest: int) -> str:
    """`text` itself, or its beginning and an ellipsis: at most `longest` characters."""
    return text if len(text) <= longest else f"{text[: longest - 1].rstrip()}{ELLIPSIS}"


def one_line(text: str, longest: int | None = None) -> str:
    """`text` on one line, its words one space apart; cut when it is longer."""
    line = " ".join(text.split())
    return line if longest is None else cut(line, longest)
