"""What a model takes beside text: the media types that its host and ADK's adapter let through.

An entry here is a promise of the provider's documentation; whether the model in
use keeps it shows when it is asked: what it refuses is left out of a second try.
"""

from __future__ import annotations

from dataclasses import dataclass

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
