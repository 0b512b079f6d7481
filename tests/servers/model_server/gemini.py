"""The Gemini protocol: generateContent and streamGenerateContent?alt=sse."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

from pydantic import BaseModel, Field, JsonValue

from tests.servers.model_server.conversation import Answer, Asked, Message, usage_of
from tests.servers.model_server.protocol import Headers, Json

RETRY_INFO = "type.googleapis.com/google.rpc.RetryInfo"

STATUS_NAMES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    500: "INTERNAL",
    503: "UNAVAILABLE",
}


class _FunctionResponse(BaseModel):
    name: str
    response: JsonValue = None


class _Part(BaseModel):
    text: str = ""
    functionResponse: _FunctionResponse | None = None  # noqa: N815


class _Content(BaseModel):
    role: str = "user"
    parts: list[_Part] = Field(default_factory=list)

    @property
    def text(self) -> str:
        return "\n".join(part.text for part in self.parts if part.text)


class _Declaration(BaseModel):
    name: str


class _Tool(BaseModel):
    functionDeclarations: list[_Declaration] = Field(default_factory=list)  # noqa: N815


class _Config(BaseModel):
    responseJsonSchema: dict[str, JsonValue] | None = None  # noqa: N815


class _Request(BaseModel):
    contents: list[_Content]
    systemInstruction: _Content | None = None  # noqa: N815
    tools: list[_Tool] = Field(default_factory=list)
    generationConfig: _Config = _Config()  # noqa: N815


class GeminiProtocol:
    """Google's Generative Language API."""

    name = "gemini"

    def key(self, headers: Mapping[str, str]) -> str:
        return headers.get("x-goog-api-key", "")

    def read(self, body: bytes, *, path: str) -> Asked:
        request = _Request.model_validate_json(body)
        model, _, method = path.rpartition("/models/")[2].partition(":")
        return Asked(
            model=model,
            stream=method == "streamGenerateContent",
            system=request.systemInstruction.text if request.systemInstruction else "",
            messages=tuple(m for content in request.contents for m in _messages(content)),
            tools=tuple(d.name for tool in request.tools for d in tool.functionDeclarations),
            shape=request.generationConfig.responseJsonSchema,
        )

    def whole(self, asked: Asked, answer: Answer) -> Json:
        if answer.blocked:
            return self._frame(asked, answer, [], "SAFETY")
        if answer.call is not None:
            call: Json = {"name": answer.call.name, "args": dict(answer.call.args)}
            return self._frame(asked, answer, [{"functionCall": call}], "STOP")
        return self._frame(asked, answer, [{"text": answer.text}], _reason(answer))

    def events(self, asked: Asked, answer: Answer) -> Sequence[str]:
        if answer.blocked or answer.call is not None:
            return [_event(self.whole(asked, answer))]
        pieces = [self._frame(asked, None, [{"text": piece}], None) for piece in answer.pieces()]
        end = self._frame(asked, answer, [], _reason(answer))
        return [_event(frame) for frame in (*pieces, end)]

    def error(self, status: int, message: str, *, retry_after: str) -> tuple[Json, Headers]:
        """Google asks to wait in the body, not in a header."""
        error: Json = {
            "code": status,
            "message": message,
            "status": STATUS_NAMES.get(status, "UNKNOWN"),
        }
        if retry_after:
            error["details"] = [{"@type": RETRY_INFO, "retryDelay": f"{retry_after}s"}]
        return {"error": error}, {}

    def _frame(
        self, asked: Asked, counted: Answer | None, parts: list[JsonValue], reason: str | None
    ) -> Json:
        """One response object; only the last of a stream counts tokens and says why it ends."""
        candidate: Json = {"content": {"role": "model", "parts": parts}, "index": 0}
        frame: Json = {"candidates": [candidate], "modelVersion": asked.model}
        if reason is not None:
            candidate["finishReason"] = reason
        if counted is not None:
            usage = usage_of(asked, counted)
            frame["usageMetadata"] = {
                "promptTokenCount": usage.prompt,
                "candidatesTokenCount": usage.completion,
                "totalTokenCount": usage.total,
            }
        return frame


def _reason(answer: Answer) -> str:
    return "MAX_TOKENS" if answer.cut else "STOP"


def _messages(content: _Content) -> list[Message]:
    results = [part.functionResponse for part in content.parts if part.functionResponse]
    if results:
        return [Message("tool", json.dumps(r.response), name=r.name) for r in results]
    if content.role == "model":
        return [Message("model", content.text)]
    return [Message("user", content.text)]


def _event(frame: Json) -> str:
    return f"data: {json.dumps(frame)}\n\n"
