"""Formulas, addresses, paths and names in a text, in which no sign is one of Markdown's: what a
model wrote there is what a person can copy.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_PYTHONS = (
    "init|main|name|file|all|call|str|repr|del|new|enter|exit|aenter|aexit|iter|next|len|eq|lt|gt"
    "|hash|doc|dict|class|slots|version|pycache|module|path|getattr|setattr|getitem|setitem|add"
    "|bool|contains|future|annotations|builtins|import|package|post_init|init_subclass"
)
"""Names that Python writes with two underscores on either side, where Markdown has bold."""

_SEGMENT = r"(?:\*\*?(?=[/\s]|$)|[\w.@+~$%-]+)"

_WINDOWS = r"(?:\b[a-z]:\\|(?<![\w\\])\\\\(?=\w))[^\s<>\"|?`]*"
"""A path from a drive or a server on, in which no backslash is one of Markdown's either."""

_FORMULA = (
    r"(?<![$\\])\$\$(?:(?!\n\s*\n)[^$`\\]|\\[^`])+\$\$"
    # Within a line, and not "$5 and $6", which are prices, nor **$5 or 6$**, which is bold.
    r"|(?<![\w$\\])\$(?!\s)(?:(?!\*\*)[^$`\n\\]|\\[^`\n])+(?<!\s)\$(?![\w$])"
    r"|(?<!\\)\\\((?:(?!\n\s*\n)[^`\\]|\\[^`()])+\\\)"
    r"|(?<!\\)\\\[(?:(?!\n\s*\n)[^`\\]|\\[^`\[\]])+\\\](?!\()"
    r"|\\begin\{(?P<environment>\w{1,20}\*?)\}[^`]{0,2000}?\\end\{(?P=environment)\}"
)
"""One of TeX: between its signs, or in an environment such as a matrix."""

FORMULA = re.compile(_FORMULA)
WINDOWS = re.compile(_WINDOWS, re.IGNORECASE)
LITERAL = re.compile(
    rf"(?P<formula>{_FORMULA})"
    rf"|(?P<windows>{_WINDOWS})"
    r"|(?P<address>\b(?:[a-z][a-z0-9+.-]*://|www\.)[^\s<>\"`]+)"
    r"|(?P<mail>\b[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
    rf"|(?P<path>(?<![\w/\\*])(?:\*\*?|[\w.~$%-]+)?(?:[/\\]{_SEGMENT})+[/\\]?)"
    r"|(?P<glob>(?<![\w*])\*\*?(?:/\*\*?)*(?:/[\w.-]*)?\*?\.\w+)"
    r"|(?P<file>(?<![\w*])_+\w*\.\w{1,8}\b)"
    r"|(?P<call>(?<![\w*])_+\w+(?=\())"
    rf"|(?P<dunder>(?<![\w*])__(?:{_PYTHONS})__(?![\w*]))",
    re.IGNORECASE,
)
AROUND = "*_~.,;:!?)]}'\""
"""What stands behind an address and is no part of it."""


def literals(text: str) -> Sequence[tuple[int, int]]:
    """Where each of them begins and ends, in order, without signs that emphasise it."""
    found = []
    for each in LITERAL.finditer(text):
        whole, start = each.group(), each.start()
        if each.lastgroup == "address":
            whole = whole.rstrip(AROUND)
        elif each.lastgroup == "windows":
            whole = whole.rstrip(AROUND.replace("_", ""))
        elif each.lastgroup == "path":
            bare = _unemphasised(whole, text[each.end() : each.end() + 1])
            start, whole = start + whole.index(bare), bare
        found.append((start, start + len(whole)))
    return found


def formulas(text: str) -> Sequence[tuple[int, int]]:
    """Where each formula begins and ends, in order."""
    return [each.span() for each in FORMULA.finditer(text)]


def windows_paths(text: str) -> Sequence[tuple[int, int]]:
    """Where each path of Windows begins and ends, in order."""
    return [each.span() for each in WINDOWS.finditer(text)]


def _unemphasised(path: str, behind: str) -> str:
    """A path without the signs that stand around it, or around a text that it ends."""
    if path.startswith("*/") and behind == "*":
        return path[1:]
    parts = re.split(r"[/\\]", path)
    first, last = parts[0], parts[-1]
    if last.endswith("_") and not last.startswith("_"):
        path = path.rstrip("_")
        if first.startswith("_") and not first.endswith("_"):
            path = path.lstrip("_")
    return path
