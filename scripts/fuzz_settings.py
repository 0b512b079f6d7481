#!/usr/bin/env python3
"""Whether any gaia.yaml or `.env` can end gaia with a traceback, or be taken for another.

Loads mutated files as a start does, and checks each by `gaia config check`'s means. Fails when
anything but a `SettingsError` is raised, when a mistake names no place or no remedy, when a
message holds a secret, when one takes seconds, when a setting is not what stands in the file,
or a secret not what stands behind its name, and nothing says so. Needs the environment of
`scripts/setup-dev`.
"""

from __future__ import annotations

import re
import time
import traceback
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml
from pydantic import JsonValue

from gaia.cli.config import _check_what_they_ask_for
from gaia.errors import SettingsError
from gaia.paths import Home
from gaia.settings.load import LoadedSettings, load_settings, sound_part
from gaia.settings.schema import Settings
from tests.harness.fuzz import run, show
from tests.harness.odd_settings import SECRET, SECRETS, OddFiles, odd_files

SLOW_SECONDS = 10.0
FOREIGN = ("Traceback", "<class", " object at 0x", "errors.pydantic.dev", "yaml.org,2002:python")
"""What no sentence for people holds."""

TRUE_AND_FALSE = re.compile(r"true|false|yes|no|on|off", re.IGNORECASE)
PLAIN_NUMBER = re.compile(r"[-+]?(0|[1-9][0-9_]*)|0x[0-9a-fA-F_]+|0b[01_]+")

ESCAPES = dict(zip("abfnrtv'", "\a\b\f\n\r\t\v'", strict=True))

Path_ = tuple[str, ...]


async def fuzz(count: int, seed: int) -> bool:
    outcomes: Counter[str] = Counter()
    faults: list[str] = []
    with TemporaryDirectory(prefix="gaia-fuzz-") as folder:
        home = Home(Path(folder) / "home")
        home.create()
        for files in odd_files(count, seed):
            home.settings_file.write_bytes(files.yaml)
            home.env_file.write_bytes(files.env)
            home.env_file.chmod(0o600)
            began = time.perf_counter()
            try:
                outcome, found = examined(home, files)
            except Exception:
                outcome, found = "crashed", [traceback.format_exc()[-1_500:]]
            if (seconds := time.perf_counter() - began) > SLOW_SECONDS:
                found.append(f"it took {seconds:.0f} s")
            outcomes[outcome] += 1
            faults += [f"number {files.number}: {each}" for each in found]
    told = ", ".join(f"{times} {outcome}" for outcome, times in sorted(outcomes.items()))
    print(f"{told}; {len(faults)} faults")
    return show(faults)


def examined(home: Home, files: OddFiles) -> tuple[str, list[str]]:
    """What came of the files, and what is wrong with that."""
    try:
        loaded = load_settings(home, {})
    except SettingsError as exc:
        sound_part(home.settings_file)
        return "refused", list(_unclear(exc))
    with suppress(SettingsError):
        _check_what_they_ask_for(loaded, home)
    wrong = [*_other_settings(loaded), *_other_secrets(loaded, files.env.decode("utf-8-sig"))]
    return "warned of" if loaded.warnings else "taken", wrong


def _unclear(error: SettingsError) -> Iterator[str]:
    """What a person could not act on."""
    text = str(error)
    if any(secret in text for secret in SECRETS.values()):
        yield f"a secret is told: {text}"
    if found := next((each for each in FOREIGN if each in text), None):
        yield f"a sentence with {found!r}: {text}"
    if not error.mistakes:
        yield f"no mistake is named: {text}"
    for mistake in error.mistakes:
        if not (mistake.key or mistake.line or "file" in mistake.problem):
            yield f"no place: {mistake}"
        if len(mistake.remedy) < 5 or not mistake.problem.strip() or not mistake.file:
            yield f"no remedy: {mistake}"


def _other_settings(loaded: LoadedSettings) -> Iterator[str]:
    """Where the settings are not what YAML says of the text, or the text not what anybody
    reads in it."""
    values, defaults = loaded.settings.model_dump(mode="json"), Settings().model_dump(mode="json")
    root = yaml.compose(loaded.text, yaml.SafeLoader)
    written = dict(_scalars(root, ())) if isinstance(root, yaml.MappingNode) else {}
    warned = " ".join(loaded.warnings)
    for path, node in written.items():
        key = ".".join(path)
        value = yaml.SafeLoader("").construct_object(node)
        if SECRET in str(node.value):
            yield f"{key} holds a secret"
        if not _is_read_by_anybody(node, value) and key not in warned:
            yield f"{key} is {node.value!r}, becomes {value!r}, and nothing says so"
        if value is None:
            continue
        if node.tag.endswith("timestamp"):
            value = node.value
        held = _at(values, path)
        if held != value or isinstance(held, bool) != isinstance(value, bool):
            yield f"{key} is {value!r}, and {held!r} was taken"
    for path, value in _leaves(values, ()):
        set_here = any(path[: len(each)] == each[: len(path)] for each in written)
        if not set_here and value != _at(defaults, path):
            yield f"{'.'.join(path)} is not in the file, and {value!r}"


def _scalars(node: yaml.Node, path: Path_) -> Iterator[tuple[Path_, yaml.ScalarNode]]:
    if isinstance(node, yaml.MappingNode):
        for key, inner in node.value:
            yield from _scalars(inner, (*path, key.value))
    elif isinstance(node, yaml.SequenceNode):
        for number, inner in enumerate(node.value):
            yield from _scalars(inner, (*path, str(number)))
    elif isinstance(node, yaml.ScalarNode):
        yield path, node


def _is_read_by_anybody(node: yaml.ScalarNode, value: object) -> bool:
    """Whether YAML reads in a value without quotes what a person does."""
    text = str(node.value)
    if node.style or value is None or isinstance(value, str):
        return True
    if isinstance(value, bool):
        return TRUE_AND_FALSE.fullmatch(text) is not None
    if isinstance(value, int):
        return PLAIN_NUMBER.fullmatch(text) is not None
    return not isinstance(value, float) or ":" not in text


def _at(values: JsonValue, path: Path_) -> JsonValue:
    for part in path:
        if isinstance(values, dict):
            values = values.get(part)
        elif isinstance(values, list):
            values = values[int(part)]
        else:
            return None
    return values


def _leaves(values: JsonValue, path: Path_) -> Iterator[tuple[Path_, JsonValue]]:
    if isinstance(values, dict) and values:
        for key, inner in values.items():
            yield from _leaves(inner, (*path, key))
    else:
        yield path, values


def _other_secrets(loaded: LoadedSettings, env: str) -> Iterator[str]:
    """Where a secret is not what stands behind its name."""
    warned, expected = " ".join(loaded.warnings), _assigned(env)
    held = {each.get_secret_value() for _, each in loaded.secrets if each is not None}
    for name in loaded.secret_sources:
        # The quote that ends it may stand in the next line.
        meant = {expected[name][-1], expected[name][-1].lstrip("'\"")}
        if not meant & held and name not in warned:
            yield f"{name} is {expected[name]!r}, and {sorted(held)} were taken"
        if len(set(expected[name])) > 1 and name not in warned:
            yield f"{name} stands there as {expected[name]!r}, and nothing says so"


def _assigned(env: str) -> Mapping[str, list[str]]:
    """What anybody reads behind each name, line by line."""
    found: dict[str, list[str]] = {}
    for line in re.split(r"\r\n|\n|\r", env):
        name, equals, value = line.partition("=")
        name, value = name.strip().removeprefix("export ").strip(" '"), value.strip()
        if equals and not name.startswith("#"):
            value = re.sub(r"\s+# .*$", "", value)
            if len(value) > 1 and value[0] == value[-1] and value[0] in "'\"":
                value = _unescaped(value[1:-1], value[0])
            found.setdefault(name, []).append(value.strip())
    return found


def _unescaped(text: str, quote: str) -> str:
    """What a shell's writer means within such quotes."""
    if quote == '"':
        text = re.sub(r"\\([abfnrtv'])", lambda found: ESCAPES[found[1]], text)
    return text.replace(f"\\{quote}", quote).replace("\\\\", "\\")


if __name__ == "__main__":
    run(fuzz, __doc__, count=10_000, what="files")
