"""mem0's factories, typed: the one module that imports mem0.

mem0 is not typed and its package imports all of itself, for seconds and 60 MB: what comes
out of here are protocols, and nothing is imported before a component is made. The embedder
that comes with gaia and a local Chroma are opened without it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Literal, Protocol, cast

from pydantic import JsonValue

from gaia.memory.index.environment import prepare

if TYPE_CHECKING:
    from gaia.memory.index.chat import Ask

EMBEDDED = "embedded"
"""The name of the embedder that comes with gaia, among mem0's."""

AUTO = "auto"
"""The name of what gaia has by itself: its own chat model, among mem0's, and the vector store
that goes with the home's database."""

PLACES = frozenset({"client", "connection_string", "host", "path", "url"})
"""Options that tell where a store lies."""

Options = Mapping[str, JsonValue]


def known_providers() -> tuple[Sequence[str], Sequence[str], Sequence[str]]:
    """The names that mem0 has for chat models, embedders and vector stores. For a process
    that goes on to open none of them."""
    with TemporaryDirectory() as folder:
        prepare(Path(folder))
        from mem0.utils.factory import (  # type: ignore[import-untyped]
            EmbedderFactory,
            LlmFactory,
            VectorStoreFactory,
        )

    factories = (LlmFactory, EmbedderFactory, VectorStoreFactory)
    llms, embedders, stores = (list(each.provider_to_class) for each in factories)
    return llms, embedders, stores


class EmbeddingConfig(Protocol):
    """What a component of mem0 was made with, its own defaults included."""

    @property
    def model(self) -> str | None: ...


class Embedding(Protocol):
    """An embedder of mem0."""

    @property
    def config(self) -> EmbeddingConfig: ...

    def embed(self, text: str, memory_action: Literal["add", "search"]) -> Sequence[float]: ...

    def embed_batch(
        self, texts: Sequence[str], memory_action: Literal["add"]
    ) -> Sequence[Sequence[float]]: ...


class Llm(Protocol):
    """A chat model of mem0."""

    def generate_response(
        self,
        messages: Sequence[Mapping[str, str]],
        response_format: Mapping[str, str] | None = None,
    ) -> str: ...


class Hit(Protocol):
    """What a store of mem0 found."""

    @property
    def id(self) -> str | int | None: ...

    @property
    def score(self) -> float | None: ...

    @property
    def payload(self) -> Mapping[str, object] | None: ...


class Vectors(Protocol):
    """A vector store of mem0: one collection."""

    def insert(
        self,
        vectors: Sequence[Sequence[float]],
        payloads: Sequence[Mapping[str, str]],
        ids: Sequence[str],
    ) -> object: ...

    def search(
        self, query: str, vectors: Sequence[float], top_k: int, filters: Mapping[str, str] | None
    ) -> Sequence[Hit]: ...

    def get(self, vector_id: str) -> Hit | None: ...

    def delete(self, vector_id: str) -> object: ...

    def create_col(self) -> object: ...

    def delete_col(self) -> object: ...

    def list(self, filters: Mapping[str, str], top_k: int) -> object: ...


class Factories:
    """Makes the components of an index. The first of mem0's imports it, with its home in
    `folder` and its telemetry off."""

    def __init__(self, folder: Path) -> None:
        prepare(folder)

    def embedding(self, provider: str, options: Options) -> Embedding:
        """An embedder. Raises what mem0 or the provider's client raise."""
        if provider == EMBEDDED:
            from gaia.memory.index.embedded import Embedded, EmbeddedConfig

            return Embedded(EmbeddedConfig.of(options))

        from mem0.utils.factory import EmbedderFactory

        return cast("Embedding", EmbedderFactory.create(provider, dict(options), None))

    def llm(self, provider: str, options: Options) -> Llm:
        """A chat model. Raises what mem0 or the provider's client raise."""
        from mem0.utils.factory import LlmFactory

        return cast("Llm", LlmFactory.create(provider, dict(options)))

    def auto_llm(self, ask: Ask) -> Llm:
        """gaia's own chat model, the one behind `ask`."""
        from mem0.utils.factory import LlmFactory

        from gaia.memory.index.chat import AutoConfig

        LlmFactory.register_provider(AUTO, "gaia.memory.index.chat.AutoLlm")
        return cast("Llm", LlmFactory.create(AUTO, AutoConfig(ask)))

    def vectors(
        self, provider: str, options: Mapping[str, object], dimensions: int, *, folder: Path
    ) -> Vectors:
        """A vector store, with mem0's own defaults for what `options` leave out.

        Files of one that is not told where to have them are in `folder`, and vectors
        have `dimensions` numbers.
        """
        from mem0.utils.factory import VectorStoreFactory
        from mem0.vector_stores.configs import (  # type: ignore[import-untyped]
            VectorStoreConfig,
        )

        fields = type(
            VectorStoreConfig(provider=provider, config=dict(options)).config
        ).model_fields
        defaults: dict[str, object] = {}
        if "path" in fields and not PLACES & set(options):
            defaults["path"] = str(folder / provider)
        if "embedding_model_dims" in fields:
            defaults["embedding_model_dims"] = dimensions
        config = VectorStoreConfig(provider=provider, config=defaults | dict(options)).config
        return cast("Vectors", VectorStoreFactory.create(provider, config))
