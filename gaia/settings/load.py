"""How the settings are read: gaia.yaml, `.env` and the environment.

All mistakes are reported at once, in one `SettingsError`, with their place,
the value, what is allowed, and a remedy. Nothing is written, and the
environment stays as it is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from pydantic import JsonValue, ValidationError

import gaia
from gaia.errors import HomeError, SettingsError
from gaia.files import read_bounded, rewrite
from gaia.mistakes import Mistake
from gaia.paths import Home
from gaia.settings.document import Document, parse_document
from gaia.settings.keys import block_of, explain
from gaia.settings.schema import LARGEST_BYTES, Block, Secrets, Settings
from gaia.settings.secrets import find_secrets, is_secret, variable_for
from gaia.settings.urls import with_version


@dataclass(frozen=True, slots=True)
class LoadedSettings:
    """The effective settings, and where they come from.

    `lines` has the line of each key that gaia.yaml sets, by its dotted path;
    `secret_sources` has the place of each secret that is set, by its variable. `text` is
    what stood in the file; `problem` is why the present file is not used, empty if it is.
    """

    settings: Settings
    secrets: Secrets
    warnings: tuple[str, ...]
    lines: Mapping[str, int]
    secret_sources: Mapping[str, str]
    file: Path = Path("gaia.yaml")
    text: str = ""
    problem: str = ""

    def placed(self, mistake: Mistake) -> Mistake:
        """`mistake` with the file and, if its key is set there, the line."""
        return replace(mistake, file=str(self.file), line=self.lines.get(mistake.key))


def load_settings(
    home: Home, environ: Mapping[str, str] = os.environ, *, file: Path | None = None
) -> LoadedSettings:
    """Read the settings and secrets of `home`. Files that do not exist count as empty;
    `file` is in the place of gaia.yaml.

    Raises:
        SettingsError: Something is wrong; all mistakes are in it.
    """
    found = find_secrets(home.env_file, environ)
    file = file or home.settings_file
    document = _read_document(file)
    _refuse_secrets(document)
    settings = _validate(document)
    mistakes = [*sorted(document.mistakes, key=_place_in_file), *found.mistakes]
    if mistakes or settings is None:
        raise SettingsError.of(mistakes)
    return LoadedSettings(
        settings=settings,
        secrets=found.secrets,
        warnings=(*found.warnings, *document.warnings, *advise(settings)),
        lines={".".join(path): place.line for path, place in document.key_places.items()},
        secret_sources=found.sources,
        file=file,
        text=document.text,
    )


def _read_document(file: Path) -> Document:
    try:
        text = read_bounded(file, LARGEST_BYTES).decode("utf-8-sig")
    except UnicodeDecodeError as exc:
        return _unreadable(file, f"it is not UTF-8 at byte {exc.start + 1}", "Save it as UTF-8")
    except (FileNotFoundError, NotADirectoryError):
        if not file.is_symlink():
            return Document(file)
        return _unreadable(file, "it links to a file that does not exist", "Mend the link")
    except OSError as exc:
        return _unreadable(file, exc.strerror or "unknown cause", "Make it a readable file")
    return parse_document(file, text)


def _unreadable(file: Path, cause: str, remedy: str) -> Document:
    document = Document(file)
    document.add_mistake(None, (), f"the file cannot be read: {cause}", remedy)
    return document


def _refuse_secrets(document: Document) -> None:
    for path, text in reversed(list(document.scalars())):
        if not is_secret(path, text):
            continue
        variable = variable_for(text)
        remedy = f"Put it in {document.file.parent / '.env'}"
        if variable:
            remedy += f" as {variable}=..."
        document.add_mistake(document.value_places.get(path), path, "looks like a secret", remedy)
        document.remove(path)


def _validate(document: Document) -> Settings | None:
    values = _without_blanks(document.values, Settings)
    try:
        # JSON is the strict mode that takes plain data for a block.
        return Settings.model_validate_json(json.dumps(values), strict=True)
    except ValidationError as exc:
        explain(exc, document)
        return None


def sound_part(file: Path) -> tuple[Settings, Mapping[str, int]]:
    """The settings of a file without its mistakes, and the lines of its keys."""
    document = _read_document(file)
    _refuse_secrets(document)
    lines = {".".join(path): place.line for path, place in document.key_places.items()}
    for depth in (None, 1):
        try:
            values = _without_blanks(document.values, Settings)
            return Settings.model_validate_json(json.dumps(values), strict=True), lines
        except ValidationError as exc:
            for error in exc.errors():
                with suppress(ValueError, IndexError):
                    document.remove(tuple(map(str, error["loc"]))[:depth])
    return Settings(), lines


def _without_blanks(values: Mapping[str, JsonValue], block: type[Block]) -> dict[str, JsonValue]:
    """Drop known keys that have no value: they keep their default."""
    kept: dict[str, JsonValue] = {}
    for name, value in values.items():
        field = block.model_fields.get(name)
        inner = block_of(field) if field else None
        if field is not None and value is None:
            continue
        kept[name] = _without_blanks(value, inner) if inner and isinstance(value, dict) else value
    return kept


def _place_in_file(mistake: Mistake) -> tuple[int, int]:
    return mistake.line or 0, mistake.column or 0


def advise(settings: Settings) -> Iterator[str]:
    """Say, a sentence each, which settings are not as they should be."""
    model = settings.model
    if model.provider == "embedded" and model.base_url:
        yield "model.base_url has no effect on the embedded model: remove it, or set model.provider"
    bare = model.base_url and not urlsplit(model.base_url).path.strip("/")
    if bare and model.provider in ("auto", "openai"):
        yield (
            "model.base_url has no path: most hosts of OpenAI's protocol want "
            f"{with_version(model.base_url)}. 'gaia doctor' finds out what this one wants"
        )
    if model.api_version and model.provider not in ("auto", "gemini"):
        yield f"model.api_version has no effect on the provider {model.provider}: remove it"
    whatsapp = settings.channels.whatsapp
    if whatsapp.enabled and not _is_private(whatsapp.public_url):
        yield (
            "channels.whatsapp.public_url is not https: what people write can be read on its "
            "way to gaia. Put a proxy or a tunnel with a certificate before it"
        )


def _is_private(url: str) -> bool:
    """Whether nobody can read along on the way to that address."""
    parts = urlsplit(url)
    host = parts.hostname or ""
    try:
        is_here = ip_address(host).is_loopback
    except ValueError:
        is_here = host == "localhost"
    return parts.scheme == "https" or is_here


def config_folder() -> Path:
    """The folder of these files: in the package when gaia was installed from a wheel,
    at the top of the checkout otherwise."""
    package = Path(gaia.__file__).parent
    installed = package / "config"
    return installed if installed.is_dir() else package.parent / "config"


def default_settings_file() -> Path:
    """gaia.yaml with every key, its default and what it means."""
    return config_folder() / "gaia.yaml"


def keep(home: Home, loaded: LoadedSettings) -> None:
    """Keep the text that these settings were read from, whole or not at all.

    Raises:
        HomeError: It cannot be written.
    """
    file = home.last_good_settings_file
    try:
        if file.exists() and read_bounded(file, LARGEST_BYTES).decode() == loaded.text:
            return
        rewrite(file, loaded.text.encode())
    except (OSError, UnicodeDecodeError) as exc:
        raise HomeError(
            f"the last good settings cannot be kept as {str(file)!r} ({exc}): "
            "make the home writable by this user, and free some space"
        ) from exc


def load_last_good(
    home: Home, error: SettingsError, environ: Mapping[str, str] = os.environ
) -> LoadedSettings:
    """The settings of the last good gaia.yaml, in place of the present one, whose mistakes
    `error` tells.

    Raises:
        SettingsError: `error`, if there are none, or `.env` is what is wrong.
    """
    file = home.last_good_settings_file
    if not file.exists():
        raise error
    try:
        loaded = load_settings(home, environ, file=file)
    except SettingsError:
        raise error from None
    return replace(loaded, problem=problem_of(error, home.settings_file))


def problem_of(error: SettingsError, file: Path) -> str:
    """The mistakes in a line, for status pages."""
    first = error.mistakes[0] if error.mistakes else None
    if first is None:
        return f"{file.name} is not used: {error}"
    count = len(error.mistakes)
    counted = "a mistake" if count == 1 else f"{count} mistakes, the first"
    place = f", line {first.line}" if first.line else ""
    about = f"{first.key} {first.problem}".strip()
    return (
        f"{Path(first.file).name}{place} has {counted}: {about}. "
        "The last good settings hold; 'gaia config check' tells more"
    )
