"""Pictures and PDFs arrive at each provider's server as its protocol says."""

from __future__ import annotations

import base64
from collections.abc import Iterator, Mapping, Sequence

import httpx
import pytest
from google.adk.models.llm_request import LlmRequest
from google.genai import types
from pydantic import JsonValue, SecretStr

from gaia.agent.enclosures import Document, Media, enclosed_parts
from gaia.agent.models import ChatModel, resilient
from gaia.agent.remote import openai
from gaia.errors import ModelRefusedError
from gaia.settings.providers import ResolvedModel
from gaia.testing.clock import FakeClock
from tests.servers.llmock import running_llmock
from tests.servers.model_server import Step

from .conftest import SETTINGS, Bench

JPEG = b"\xff\xd8\xff\xfb\xef\xbe a photo"
PDF = b"%PDF-1.7 a report"
PHOTO = Media("photo", "image/jpeg", JPEG)
REPORT = Media('document "report.pdf"', "application/pdf", PDF, "report.pdf")
IN_BASE64 = base64.b64encode(JPEG).decode()
PDF_IN_BASE64 = base64.b64encode(PDF).decode()


async def ask(model: ChatModel, *enclosures: Media | Document) -> str:
    """Ask about `enclosures` as a turn does; returns the answer."""
    said = types.Part(text="what is this?")
    context = types.Part(text="<context>\nNow\n</context>")
    content = types.Content(role="user", parts=[said, *enclosed_parts(enclosures), context])
    answer = ""
    request = LlmRequest(model=model.name, contents=[content])
    async for response in model.llm.generate_content_async(request):
        parts = response.content.parts if response.content else None
        answer += "".join(part.text or "" for part in parts or [])
    return answer


def objects_in(value: JsonValue) -> Iterator[Mapping[str, JsonValue]]:
    """Each JSON object in `value`, the outer ones first."""
    if isinstance(value, Mapping):
        yield value
        for inner in value.values():
            yield from objects_in(inner)
    elif isinstance(value, Sequence) and not isinstance(value, str):
        for inner in value:
            yield from objects_in(inner)


def parts_of(bench: Bench) -> list[JsonValue]:
    """The parts of what the person said, in the provider's own shape."""
    (request,) = bench.server.requests
    messages = request.body["contents" if bench.provider == "gemini" else "messages"]
    assert isinstance(messages, list)
    assert isinstance(messages[-1], dict)
    parts = messages[-1]["parts" if bench.provider == "gemini" else "content"]
    assert isinstance(parts, list)
    return parts


def text_of(bench: Bench, text: str) -> JsonValue:
    return {"text": text} if bench.provider == "gemini" else {"type": "text", "text": text}


PICTURES: Mapping[str, JsonValue] = {
    "gemini": {"inlineData": {"mimeType": "image/jpeg", "data": IN_BASE64}},
    "openai": {
        "type": "image_url",
        "image_url": {"url": f"data:image/jpeg;base64,{IN_BASE64}"},
    },
    "anthropic": {
        "type": "image",
        "source": {"type": "base64", "media_type": "image/jpeg", "data": IN_BASE64},
    },
}
REPORTS: Mapping[str, JsonValue] = {
    "gemini": {"inlineData": {"mimeType": "application/pdf", "data": PDF_IN_BASE64}},
    "anthropic": {
        "type": "document",
        "source": {"type": "base64", "media_type": "application/pdf", "data": PDF_IN_BASE64},
    },
}


def as_documented(part: JsonValue) -> JsonValue:
    """Google's client writes base64 in its form for URLs, and one name with an
    underscore: the host reads both, as every reader of Protobuf's JSON does."""
    if isinstance(part, dict) and isinstance(blob := part.get("inlineData"), dict):
        data = str(blob["data"]).replace("-", "+").replace("_", "/")
        return {"inlineData": {"mimeType": blob["mime_type"], "data": data}}
    return part


async def test_a_picture_stands_between_its_label_and_the_context(bench: Bench) -> None:
    await ask(bench.talk.model, PHOTO)
    assert [as_documented(part) for part in parts_of(bench)] == [
        text_of(bench, "what is this?"),
        text_of(bench, "[photo]"),
        PICTURES[bench.provider],
        text_of(bench, "<context>\nNow\n</context>"),
    ]


async def test_the_model_that_is_shown_something_answers(bench: Bench) -> None:
    assert await ask(bench.talk.model, PHOTO) == "echo: what is this?\n[photo]"


async def test_a_pdf_is_sent_to_who_takes_it(bench: Bench) -> None:
    assert bench.talk.model.accepts(REPORT.media_type) is (bench.provider in REPORTS)
    if bench.provider in REPORTS:
        await ask(bench.talk.model, REPORT)
        assert as_documented(parts_of(bench)[2]) == REPORTS[bench.provider]


async def test_a_document_of_text_is_text_to_every_provider(bench: Bench) -> None:
    answer = await ask(bench.talk.model, Document("document", "hello"))
    assert "```\nhello\n```" in answer


async def test_a_host_that_takes_no_pictures_refuses(bench: Bench) -> None:
    bench.server.script(Step(status=400))
    with pytest.raises(ModelRefusedError):
        await ask(bench.talk.model, PHOTO)


async def test_openais_own_api_gets_pictures_and_files_with_their_names() -> None:
    with running_llmock() as url:
        resolved = ResolvedModel("openai", "a-model", f"{url}/v1", SecretStr("key"))
        connection = openai.connect(resolved)
        model = resilient(connection, resolved, SETTINGS, FakeClock(), chance=lambda: 0.0)
        await ask(model, PHOTO, REPORT)
        await model.close()
        async with httpx.AsyncClient(base_url=url) as http:
            served: JsonValue = (await http.get("/_llmock/requests")).json()
    sent = list(objects_in(served))
    assert {
        "type": "input_image",
        "detail": "auto",
        "image_url": f"data:image/jpeg;base64,{IN_BASE64}",
    } in sent
    assert {
        "type": "input_file",
        "filename": "report.pdf",
        "file_data": f"data:application/pdf;base64,{PDF_IN_BASE64}",
    } in sent
