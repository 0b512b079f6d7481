"""What pydantic found wrong, told in the words of the configuration file."""

from __future__ import annotations

import json
from difflib import get_close_matches

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from gaia.settings.document import Document, KeyPath
from gaia.settings.keys import describe_allowed, suggest
from gaia.settings.secrets import is_secret
from gaia.settings.urls import MeantError

SHOWN_CHARACTERS = 60


def explain(error: ValidationError, document: Document) -> None:
    """Note each finding of `error` as a mistake in `document`, at its place."""
    for details in error.errors(include_url=False):
        path = tuple(str(part) for part in details["loc"])
        if details["type"] == "extra_forbidden":
            _explain_unknown(document, path)
        elif details["type"] == "missing":
            _explain_missing(document, path)
        else:
            _explain_value(document, path, details)


def _explain_unknown(document: Document, path: KeyPath) -> None:
    meant = suggest(path)
    remedy = f"Did you mean {meant}?" if meant else "Remove it"
    document.add_mistake(document.key_places.get(path), path, "is not a setting", remedy)


def _explain_missing(document: Document, path: KeyPath) -> None:
    remedy = f"Add it: {describe_allowed(path)}"
    document.add_mistake(document.key_places.get(path[:-1]), path, "is missing", remedy)


def _explain_value(document: Document, path: KeyPath, details: ErrorDetails) -> None:
    place = document.value_places.get(path)
    if isinstance(details["input"], dict):
        cause = details.get("ctx", {}).get("error")
        if isinstance(cause, ValueError):
            document.add_mistake(place, path, f"does not fit: {cause}", "Change one of the two")
            return
    shown = show_value(path, details["input"])
    remedy = f"Allowed: {describe_allowed(path)}"
    cause = details.get("ctx", {}).get("error")
    if isinstance(cause, MeantError):
        remedy = f"Set it to {cause.meant}"
    if details["type"] == "literal_error":
        remedy += _suggest_word(str(details["input"]), describe_allowed(path).split(", "))
    document.add_mistake(place, path, f"is {shown}", remedy)


def _suggest_word(said: str, allowed: list[str]) -> str:
    by_lower = {word.lower(): word for word in allowed}
    meant = get_close_matches(said.lower(), by_lower, n=1, cutoff=0.7)
    return f". Did you mean {by_lower[meant[0]]}?" if meant else ""


def show_value(path: KeyPath, value: object) -> str:
    """The value as it may be shown in a message: short, and never a secret."""
    if isinstance(value, dict):
        return "a block"
    if isinstance(value, list):
        return "a list"
    if isinstance(value, str) and is_secret(path, value):
        return "a secret"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}..."
