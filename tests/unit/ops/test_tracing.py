"""What leaves of a span, and what a collector that takes nothing costs."""

from __future__ import annotations

import logging
from collections.abc import Sequence

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SpanExporter, SpanExportResult
from opentelemetry.trace import StatusCode, Tracer

from gaia.errors import SettingsError
from gaia.logs import turn_in_log
from gaia.ops.tracing import TOLD_EVERY_SECONDS, QuietExporter, SpanSender, require_extra
from gaia.settings.schema import TracingSettings
from gaia.testing.clock import FakeClock

WORDS = "words canary"


class Collector(SpanExporter):
    """Takes what it gets, or nothing."""

    def __init__(self) -> None:
        self.spans: list[ReadableSpan] = []
        self.asked = 0
        self.is_gone = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        self.asked += 1
        if self.is_gone:
            return SpanExportResult.FAILURE
        self.spans += spans
        return SpanExportResult.SUCCESS


@pytest.fixture
def collector() -> Collector:
    return Collector()


def fail_in_span(tracer: Tracer) -> None:
    with tracer.start_as_current_span(f"execute_tool {WORDS} and more") as span:
        span.set_attribute("gen_ai.operation.name", "execute_tool")
        span.set_attribute("gen_ai.tool.name", f"{WORDS} and more")
        span.set_attribute("gen_ai.usage.input_tokens", 12)
        span.set_attribute("gen_ai.conversation.id", "u:whatsapp:+4915112345678#1")
        span.set_attribute("gcp.vertex.agent.tool_call_args", WORDS)
        span.add_event(WORDS, {"content": WORDS})
        raise ValueError(WORDS)


async def test_a_span_leaves_with_its_turn_and_without_words(collector: Collector) -> None:
    tracing = SpanSender(collector, FakeClock())
    with turn_in_log("3f2a9c17d0"), pytest.raises(ValueError, match=WORDS):
        fail_in_span(tracing.provider.get_tracer("test"))
    await tracing.stop()
    [sent] = collector.spans
    assert WORDS not in sent.to_json()
    assert sent.name == "execute_tool"
    assert dict(sent.attributes or {}) == {
        "gaia.turn": "3f2a9c17d0",
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.usage.input_tokens": 12,
    }
    assert sent.status.status_code is StatusCode.ERROR
    assert sent.resource.attributes["service.name"] == "gaia"


def test_a_collector_that_is_gone_is_told_once_an_hour(
    collector: Collector, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    clock = FakeClock()
    exporter = QuietExporter(collector, clock)
    collector.is_gone = True
    for _ in range(5):
        exporter.export([])
    assert len(caplog.records) == 1
    clock.advance(TOLD_EVERY_SECONDS)
    exporter.export([])
    assert len(caplog.records) == 2
    collector.is_gone = False
    exporter.export([])
    exporter.export([])
    assert caplog.messages[2:] == ["traces are taken again"]


def test_the_end_waits_once_for_a_collector_that_is_gone(collector: Collector) -> None:
    collector.is_gone = True
    exporter = QuietExporter(collector, FakeClock())
    exporter.stopping = True
    for _ in range(4):
        assert exporter.export([]) is SpanExportResult.FAILURE
    assert collector.asked == 1


def test_without_the_extra_the_settings_are_wrong() -> None:
    with pytest.raises(SettingsError, match=r"gaia-assistant\[tracing\]"):
        require_extra(TracingSettings(enabled=True), "no_such.exporter")
    require_extra(TracingSettings(enabled=False), "no_such.exporter")
    require_extra(TracingSettings(enabled=True))


def test_traces_without_a_place_to_go_are_told(caplog: pytest.LogCaptureFixture) -> None:
    assert SpanSender.start(TracingSettings(enabled=True), {}, FakeClock()) is None
    assert "OTEL_EXPORTER_OTLP_ENDPOINT" in caplog.text
    caplog.clear()
    assert SpanSender.start(TracingSettings(), {}, FakeClock()) is None
    assert not caplog.records
