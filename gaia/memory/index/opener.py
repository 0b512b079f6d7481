"""From the settings to the parts of an index. Everything heavy happens in `open_parts`."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from pydantic import JsonValue, SecretStr

from gaia.errors import IndexUnavailableError
from gaia.memory.index.chroma import ChromaStorage
from gaia.memory.index.embedder import CachedEmbedder, Mem0Embedder
from gaia.memory.index.factories import AUTO, Factories, Llm
from gaia.memory.index.parts import OpenParts, Parts, Storage, local_chroma
from gaia.memory.index.pgvector import PGVECTOR, PgvectorStorage, place_of
from gaia.memory.index.shared import SharedStorage
from gaia.memory.protocols import Embedder
from gaia.paths import Home
from gaia.settings.schema import ComponentSettings, MemorySettings, Secrets

if TYPE_CHECKING:
    from sqlalchemy import URL

logger = logging.getLogger(__name__)

NO_KEY = "none"
"""Stands where a host of one's own asks for no key and its client for one."""


@dataclass(frozen=True, slots=True)
class Key:
    """The variable that a provider's key stands in, and the key."""

    variable: str
    secret: SecretStr | None


def parts_opener(
    home: Home, settings: MemorySettings, secrets: Secrets, server: URL | None = None
) -> OpenParts | None:
    """What loads the parts that the settings name; None when memory is switched off. `server`
    is the PostgreSQL database of the home, None for its gaia.db."""
    if not settings.enabled:
        return None
    return partial(open_parts, home, settings, secrets, server)


def parts_inputs(settings: MemorySettings, secrets: Secrets) -> object:
    """What the parts are made from: they are to be loaded again when that is another."""
    key = _keys(secrets).get(settings.embedder.provider)
    return settings.enabled, settings.embedder, settings.vector_store, key


def open_parts(
    home: Home, settings: MemorySettings, secrets: Secrets, server: URL | None = None
) -> Parts:
    """Load the embedder and the storage. Takes seconds: mem0 imports all of itself.

    Raises:
        IndexUnavailableError: One of them cannot be had; the message names the setting.
    """
    home.memory.mkdir(mode=0o700, exist_ok=True)
    factories = Factories(home.memory / "mem0")
    embedder = _open_embedder(settings.embedder, secrets, factories)
    storage = _open_storage(home, settings.vector_store, factories, server)
    return Parts(CachedEmbedder(embedder), storage)


def open_llm(home: Home, settings: ComponentSettings, secrets: Secrets) -> Llm:
    """The chat model of `memory.llm` where it is one of mem0's own. Takes seconds when mem0
    is not loaded.

    Raises:
        IndexUnavailableError: It cannot be had; the message names the setting.
    """
    options = dict(settings.config)
    key = _keys(secrets).get(settings.provider)
    if key is not None:
        options["api_key"] = _api_key("memory.llm", settings, key)
    try:
        return Factories(home.memory / "mem0").llm(settings.provider, options)
    except Exception as exc:
        raise _unfit("memory.llm", settings, exc) from exc


def _open_embedder(settings: ComponentSettings, secrets: Secrets, factories: Factories) -> Embedder:
    options = dict(settings.config)
    key = _keys(secrets).get(settings.provider)
    if key is not None:
        options["api_key"] = _api_key("memory.embedder", settings, key)
    try:
        embedding = factories.embedding(settings.provider, options)
    except Exception as exc:
        raise _unfit("memory.embedder", settings, exc) from exc
    return Mem0Embedder(
        settings.provider,
        embedding,
        dimensions=_dimensions(settings.config),
        key=key.variable if key else "",
    )


def _open_storage(
    home: Home, settings: ComponentSettings, factories: Factories, server: URL | None
) -> Storage:
    if settings.provider == AUTO and server is not None:
        shared = PgvectorStorage(server, {}, home.memory, factories)
        cause = shared.missing()
        if not cause:
            return shared
        shared.close()
        logger.warning("vectors are kept in this home, for one gaia alone: %s", cause)
    folder = local_chroma(home, settings)
    if folder is not None:
        return ChromaStorage(folder)
    if settings.provider == PGVECTOR:
        place = place_of(settings.config, server)
        return PgvectorStorage(place, settings.config, home.memory, factories)
    return SharedStorage(settings.provider, settings.config, home.memory, factories)


def _keys(secrets: Secrets) -> Mapping[str, Key]:
    return {
        "gemini": Key("GEMINI_API_KEY", secrets.gemini_api_key),
        "openai": Key("OPENAI_API_KEY", secrets.openai_api_key),
        "anthropic": Key("ANTHROPIC_API_KEY", secrets.anthropic_api_key),
    }


def _unfit(name: str, settings: ComponentSettings, exc: Exception) -> IndexUnavailableError:
    """What is wrong with a component, without the client's own words: they may quote the key."""
    return IndexUnavailableError(
        f"{name} cannot be opened as it is set, provider {settings.provider!r} "
        f"({type(exc).__name__}): look at docs/configuration.md"
    )


def _api_key(name: str, settings: ComponentSettings, key: Key) -> str:
    value = key.secret.get_secret_value().strip() if key.secret else ""
    if not value and settings.config.get("openai_base_url"):
        return NO_KEY
    if not value:
        raise IndexUnavailableError(
            f"{name}.provider is {settings.provider!r} but {key.variable} is not set: "
            "put it in the environment or in .env in gaia's home"
        )
    return value


def _dimensions(config: Mapping[str, JsonValue]) -> int | None:
    wanted = config.get("embedding_dims")
    return wanted if isinstance(wanted, int) else None
