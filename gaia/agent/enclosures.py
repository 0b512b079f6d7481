"""Enclosures: the files that a request carries after what the user said, and which of them
a model takes: the media types that its host and ADK's adapter let through.

An `Intake` is a promise of the provider's documentation; whether the model in use keeps it
shows when it is asked: what it refuses is left out of a second try.

Enclosures are in the request alone: a session keeps the user's words and the labels
of the files. Each is announced by its label, and what a document says is fenced:
it is data, and nothing in it can end the fence.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from google.genai import types

from gaia import fence
from gaia.settings.providers import ResolvedModel
from gaia.settings.schema import ModelSettings

REMOTE_DOCUMENT_CHARACTERS = 60_000
"""About 15,000 tokens: a long report, and a small part of what remote models take."""

PDF = "application/pdf"
SYNONYMS = {"image/jpg": "image/jpeg", "audio/mp3": "audio/mpeg", "application/x-pdf": PDF}
"""Names that people's software gives to types, and those that providers know."""


@dataclass(frozen=True, slots=True)
class Intake:
    """Which files a model is given. `media_types` are MIME types, or `video/*`.

    `document_characters` is how much text out of documents one request may have.
    """

    media_types: frozenset[str] = frozenset()
    document_characters: int = REMOTE_DOCUMENT_CHARACTERS

    def accepts(self, media_type: str) -> bool:
        """Whether content of this type is given to the model as it is."""
        name = plain_type(media_type)
        return name in self.media_types or f"{name.partition('/')[0]}/*" in self.media_types


TEXT_ALONE = Intake()

_COMMON_IMAGES = frozenset({"image/jpeg", "image/png", "image/webp"})
_WEB_IMAGES = _COMMON_IMAGES | {"image/gif"}

GEMINI = Intake(_COMMON_IMAGES | {"image/heic", "image/heif", "audio/*", "video/*", PDF})
OPENAI = ANTHROPIC = Intake(_WEB_IMAGES | {PDF})
OPENAI_COMPATIBLE = Intake(_WEB_IMAGES)
"""ADK's adapter for Chat Completions sends whatever it is given as an image."""


@dataclass(frozen=True, slots=True)
class Media:
    """What the model looks at or hears: a picture, a sound, a film, a PDF."""

    label: str
    media_type: str
    content: bytes
    file_name: str | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """A file of text. `left_out` counts the characters that are not in `text`; `doubt`
    is why the text may be wrong."""

    label: str
    text: str
    left_out: int = 0
    doubt: str = ""


Enclosure = Media | Document


def intake_of(resolved: ResolvedModel, settings: ModelSettings) -> Intake:
    """What the model that answers takes."""
    match resolved.provider:
        case "gemini":
            return GEMINI
        case "openai":
            return OPENAI_COMPATIBLE if resolved.base_url else OPENAI
        case "anthropic":
            return ANTHROPIC
        case "embedded":
            # A character is a token at worst, and a quarter of one in most languages.
            return Intake(document_characters=settings.embedded.context_tokens)


def plain_type(media_type: str) -> str:
    """A MIME type by the name that providers know it by, without parameters."""
    name = media_type.partition(";")[0].strip().lower()
    return SYNONYMS.get(name, name)


def enclosed_parts(enclosures: Sequence[Enclosure]) -> list[types.Part]:
    """The parts of a request for `enclosures`, in their order."""
    parts = []
    for each in enclosures:
        if isinstance(each, Document):
            parts.append(types.Part(text=_fenced(each)))
        else:
            blob = types.Blob(
                mime_type=each.media_type, data=each.content, display_name=each.file_name
            )
            parts += [types.Part(text=f"[{each.label}]"), types.Part(inline_data=blob)]
    return parts


def _fenced(document: Document) -> str:
    lines = [fence.block(f"[{document.label}] says the following", document.text)]
    if document.left_out:
        lines.append(f"[{document.left_out:,} more characters are left out]")
    if document.doubt:
        lines.append(f"[{document.doubt}: tell the user, if something in it looks wrong]")
    return "\n".join(lines)
