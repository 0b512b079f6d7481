"""What a collector gets of turns, as it decodes it."""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from pathlib import Path

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from gaia.paths import Home
from tests.servers.serve import serving

HERE = Path(__file__).parent
CORE = HERE.parent / "core" / "conftest.py"

WORDIEST = {
    "ADK_CAPTURE_MESSAGE_CONTENT_IN_SPANS": "true",
    "ADK_TELEMETRY_IGNORE_RUN_CONFIG": "true",
    "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": "SPAN_AND_EVENT",
    "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental",
}
"""All that could make the agent kit tell more."""


async def test_no_word_and_no_sender_is_in_a_trace_whatever_the_environment_says(
    tmp_path: Path, fresh_home: Home
) -> None:
    home = shutil.copytree(fresh_home.root, tmp_path / "home")
    paths: list[str] = []
    bodies: list[bytes] = []

    async def take(request: Request) -> Response:
        paths.append(request.url.path)
        bodies.append(await request.body())
        return Response(b"", media_type="application/x-protobuf")

    app = Starlette(routes=[Route("/{path:path}", take, methods=["POST"])])
    async with serving(app) as url:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            HERE / "traced_core.py",
            home,
            CORE,
            env={**os.environ, **WORDIEST, "OTEL_EXPORTER_OTLP_ENDPOINT": url},
        )
        assert await process.wait() == 0
    assert set(paths) == {"/v1/traces"}
    spans = [
        span
        for body in bodies
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    ]
    operations = {span.name.split(" ")[0] for span in spans}
    assert {"invoke_agent", "execute_tool"} <= operations
    turns = {
        attribute.value.string_value
        for span in spans
        for attribute in span.attributes
        if attribute.key == "gaia.turn"
    }
    assert len(turns) == 2
    assert not [body for body in bodies if b"canary" in body]
