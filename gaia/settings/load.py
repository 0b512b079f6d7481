"""How the settings are read: gaia.yaml, `.env` and the environment.

All mistakes are reported at once, in one `SettingsError`, with their place,
the value, what is allowed, and a remedy. Nothing is written, and the
environment stays as it is.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import JsonValue, ValidationError

from gaia.errors import SettingsError
from gaia.mistakes import Mistake
from gaia.paths import Home
from gaia.settings.advice import advise
from gaia.settings.document import Document, parse_document
from gaia.settings.explain import explain
from gaia.settings.keys import block_of
from gaia.settings.schema import Block, Secrets, Settings
from gaia.settings.secret_shapes import variable_for
from gaia.settings.secrets import find_secrets, is_secret


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
        warnings=(*found.warnings, *advise(settings)),
        lines={".".join(path): place.line for path, place in document.key_places.items()},
        secret_sources=found.sources,
        file=file,
        text=document.text,
    )


def _read_document(file: Path) -> Document:
    try:
        text = file.read_text(encoding="utf-8-sig")
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
