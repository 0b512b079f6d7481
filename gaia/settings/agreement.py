"""What several processes on one database tell each other of their settings, so that all agree.

Each telling has a number, and of a setting only the last one counts. A process tells what was
changed in its own gaia.yaml, and takes up what was told since it looked last. It does both at
once, one process after the other: of two that change the same key, the second one tells it
after the first, and both end up with what the second one says.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import JsonValue, TypeAdapter

from gaia.files import rewrite
from gaia.settings.changes import is_shared, list_settings
from gaia.settings.keys import all_keys
from gaia.settings.load import LoadedSettings

Values = Mapping[str, JsonValue]
"""Settings by their keys."""


@dataclass(frozen=True, slots=True)
class ToldValue:
    """What was told last of a setting, and which process did. What was told at once has one
    number."""

    number: int
    key: str
    value: JsonValue
    told_by: str


@dataclass(frozen=True, slots=True)
class Position:
    """How far a home is: the last number that it has `seen`, its own shared settings then, and
    what it had still to take up, or could not."""

    seen: int
    values: dict[str, JsonValue]
    left: dict[str, JsonValue]


@dataclass(frozen=True, slots=True)
class Exchange:
    """What a process has to tell, what it has to take up, and how far it is then."""

    tell: Values
    take: Sequence[ToldValue]
    position: Position


_POSITION = TypeAdapter(Position)


def shared_values(loaded: LoadedSettings) -> dict[str, JsonValue]:
    """The settings that are the same for all processes. No secret is one of them."""
    return {each.key: each.value for each in list_settings(loaded) if is_shared(each.key)}


def exchange(
    present: dict[str, JsonValue], position: Position | None, told: Sequence[ToldValue]
) -> Exchange:
    """What a home has to do whose shared settings are these, when this was `told` by all.
    Without a position it is new: it keeps what it has, and tells nothing of it.

    A number beyond the newest is one of before the database was restored."""
    newest = max((each.number for each in told), default=0)
    if position is None:
        return Exchange({}, (), Position(newest, present, {}))
    last = {each.key: each.value for each in told}
    tell = {
        key: value
        for key, value in present.items()
        # A value that was about to be taken up was changed by nobody here.
        if value not in (position.values.get(key), position.left.get(key), last.get(key))
    }
    take = [
        each
        for each in told
        if (each.number > position.seen or each.key in position.left)
        and each.key not in tell
        and is_shared(each.key)
        and each.value != present.get(each.key)
    ]
    left = {each.key: each.value for each in take}
    return Exchange(tell, take, Position(newest + 1 if tell else newest, present, left))


def read_position(file: Path) -> Position | None:
    """The position that was kept; None if there is none. Blocks.

    Raises:
        OSError: It cannot be read.
        ValueError: It is none.
    """
    if not file.exists():
        return None
    kept = _POSITION.validate_json(file.read_bytes())
    return Position(kept.seen, {**_defaults(), **kept.values}, kept.left)


def keep_position(file: Path, position: Position) -> None:
    """Keep it. Of a setting that has its default nothing is kept: another version may have
    another one. Blocks.

    Raises:
        OSError: It cannot be written.
    """
    defaults = _defaults()
    values = {k: each for k, each in position.values.items() if each != defaults.get(k)}
    rewrite(file, _POSITION.dump_json(Position(position.seen, values, position.left)))


def _defaults() -> dict[str, JsonValue]:
    return {str(key): key.default for key in all_keys()}
