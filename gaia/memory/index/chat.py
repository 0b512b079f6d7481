"""gaia's own chat model as a provider of mem0's: what `memory.llm.provider: auto` is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from mem0.configs.llms.base import BaseLlmConfig  # type: ignore[import-untyped]
from mem0.llms.base import LLMBase  # type: ignore[import-untyped]


class Ask(Protocol):
    """Asks the chat model. Blocks, and may be called from any thread but the loop's."""

    def __call__(self, messages: Sequence[Mapping[str, str]], *, wants_json: bool) -> str:
        """The answer to messages of the roles `system`, `user` and `assistant`.

        Raises `ModelError`.
        """
        ...


class AutoConfig(BaseLlmConfig):  # type: ignore[misc]
    """The one thing that the model needs to know: whom to ask."""

    def __init__(self, ask: Ask) -> None:
        super().__init__(model="auto")
        self.ask = ask


class AutoLlm(LLMBase):  # type: ignore[misc]
    """Has no tools: mem0 asks for none when it extracts."""

    config: AutoConfig

    def generate_response(
        self,
        messages: Sequence[Mapping[str, str]],
        tools: Sequence[Mapping[str, Any]] | None = None,
        tool_choice: str = "auto",
        response_format: Mapping[str, str] | None = None,
        **kwargs: Any,
    ) -> str:
        wants_json = (response_format or {}).get("type") == "json_object"
        return self.config.ask(messages, wants_json=wants_json)
