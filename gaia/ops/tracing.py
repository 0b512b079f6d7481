"""Traces for OpenTelemetry: what the agent kit records of turns goes to a collector, without
a word of what people write, and without who they are.

Whatever the kit and its variables put into a span, only what is listed here leaves. A
collector that is slow or gone costs traces, and neither a turn's time nor more than a line
of the log now and then.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Mapping, Sequence
from importlib.util import find_spec

from opentelemetry import trace
from opentelemetry.context import Context
from opentelemetry.sdk.resources import OTELResourceDetector, Resource
from opentelemetry.sdk.trace import ReadableSpan, Span, SpanProcessor, TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor, SpanExporter, SpanExportResult
from opentelemetry.trace import Status

from gaia import __version__
from gaia.errors import SettingsError
from gaia.extras import TRACING
from gaia.logs.redaction import present_turn
from gaia.ports import Clock
from gaia.settings.schema import TracingSettings

logger = logging.getLogger(__name__)

EXPORTER = "opentelemetry.exporter.otlp.proto.http"
ENDPOINTS = ("OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT")

EXPORT_SECONDS = 3.0
"""How long one batch may take, tries included; gaia's end may have to wait for two."""

TOLD_EVERY_SECONDS = 3600.0
"""How often the log says that the collector takes nothing."""

TURN = "gaia.turn"
ATTRIBUTES = re.compile(
    r"gaia\.turn"
    r"|gen_ai\.(?:operation\.name|agent\.name|tool\.(?:name|type)|system|provider\.name"
    r"|request\.(?:model|max_tokens|temperature|top_p)"
    r"|response\.(?:model|finish_reasons)|usage\.[a-z_.]+)"
    r"|error\.type"
)
"""What leaves of a span's attributes."""

PLAIN = re.compile(r"[\w.:/()-]{1,80}(?: [\w.:/()-]{1,80})?")
"""A name: a model may call a tool by any words."""


def require_extra(settings: TracingSettings, exporter: str = EXPORTER) -> None:
    """Make sure that traces could be sent.

    Raises:
        SettingsError: What sends them is not installed.
    """
    if settings.enabled and _is_missing(exporter):
        raise SettingsError(
            "tracing.enabled is true, and what sends traces is not installed: "
            f"run `{TRACING.install_line}`, or set tracing.enabled to false"
        )


class SpanSender:
    """Sends the spans of this process; `start` it once, and `stop` it at the end."""

    def __init__(self, exporter: SpanExporter, clock: Clock) -> None:
        self._exporter = QuietExporter(exporter, clock)
        self.provider = TracerProvider(resource=_resource(), shutdown_on_exit=False)
        self.provider.add_span_processor(TurnStamp())
        self.provider.add_span_processor(BatchSpanProcessor(self._exporter))

    @classmethod
    def start(
        cls, settings: TracingSettings, environ: Mapping[str, str], clock: Clock
    ) -> SpanSender | None:
        """Send spans from now on; None when none are to be sent, or nobody said where to."""
        if not settings.enabled:
            return None
        if not any(environ.get(name, "").strip() for name in ENDPOINTS):
            logger.warning(
                "tracing.enabled is true, and no traces are sent: set %s in gaia's environment, "
                "such as http://127.0.0.1:4318",
                ENDPOINTS[0],
            )
            return None
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter

        # It logs each failure, some with a traceback; the exporter around it tells them.
        logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
        tracing = cls(OTLPSpanExporter(timeout=EXPORT_SECONDS), clock)
        trace.set_tracer_provider(tracing.provider)
        logger.info("traces of turns are sent to a collector")
        return tracing

    async def stop(self) -> None:
        """Send what is left; of a collector that takes nothing it is not waited for more
        than once."""
        self._exporter.stopping = True
        await asyncio.to_thread(self.provider.shutdown)


class TurnStamp(SpanProcessor):
    """Gives each span the id of its turn."""

    def on_start(self, span: Span, parent_context: Context | None = None) -> None:
        turn = present_turn()
        if turn is not None:
            span.set_attribute(TURN, turn)


class QuietExporter(SpanExporter):
    """Passes on what may leave, and tells now and then that nobody takes it."""

    def __init__(self, inner: SpanExporter, clock: Clock) -> None:
        self.stopping = False
        self._inner = inner
        self._clock = clock
        self._told_at: float | None = None
        self._fails = False

    def export(self, spans: Sequence[ReadableSpan]) -> SpanExportResult:
        if self.stopping and self._fails:
            return SpanExportResult.FAILURE
        result = self._inner.export([bare(span) for span in spans])
        self._fails = result is not SpanExportResult.SUCCESS
        if self._fails:
            self._tell()
        elif self._told_at is not None:
            self._told_at = None
            logger.info("traces are taken again")
        return result

    def shutdown(self) -> None:
        self._inner.shutdown()

    def _tell(self) -> None:
        now = self._clock.monotonic()
        if self._told_at is None or now - self._told_at >= TOLD_EVERY_SECONDS:
            self._told_at = now
            logger.warning("traces are lost: the collector that %s names takes none", ENDPOINTS[0])


def bare(span: ReadableSpan) -> ReadableSpan:
    """A span without what people said, who they are, and what exceptions quote."""
    attributes = {
        key: value
        for key, value in (span.attributes or {}).items()
        if ATTRIBUTES.fullmatch(key) and _is_plain(value)
    }
    return ReadableSpan(
        name=span.name if PLAIN.fullmatch(span.name) else span.name.split(" ", 1)[0][:80],
        context=span.context,
        parent=span.parent,
        resource=span.resource,
        attributes=attributes,
        kind=span.kind,
        status=Status(span.status.status_code),
        start_time=span.start_time,
        end_time=span.end_time,
        instrumentation_scope=span.instrumentation_scope,
    )


def _is_plain(value: object) -> bool:
    if isinstance(value, str):
        return PLAIN.fullmatch(value) is not None
    if isinstance(value, (list, tuple)):
        return all(map(_is_plain, value))
    return isinstance(value, (bool, int, float))


def _resource() -> Resource:
    """gaia, and what the variables of OpenTelemetry say of it."""
    named = Resource({"service.name": "gaia", "service.version": __version__})
    return named.merge(OTELResourceDetector().detect())


def _is_missing(module: str) -> bool:
    try:
        return find_spec(module) is None
    except ModuleNotFoundError:
        return True
