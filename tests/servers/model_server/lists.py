"""The list of the models that there are, as each provider's client asks for it."""

from __future__ import annotations

from collections.abc import Mapping

from tests.servers.model_server.anthropic import AnthropicProtocol
from tests.servers.model_server.gemini import GeminiProtocol
from tests.servers.model_server.openai import OpenAIProtocol
from tests.servers.model_server.protocol import Json, WireProtocol


def listing(headers: Mapping[str, str], name: str) -> tuple[WireProtocol, Json]:
    """The protocol that a request for the list is in, and a list with one model."""
    if "x-goog-api-key" in headers:
        return GeminiProtocol(), {"models": [{"name": f"models/{name}"}]}
    if "anthropic-version" in headers:
        model: Json = {
            "id": name,
            "type": "model",
            "display_name": name,
            "created_at": "2026-01-01T00:00:00Z",
        }
        return AnthropicProtocol(), {"data": [model], "has_more": False}
    served: Json = {"id": name, "object": "model", "created": 0, "owned_by": "gaia"}
    return OpenAIProtocol(), {"object": "list", "data": [served]}
