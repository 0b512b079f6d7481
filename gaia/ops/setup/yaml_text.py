"""Values put into the text of gaia.yaml, and all else in it kept to the letter.

The owner's order, comments, blank lines and quotes stay. A key that is there gets its
value where it stands; one that is not goes below the last key of its block, with the
comment that the default gaia.yaml has for it.
"""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

import yaml
from pydantic import JsonValue

from gaia.errors import SettingsError
from gaia.settings.document import NULL, KeyPath, parse_document

Comments = Mapping[KeyPath, Sequence[str]]
"""The lines of comment, `#` and all, that stand above a key where it is added."""

INDENT = 2
PLAIN = re.compile(r"[A-Za-z][\w./:-]*[\w/]|\w", re.ASCII)


def with_values(text: str, values: Mapping[KeyPath, JsonValue], comments: Comments) -> str:
    """`text`, which is a gaia.yaml without mistakes, with other values.

    Raises:
        SettingsError: It is written in a way in which that cannot be done for sure.
    """
    edited = text
    for path, value in values.items():
        edited = _with_value(edited, path, value, comments)
    _check(text, edited, values)
    return edited


def default_comments(defaults: str) -> Comments:
    """The comment above each key of the default gaia.yaml."""
    lines = defaults.splitlines()
    comments = {}
    for path, place in parse_document(Path("gaia.yaml"), defaults).key_places.items():
        above: list[str] = []
        for line in reversed(lines[: place.line - 1]):
            if not line.strip().startswith("#"):
                break
            above.insert(0, line.strip())
        comments[path] = tuple(above)
    return comments


def _with_value(text: str, path: KeyPath, value: JsonValue, comments: Comments) -> str:
    node = yaml.compose(text, yaml.SafeLoader)
    if not isinstance(node, yaml.MappingNode):
        return _insert_lines(text, len(text), _lines(text, (), path, value, 0, comments))
    for depth, name in enumerate(path):
        pair = next((pair for pair in node.value if pair[0].value == name), None)
        if pair is None:
            return _added(text, node, path[:depth], path[depth:], value, comments)
        key, inner = pair
        if depth == len(path) - 1:
            return _replaced(text, inner, _scalar(value))
        if not isinstance(inner, yaml.MappingNode):
            return _filled(text, node, key, inner, path, depth + 1, value, comments)
        node = inner
    return text


def _replaced(text: str, node: yaml.Node, new: str) -> str:
    # A block of keys ends where the next one begins, behind comments that are not its own.
    start, end = node.start_mark.index, _last(node).end_mark.index
    old = text[start:end]
    if not old:
        return f"{text[:start]} {new}{text[end:]}"
    # A value in a block of its own, behind `|`, ends with its last line.
    return f"{text[:start]}{new}{_newline(text) if old.endswith(chr(10)) else ''}{text[end:]}"


def _added(
    text: str,
    holder: yaml.MappingNode,
    above: KeyPath,
    below: KeyPath,
    value: JsonValue,
    comments: Comments,
) -> str:
    """`text` with keys that its block `holder`, which stands at `above`, does not have yet."""
    if holder.flow_style:
        start = text.index("{", holder.start_mark.index) + 1
        comma = ", " if holder.value else ""
        return f"{text[:start]}{_flow(below, value)}{comma}{text[start:]}"
    indent = holder.value[0][0].start_mark.column
    lines = _lines(text, above, below, value, indent, comments)
    return _insert_lines(text, _end_of_line(text, _last(holder).end_mark.index), lines)


def _filled(
    text: str,
    holder: yaml.MappingNode,
    key: yaml.Node,
    nothing: yaml.Node,
    path: KeyPath,
    depth: int,
    value: JsonValue,
    comments: Comments,
) -> str:
    """`text` with the first keys of a block that has none: nothing, or `null`, stands there."""
    if holder.flow_style or nothing.tag != NULL:
        return _replaced(text, nothing, f"{{{_flow(path[depth:], value)}}}")
    start, end = nothing.start_mark.index, nothing.end_mark.index
    text = text[:start].rstrip(" ") + text[end:] if end > start else text
    indent = key.start_mark.column + INDENT
    lines = _lines(text, path[:depth], path[depth:], value, indent, comments)
    return _insert_lines(text, _end_of_line(text, key.end_mark.index), lines)


def _lines(
    text: str, above: KeyPath, below: KeyPath, value: JsonValue, indent: int, comments: Comments
) -> Sequence[str]:
    """A block of its own stands apart from the one before."""
    lines = [""] if not above and text.strip() and not text.endswith(("\n\n", "\n\r\n")) else []
    for number, name in enumerate(below):
        pad = " " * (indent + number * INDENT)
        lines += [pad + line for line in comments.get((*above, *below[: number + 1]), ())]
        is_last = number == len(below) - 1
        lines.append(f"{pad}{name}: {_scalar(value)}" if is_last else f"{pad}{name}:")
    return lines


def _insert_lines(text: str, at: int, lines: Sequence[str]) -> str:
    newline = _newline(text)
    before = text[:at]
    if before and not before.endswith("\n"):
        before += newline
    return before + "".join(line + newline for line in lines) + text[at:]


def _last(node: yaml.Node) -> yaml.Node:
    """The last node in `node` that has a text of its own."""
    if isinstance(node, yaml.CollectionNode) and not node.flow_style and node.value:
        last = node.value[-1]
        return _last(last[1] if isinstance(last, tuple) else last)
    return node


def _end_of_line(text: str, index: int) -> int:
    """Where the line after that of `index` begins. What ends with its line is there already."""
    if index and text[index - 1] == "\n":
        return index
    end = text.find("\n", index)
    return len(text) if end < 0 else end + 1


def _scalar(value: JsonValue) -> str:
    """A value as it is written: without quotes where it is read as a text without them."""
    if isinstance(value, str) and PLAIN.fullmatch(value) and yaml.safe_load(value) == value:
        return value
    written = json.dumps(value, ensure_ascii=False)
    # YAML takes 1e-07 for a text.
    is_short = isinstance(value, float) and "." not in written
    return written.replace("e", ".0e") if is_short else written


def _flow(path: KeyPath, value: JsonValue) -> str:
    first, *rest = path
    inner = f"{{{_flow(tuple(rest), value)}}}" if rest else _scalar(value)
    return f"{first}: {inner}"


def _newline(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def _check(before: str, after: str, values: Mapping[KeyPath, JsonValue]) -> None:
    wanted: dict[str, JsonValue] = copy.deepcopy(parse_document(Path(), before).values)
    for path, value in values.items():
        _put(wanted, path, value)
    document = parse_document(Path(), after)
    if document.mistakes or document.values != wanted:
        told = ", ".join(f"{'.'.join(path)}: {_scalar(value)}" for path, value in values.items())
        raise SettingsError(
            "gaia.yaml is written in a way that leaves no sure place for other values, and was "
            f"left as it is: set these in it yourself: {told}"
        )


def _put(holder: dict[str, JsonValue], path: KeyPath, value: JsonValue) -> None:
    first, *rest = path
    if not rest:
        holder[first] = value
        return
    inner = holder.get(first)
    if not isinstance(inner, dict):
        inner = holder[first] = {}
    _put(inner, tuple(rest), value)
