"""What each provider's model is given beside text."""

from __future__ import annotations

import pytest

from gaia.agent.enclosures import REMOTE_DOCUMENT_CHARACTERS, intake_of
from gaia.settings.providers import ResolvedModel
from gaia.settings.schema import EmbeddedSettings, ModelSettings

TYPES = ("image/jpeg", "image/gif", "image/heic", "audio/ogg", "video/mp4", "application/pdf")
MODELS = {
    "gemini": ResolvedModel("gemini", "m"),
    "openai": ResolvedModel("openai", "m"),
    "a compatible host": ResolvedModel("openai", "m", "http://127.0.0.1:11434/v1"),
    "anthropic": ResolvedModel("anthropic", "m"),
    "embedded": ResolvedModel("embedded", "m"),
}


@pytest.mark.parametrize(
    ("name", "taken"),
    [
        ("gemini", {"image/jpeg", "image/heic", "audio/ogg", "video/mp4", "application/pdf"}),
        ("openai", {"image/jpeg", "image/gif", "application/pdf"}),
        ("a compatible host", {"image/jpeg", "image/gif"}),
        ("anthropic", {"image/jpeg", "image/gif", "application/pdf"}),
        ("embedded", set()),
    ],
)
def test_a_model_is_given_what_its_provider_takes(name: str, taken: set[str]) -> None:
    intake = intake_of(MODELS[name], ModelSettings())
    assert {media_type for media_type in TYPES if intake.accepts(media_type)} == taken
    assert not intake.accepts("application/zip")
    assert not intake.accepts("application/x-tgsticker")


@pytest.mark.parametrize("media_type", ["IMAGE/JPG", "image/jpeg; q=1", " image/jpeg "])
def test_the_spelling_of_a_type_does_not_matter(media_type: str) -> None:
    assert intake_of(MODELS["openai"], ModelSettings()).accepts(media_type)


def test_an_embedded_model_is_given_less_text_than_it_has_room_for() -> None:
    settings = ModelSettings(embedded=EmbeddedSettings(context_tokens=4096))
    assert intake_of(MODELS["embedded"], settings).document_characters == 4096
    characters = intake_of(MODELS["gemini"], settings).document_characters
    assert characters == REMOTE_DOCUMENT_CHARACTERS
