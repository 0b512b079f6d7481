"""gaia.yaml as plain data, with the place of each key.

YAML is read down to its nodes with the safe loader and no further: tags that
make objects, duplicate keys and aliases are mistakes. What the keys mean is
not known here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import yaml
from pydantic import JsonValue

from gaia.mistakes import Mistake
from gaia.settings.secrets import conceal
from gaia.settings.surprises import silent

KeyPath = tuple[str, ...]
"""The keys that lead to a value; an item of a list goes by its index."""

STANDARD = "tag:yaml.org,2002:"
"""Stands for the `!!` of a tag."""

NULL = f"{STANDARD}null"
KINDS = ("null", "bool", "int", "float", "str", "timestamp", "map", "seq")
TAGS = {f"{STANDARD}{kind}" for kind in KINDS}
TIMESTAMP = f"{STANDARD}timestamp"


@dataclass(frozen=True, slots=True)
class Place:
    """Where something stands in a file. Both numbers count from 1."""

    line: int
    column: int


@dataclass(slots=True)
class Document:
    """The contents of a file: its values, their places, and what is wrong with it."""

    file: Path
    text: str = ""
    values: dict[str, JsonValue] = field(default_factory=dict)
    key_places: dict[KeyPath, Place] = field(default_factory=dict)
    value_places: dict[KeyPath, Place] = field(default_factory=dict)
    mistakes: list[Mistake] = field(default_factory=list)
    written: dict[KeyPath, str] = field(default_factory=dict)
    """The values without quotes, as they stand in the file."""
    warnings: list[str] = field(default_factory=list)

    def add_mistake(self, place: Place | None, path: KeyPath, problem: str, remedy: str) -> None:
        """Note a mistake at `place`; None means the file as a whole."""
        line, column = (place.line, place.column) if place else (None, None)
        key, problem = conceal(".".join(path)), conceal(problem)
        self.mistakes.append(Mistake(str(self.file), line, column, key, problem, remedy))

    def remove(self, path: KeyPath) -> None:
        """Take the value at `path` out; nothing happens when there is none."""
        holder: JsonValue = self.values
        for part in path[:-1]:
            if isinstance(holder, dict):
                holder = holder.get(part)
            elif isinstance(holder, list):
                holder = holder[int(part)]
        if isinstance(holder, dict):
            holder.pop(path[-1], None)
        elif isinstance(holder, list):
            del holder[int(path[-1])]

    def scalars(self) -> Iterator[tuple[KeyPath, str]]:
        """Every text and number in the file, as text, with the path that leads to it."""
        return _scalars(self.values, ())


def parse_document(file: Path, text: str) -> Document:
    """Read `text`, which stands in `file`. An empty one has no values."""
    document = Document(file, text)
    try:
        loader = yaml.SafeLoader(text)
        root = loader.get_single_node()
        if isinstance(root, yaml.MappingNode):
            _Reader(loader, document).read_mapping(root, (), document.values)
        elif root is not None and root.tag != NULL:
            remedy = "Write blocks such as `model:` with indented keys below"
            document.add_mistake(
                _place(root.start_mark), (), "the file holds no keys with values", remedy
            )
    except yaml.reader.ReaderError as exc:
        before = text[: exc.position]
        place = Place(before.count("\n") + 1, exc.position - (before.rfind("\n") + 1) + 1)
        remedy = "Remove that character, or save the file as plain UTF-8 text"
        document.add_mistake(place, (), f"the character U+{exc.character:04X} is no text", remedy)
    except yaml.MarkedYAMLError as exc:
        mark = exc.problem_mark or exc.context_mark
        problem = ", ".join(part for part in (exc.context, exc.problem) if part)
        remedy = "Indent with spaces only" if "'\\t'" in problem else "Mend the YAML at that place"
        document.add_mistake(
            _place(mark) if mark else None, (), f"this is not YAML: {problem}", remedy
        )
    except RecursionError:
        document.add_mistake(None, (), "the file is nested too deeply", "Nest fewer levels")
    return document


class _Reader:
    """Turns nodes into values, and notes their places and mistakes in the document."""

    def __init__(self, loader: yaml.SafeLoader, document: Document) -> None:
        self._loader = loader
        self._document = document
        self._seen: set[int] = set()

    def read_mapping(
        self, node: yaml.MappingNode, path: KeyPath, into: dict[str, JsonValue]
    ) -> None:
        for key_node, value_node in node.value:
            place = _place(key_node.start_mark)
            if not isinstance(key_node, yaml.ScalarNode) or not key_node.value.isprintable():
                self._document.add_mistake(
                    place, path, "has a key that is not a word", "Write keys as plain words"
                )
                continue
            key_path = (*path, key_node.value)
            earlier = self._document.key_places.get(key_path)
            if earlier is not None:
                self._document.add_mistake(
                    place,
                    key_path,
                    f"stands here again, and first in line {earlier.line}",
                    "Keep one of the two",
                )
                continue
            self._document.key_places[key_path] = place
            into[key_node.value] = self._read(value_node, key_path)

    def _read(self, node: yaml.Node, path: KeyPath) -> JsonValue:
        place = _place(node.start_mark)
        self._document.value_places[path] = place
        if id(node) in self._seen:
            self._document.add_mistake(
                place, path, "repeats another value by `*alias`", "Write the value out"
            )
            return None
        self._seen.add(id(node))
        if node.tag not in TAGS:
            remedy = "Write it without the `!` tag"
            tag = node.tag.replace(STANDARD, "!!")
            self._document.add_mistake(place, path, f"has the tag {tag!r}", remedy)
            return None
        if isinstance(node, yaml.MappingNode):
            values: dict[str, JsonValue] = {}
            self.read_mapping(node, path, values)
            return values
        if isinstance(node, yaml.SequenceNode):
            return [
                self._read(item, (*path, str(number))) for number, item in enumerate(node.value)
            ]
        return self._read_scalar(node, path)

    def _read_scalar(self, node: yaml.Node, path: KeyPath) -> JsonValue:
        place = self._document.value_places[path]
        if node.tag == TIMESTAMP:
            return str(node.value)
        try:
            value: JsonValue = self._loader.construct_object(node)
            if isinstance(value, str):
                value.encode()
        except (ValueError, KeyError):
            kind = node.tag.rpartition(":")[2]
            remedy = "Mend the value, or the `!!` tag or `\\u` escape in it"
            self._document.add_mistake(place, path, f"cannot be read as {kind}", remedy)
            return None
        self._note(node, path, value)
        return value

    def _note(self, node: yaml.Node, path: KeyPath, value: JsonValue) -> None:
        """Keep how a value is written, and warn of what it silently became."""
        is_plain = isinstance(node, yaml.ScalarNode) and not node.style
        written, end = str(node.value) if is_plain else "", node.end_mark
        if written:
            self._document.written[path] = written
        behind = self._document.text[end.index :].partition("\n")[0]
        for told in silent(".".join(path), written, value, behind):
            place = self._document.value_places[path]
            self._document.warnings.append(
                f"{self._document.file}, line {place.line}: {conceal(told)}"
            )


def _scalars(value: JsonValue, path: KeyPath) -> Iterator[tuple[KeyPath, str]]:
    if isinstance(value, dict):
        for key, inner in value.items():
            yield from _scalars(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _scalars(inner, (*path, str(number)))
    elif value is not None and not isinstance(value, bool):
        yield path, str(value)


def _place(mark: yaml.Mark) -> Place:
    return Place(mark.line + 1, mark.column + 1)
