"""Writes gaia.yaml and `.env`: only what changes, checked before it is put in place.

Each file is written beside its old self and takes its place at once, so that none is ever
half there. Who reads the old one until then reads all of it. The old one is not kept: no
line of it is lost but for the values that were to be replaced.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from io import StringIO
from pathlib import Path
from stat import S_IMODE

from dotenv.parser import Binding, parse_stream
from pydantic import JsonValue

from gaia.errors import HomeError, SettingsError
from gaia.files import PRIVATE, open_new, replacing
from gaia.ops.setup.answers import Changes
from gaia.ops.setup.yaml_text import default_comments, with_values
from gaia.paths import Home
from gaia.settings.document import KeyPath
from gaia.settings.load import default_settings_file, load_settings

BYTE_ORDER_MARK = "\ufeff"

FIRST_LINES = """\
# gaia's settings. What is not here has its default:
# `gaia config show --defaults` prints every key with its meaning, `gaia config check` finds
# mistakes. Change what you like, and run `gaia setup` again whenever you like.
#
# Keys and tokens never stand here. They are in .env beside this file.
"""

HEADING = (
    "# gaia's keys and tokens. Whoever has them can act for you: keep this file to yourself.\n"
)
BARE = re.compile(r"[\w./:+=@~,-]+", re.ASCII)


def write(home: Home, changes: Changes, environ: Mapping[str, str] = os.environ) -> Sequence[Path]:
    """Put the changes into the files of a home, which is there; returns the files that are
    others now. gaia.yaml is begun if there is none; nobody else may read `.env` then.

    Raises:
        SettingsError: What would stand there then has a mistake. Nothing was written.
        HomeError: A file cannot be written.
    """
    try:
        new = {
            home.env_file: _env(home.env_file, changes.variables),
            home.settings_file: _yaml(home.settings_file, changes.settings),
        }
        differing = {file: text for file, text in new.items() if text != read(file)}
        if differing:
            _check(home, new, environ)
        for file, text in differing.items():
            put(file, text)
        if home.env_file.exists() and S_IMODE(home.env_file.stat().st_mode) & ~PRIVATE:
            home.env_file.chmod(PRIVATE)
    except OSError as exc:
        # Where a file cannot take its place, the draft is named first.
        named = exc.filename2 or exc.filename or str(home.root)
        raise HomeError(
            f"{named!r} cannot be read or written ({exc.strerror}): "
            "mend its permissions, or make room on the disk"
        ) from exc
    return list(differing)


def _yaml(file: Path, settings: Mapping[KeyPath, JsonValue]) -> str:
    mark, text = _marked(read(file), FIRST_LINES)
    comments = default_comments(default_settings_file().read_text(encoding="utf-8"))
    return mark + with_values(text, settings, comments)


def _env(file: Path, variables: Mapping[str, str]) -> str | None:
    old = read(file)
    if old is None and not variables:
        return None
    mark, text = _marked(old, HEADING)
    return mark + with_variables(text, variables)


def _marked(old: str | None, new: str) -> tuple[str, str]:
    """The byte order mark of a file, which stays, and its text; that of a new one if there is
    none."""
    text = new if old is None else old
    mark = BYTE_ORDER_MARK if text.startswith(BYTE_ORDER_MARK) else ""
    return mark, text.removeprefix(mark)


def read(file: Path) -> str | None:
    """All of a file, its line breaks as they are; None if there is none."""
    try:
        return file.read_bytes().decode()
    except FileNotFoundError:
        return None


def _check(home: Home, new: Mapping[Path, str | None], environ: Mapping[str, str]) -> None:
    """Read the new files as gaia will."""
    with tempfile.TemporaryDirectory(prefix=".setup-", dir=home.root) as folder:
        for file, text in new.items():
            if text is not None:
                with open_new(Path(folder, file.name)) as stream:
                    stream.write(text.encode())
        try:
            load_settings(Home(Path(folder)), environ)
        except SettingsError as exc:
            placed = [
                replace(each, file=str(home.root / Path(each.file).name)) for each in exc.mistakes
            ]
            raise SettingsError.of(placed) from exc


def put(file: Path, text: str | None) -> None:
    """A file that is a link stays one: what it leads to is replaced."""
    if text is None:
        return
    target = file.resolve()
    with replacing(target, target.with_name(f".{target.name}.{os.getpid()}.new")) as stream:
        stream.write(text.encode())


def with_variables(text: str, values: Mapping[str, str]) -> str:
    """`text` with these variables: where they stood last, or at its end."""
    bindings = list(parse_stream(StringIO(text, newline="")))
    last = {binding.key: number for number, binding in enumerate(bindings)}
    newline = "\r\n" if "\r\n" in text else "\n"
    edited = ""
    for number, binding in enumerate(bindings):
        name = binding.key
        if name is not None and name in values and last[name] == number:
            edited += _line(binding, values[name], newline)
        else:
            edited += binding.original.string
    for name, value in values.items():
        if name not in last:
            edited += newline if edited and not edited.endswith("\n") else ""
            edited += f"{name}={_quoted(value)}{newline}"
    return edited


def variables_in(text: str) -> Mapping[str, str]:
    """The variables that have a value there."""
    bindings = parse_stream(StringIO(text, newline=""))
    return {each.key: each.value for each in bindings if each.key and each.value}


def _line(binding: Binding, value: str, newline: str) -> str:
    old = binding.original.string
    start = old[: len(old) - len(old.lstrip())]
    export = "export " if old[len(start) :].startswith("export") else ""
    end = newline if old.endswith(("\n", "\r")) else ""
    return f"{start}{export}{binding.key}={_quoted(value)}{end}"


def _quoted(value: str) -> str:
    if BARE.fullmatch(value):
        return value
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"
