"""A group whose commands are imported when they are called: to build all of them takes longer
than most of them run."""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, MutableMapping
from typing import Any, ClassVar

import typer
import typer.main
from typer.core import TyperGroup


class LazyCommands(MutableMapping[str, Any]):
    """Commands by name. A place is `module:name` of a function, or of a Typer app."""

    def __init__(self, built: Mapping[str, Any], places: Mapping[str, str]) -> None:
        self._built = dict(built)
        self._places = places

    def __getitem__(self, name: str) -> Any:
        if name not in self._built:
            self._built[name] = _build(name, self._places[name])
        return self._built[name]

    def __setitem__(self, name: str, command: Any) -> None:
        self._built[name] = command

    def __delitem__(self, name: str) -> None:
        del self._built[name]

    def __iter__(self) -> Iterator[str]:
        return iter({**self._places, **self._built})

    def __len__(self) -> int:
        return len({*self._places, *self._built})


class LazyGroup(TyperGroup):
    """A group with the commands at `places`, beside those that it is given."""

    places: ClassVar[Mapping[str, str]]

    def __init__(self, *, commands: Mapping[str, Any], **attributes: Any) -> None:
        super().__init__(**attributes)
        self.commands = LazyCommands(commands, self.places)


def _build(name: str, place: str) -> Any:
    module, _, attribute = place.partition(":")
    part = getattr(importlib.import_module(module), attribute)
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    if isinstance(part, typer.Typer):
        alone.add_typer(part, name=name)
    else:
        alone.command(name)(part)
    return typer.main.get_group(alone).commands[name]
