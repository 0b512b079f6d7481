"""A model that calls the tools that a test wants, where the user says what the test says."""

from __future__ import annotations

from google.adk.models.llm_request import LlmRequest

from gaia.testing.function_model import Answer, ToolCall, last_user_text


class ToolScript:
    """Answers a text with its calls, one after the other; then with what the last one
    answered, or without any with an echo. The text may stand among notes."""

    def __init__(self) -> None:
        self._calls: dict[str, list[ToolCall]] = {}

    def plan(self, said: str, *calls: ToolCall) -> None:
        """Have these calls made when the user says `said`."""
        self._calls[said] = list(calls)

    def calls_left(self, said: str) -> int:
        """How many of those have not been made."""
        return len(self._calls.get(said, ()))

    def __call__(self, request: LlmRequest) -> Answer:
        lines = last_user_text(request).splitlines()
        waiting = next((self._calls[line] for line in lines if self._calls.get(line)), [])
        if waiting:
            return waiting.pop(0)
        results = [
            str(part.function_response.response)
            for content in request.contents[-1:]
            for part in content.parts or []
            if part.function_response
        ]
        return "".join(results) or f"echo: {last_user_text(request)}"
