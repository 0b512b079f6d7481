"""What is allowed in the settings and yet has no effect, or one that is seldom wanted."""

from __future__ import annotations

from collections.abc import Iterator
from ipaddress import ip_address
from urllib.parse import urlsplit

from gaia.settings.schema import Settings
from gaia.settings.urls import with_version


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
