"""What is allowed in the settings and yet has no effect."""

from __future__ import annotations

from collections.abc import Iterator

from gaia.settings.schema import Settings


def advise(settings: Settings) -> Iterator[str]:
    """Say, a sentence each, which settings have no effect beside the others."""
    model = settings.model
    if model.provider == "embedded" and model.base_url:
        yield "model.base_url has no effect on the embedded model: remove it, or set model.provider"
    if model.api_version and model.provider not in ("auto", "gemini"):
        yield f"model.api_version has no effect on the provider {model.provider}: remove it"
